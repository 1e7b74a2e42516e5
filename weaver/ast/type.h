/* type.h - C types. */
#ifndef CW_AST_TYPE_H
#define CW_AST_TYPE_H

#include "base/types.h"

typedef enum cw_type_kind {
    CW_T_BUILTIN, /* void, arithmetic, complex, vectors: written as `name` */
    CW_T_POINTER,
    CW_T_ARRAY,
    CW_T_OPEN_ARRAY, /* int a[] */
    CW_T_VLA,
    CW_T_FUNCTION,
    CW_T_RECORD,
    CW_T_ENUM,
    CW_T_TYPEDEF,
    CW_T_ATOMIC,
    CW_T_OTHER /* not understood; may not be written again */
} cw_type_kind;

/* A struct, union or enum. */
struct cw_tag {
    const char *keyword; /* "struct", "union", "enum" */
    const char *name;    /* NULL: anonymous; cw_type_write gives it a name and adds an edit */
    const char *said;    /* the original name: frame.c may rename a local type */
    uint32_t begin, end; /* of its definition; 0, 0 when there is none */
    bool local;          /* declared in a function */
    bool has_namesake;   /* the unit has another type of this name */
    bool moved;          /* emit: its definition comes before the statement that has it */
    bool later_renamed;  /* frame: all types of its name that are defined later are renamed too */
    bool const_known;    /* whether it has */
    bool const_member;   /* a const member: it cannot be assigned */
    cw_decl **fields;    /* in order */
    size_t nfields;
};

struct cw_type {
    cw_type_kind kind;
    bool is_const, is_volatile, is_restrict;
    int64_t size, align; /* bytes; -1 unknown */
    const char *name;    /* builtin: spelling */
    cw_type *inner;      /* pointee, element, typedef's or atomic's underlying, function's result */
    int64_t count;       /* array: elements */
    cw_type *array;      /* variable-length array: the array itself, without typeof and the like */
    /* the local that keeps its length across points; only in `array`, see vla.c */
    cw_local *length;
    cw_type **params;
    size_t nparams;
    bool variadic, prototyped;
    bool pausable; /* a parameter that is a marked function or leads to one: cw_type_with_marks */
    cw_tag *tag;
    cw_decl *decl; /* typedef */
};

const cw_type *cw_type_bare(const cw_type *type);                 /* without typedefs */
const cw_type *cw_type_value(cw_unit *unit, const cw_type *type); /* arrays and functions decay */
/* An arithmetic type, or void with the size -1. */
cw_type *cw_type_builtin(cw_unit *unit, const char *name, int64_t size);
const cw_type *cw_type_pointer_to(cw_unit *unit, const cw_type *type);
const cw_type *cw_type_unqualified(cw_unit *unit, const cw_type *type); /* not const */
bool cw_type_is_const(const cw_type *type);       /* itself, or in its typedef */
bool cw_type_is_va_list(const cw_type *type);     /* or points to one */
bool cw_type_is_list_itself(const cw_type *type); /* a va_list, perhaps as an array */
bool cw_type_is_void(const cw_type *type);
/* Whether a negative value of this type is an error code when a function returns it: int, long,
 * long long. */
bool cw_type_is_code(const cw_type *type);
bool cw_type_is_wide(const cw_type *type);  /* as a result: returned through the caller's frame */
bool cw_type_is_local(const cw_type *type); /* uses names that only its function knows */
bool cw_type_is_pausable(const cw_type *type); /* through a marked typedef */
/* Returns the type with the marks on its function's parameters, as `decl` declares them. A mark
 * belongs to a declaration. Text written from the type alone would lose the marks inside it. */
const cw_type *cw_type_with_marks(cw_unit *unit, const cw_type *type, const cw_decl *decl);
/* The type that an argument of this type has where no prototype is in sight, and the type of a
 * function that takes what a call passes there. */
const cw_type *cw_type_promoted(cw_unit *unit, const cw_type *type);
const cw_type *cw_type_of_call(cw_unit *unit, const cw_type *function, const cw_node *call);
bool cw_type_is_assignable(const cw_type *type);
bool cw_type_has(const cw_type *type, cw_type_kind kind); /* itself or an element of it */
bool cw_type_is_vm(const cw_type *type);    /* variably modified, as the standard defines it */
bool cw_type_is_known(const cw_type *type); /* all lengths in it are saved */

/* Can woven code declare the type again? False if libclang does not understand it. */
bool cw_can_be_written(const cw_type *type);
/* The same at file scope, of a function's type. */
bool cw_type_is_usable(const cw_type *function);

/* ---- packing.c: how a target passes a variable argument: co4/varargs.h ---- */

typedef enum cw_packing {
    CW_PACKED_NOT,
    CW_PACKED_VALUE,  /* it is in its slots */
    CW_PACKED_POINTER /* its slot has a pointer to a copy */
} cw_packing;

/* `why`: why it cannot be passed. */
cw_packing cw_packing_of(cw_unit *unit, const cw_type *type, const char **why);

/* ---- write.c: types and locals as woven code writes them ---- */

enum {
    CW_WRITE_FILE_SCOPE = 1,  /* local typedefs are replaced by their types */
    CW_WRITE_UNQUALIFIED = 2, /* drop const of the object itself (and of array elements) */
    CW_WRITE_PAUSABLE = 4,    /* the first function type gets a fiber parameter */
    CW_WRITE_PARAMETER = 8    /* of a prototype: computed lengths are [*] */
};

/* Writes a declaration of `name` (may be "") with this type. */
const char *cw_type_write(cw_unit *unit, const cw_type *type, const char *name, unsigned how);

/* The text by which the body refers to a local, and to its field. */
const char *cw_local_ref(cw_unit *unit, const cw_local *local);
const char *cw_field_ref(cw_unit *unit, const cw_local *local);

#endif
