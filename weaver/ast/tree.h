/* tree.h - the tree that load.c leaves: types, declarations, nodes. */
#ifndef CW_TREE_H
#define CW_TREE_H

#include "base/base.h"

/* ---- type.c: C types and how to write them --------------------------------------------------- */

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
    CW_T_OTHER /* not understood; may not be written */
} cw_type_kind;

/* A struct, union or enum. */
typedef struct cw_tag {
    const char *keyword; /* "struct", "union", "enum" */
    const char *name;    /* NULL: anonymous; cw_type_print gives it one and asks for an edit */
    const char *said;    /* the name in the text: frame.c may give a local type another one */
    uint32_t begin, end; /* of its definition; 0, 0 when there is none */
    bool local;          /* declared in a function */
    bool later_renamed;  /* frame: so are all of its name that are defined behind it */
    bool const_member;   /* has one: cannot be assigned */
    cw_decl **fields;    /* in order */
    size_t nfields;
} cw_tag;

struct cw_type {
    cw_type_kind kind;
    bool is_const, is_volatile, is_restrict;
    int64_t size, align; /* bytes; -1 unknown */
    const char *name;    /* builtin: spelling */
    cw_type *inner;      /* pointee, element, typedef's or atomic's underlying, function's result */
    int64_t count;       /* array: elements */
    cw_type *array;      /* variable-length array: itself, without typeof and the like around it */
    cw_local *length;    /* … what keeps its length across points; of `array` only, see vla.c */
    cw_type **params;
    size_t nparams;
    bool variadic, prototyped;
    bool coloured; /* a parameter is this function, or leads to it, by a mark: cw_type_with_marks */
    cw_tag *tag;
    cw_decl *decl; /* typedef */
};

const cw_type *cw_type_bare(const cw_type *type);                 /* without typedefs */
const cw_type *cw_type_value(cw_unit *unit, const cw_type *type); /* arrays and functions decay */
const cw_type *cw_type_pointer_to(cw_unit *unit, const cw_type *type);
const cw_type *cw_type_unqualified(cw_unit *unit, const cw_type *type); /* not const */
bool cw_type_is_const(const cw_type *type);   /* itself, or in its typedef */
bool cw_type_is_va_list(const cw_type *type); /* or points to one */
bool cw_type_is_void(const cw_type *type);
bool cw_type_is_wide(const cw_type *type);     /* as a result: travels through the caller's frame */
bool cw_type_is_local(const cw_type *type);    /* needs names that only its function knows */
bool cw_type_is_coloured(const cw_type *type); /* through a marked typedef */
/* The type, with the marks on the parameters of the function that it is or leads to, where `decl`
 * declares them. A mark stands on a declaration; what is written again by its type would lose those
 * inside it. */
const cw_type *cw_type_with_marks(cw_unit *unit, const cw_type *type, const cw_decl *decl);
bool cw_type_is_assignable(const cw_type *type);
bool cw_type_has(const cw_type *type, cw_type_kind kind); /* itself or an element of it */
/* Can woven code declare it again? False where libclang does not understand it. */
bool cw_can_be_written(const cw_type *type);

enum {
    CW_WRITE_FILE_SCOPE = 1,  /* local typedefs are looked through */
    CW_WRITE_UNQUALIFIED = 2, /* drop const of the object itself (and of array elements) */
    CW_WRITE_COLOURED = 4,    /* the function type reached first takes a fiber */
    CW_WRITE_PARAMETER = 8    /* of a prototype: computed lengths are [*] */
};

/* In `tags` of a function the first type of that said name; `ntags`: there is none. */
size_t cw_first_tag(const cw_func *func, const char *name, size_t length);

/* Writes a declaration of `name` (may be "") with this type. */
const char *cw_type_write(cw_unit *unit, const cw_type *type, const char *name, unsigned how);

/* ---- load.c: declarations and nodes ---------------------------------------------------------- */

typedef enum cw_decl_kind {
    CW_D_FUNCTION,
    CW_D_VARIABLE,
    CW_D_PARAM,
    CW_D_FIELD,
    CW_D_TYPEDEF,
    CW_D_ENUMERATOR,
    CW_D_LABEL
} cw_decl_kind;

/* One declaration in the text of something that may be declared several times. */
typedef struct cw_redecl {
    uint32_t begin, end, name_at;
    const cw_type *type;
    bool marked, mixed;
    bool definition;
    cw_decl **params;
    size_t nparams;
} cw_redecl;

/* What a pausable_max() of a declaration says. */
typedef struct cw_budget {
    const char *text; /* what stands between its brackets */
    uint64_t bytes;   /* budget: the same, read */
    struct cw_budget *next;
} cw_budget;

/* A length in a variably modified type. */
typedef struct cw_length {
    cw_local *local;
    cw_node *size;
} cw_length;

struct cw_decl {
    cw_decl_kind kind;
    const char *name; /* "" when it has none */
    const cw_type *type;
    cw_budget *budget; /* NULL: none; after budget.c the tightest */
    bool marked;       /* carries `pausable` or `pausable_or_plain` */
    bool mixed;        /* a function that carries `pausable_or_plain`: it exists in both colours */
    bool stressed;     /* stress: mixed by --stress alone */
    bool bridged;      /* stress: defined elsewhere, perhaps woven; called by way of a bridge */
    bool is_static;    /* static storage duration, or static linkage of a function */
    bool is_extern;
    bool has_linkage; /* a variable that other files may know */
    bool local;       /* declared in a function */
    bool has_address; /* a label that && is put before: computed gotos may go there */
    bool thread_local_;
    const char *cleanup; /* the handler that a cleanup attribute names */
    const cw_type
        *written;    /* of a parameter: the array or function that it is declared as, or NULL */
    cw_node **sizes; /* of a parameter: the expressions in its brackets */
    size_t nsizes;
    cw_length *lengths; /* of its type, to be kept */
    size_t nlengths;
    bool in_brackets;  /* those of `written` say more than a number */
    bool sized;        /* a parameter that is written as an array of computed length */
    bool kept_plain;   /* infer: keep.c */
    bool kept_lengths; /* its type is one that woven code may not declare: see vla.c */
    bool aligned;      /* has an alignment of its own: */
    int64_t align;     /* that; 0: not known */
    bool address_taken;
    bool assigned;       /* flow: written somewhere */
    uint32_t address_at; /* where, for reports */
    uint32_t begin, end, name_at;
    uint32_t scope_begin, scope_end; /* of a local: the block it belongs to */
    cw_redecl *redecls;
    size_t nredecls;
    cw_decl **params; /* of a function or of the function type it declares */
    size_t nparams;
    cw_func *func; /* a function's definition; a local's function */
    const char
        *rename; /* frame: its name in woven code; its own hides a local that a point saves */
    cw_local *as_local;
};

typedef enum cw_kind {
    /* expressions */
    CW_LITERAL,
    CW_STRING,
    CW_REF,             /* decl */
    CW_MEMBER,          /* kid 0; decl: the field; arrow */
    CW_CALL,            /* kid 0 callee, then arguments */
    CW_UNARY,           /* op */
    CW_BINARY,          /* op */
    CW_ASSIGN,          /* = */
    CW_COMPOUND_ASSIGN, /* op, without its '=' */
    CW_AND_OR,          /* op */
    CW_COMMA,
    CW_COND,
    CW_ELVIS, /* a ?: b */
    CW_CAST,
    CW_IMPLICIT,
    CW_PAREN,
    CW_INDEX,
    CW_COMPOUND_LITERAL, /* kid 0: initializer list */
    CW_INIT_LIST,
    CW_DESIGNATED, /* last kid: the value */
    CW_SIZEOF,     /* and whatever else does not evaluate its operands */
    CW_STMT_EXPR,  /* kid 0: the block */
    CW_GENERIC,    /* _Generic, __builtin_choose_expr: kid 0 decides, kid `chosen` is evaluated */
    CW_BUILTIN,    /* an operator that looks like a call: __atomic_fetch_add */
    CW_LABEL_ADDRESS,
    CW_ENTRY, /* an entry point, made by mark */
    CW_PAUSE, /* a suspension point that is no call, made by pace; has no text */
    CW_OTHER_EXPR,
    /* statements */
    CW_BLOCK,
    CW_DECL_STMT,  /* kids: CW_VAR, CW_OTHER_DECL */
    CW_VAR,        /* decl; kid 0: initializer, or NULL; then sizes */
    CW_OTHER_DECL, /* typedef, tag, prototype */
    CW_EXPR_STMT,  /* kid 0 */
    CW_IF,         /* condition, then, else or NULL */
    CW_WHILE,      /* condition, body */
    CW_DO,         /* body, condition */
    CW_FOR,        /* init, condition, step (each may be NULL), body */
    CW_SWITCH,     /* operand, body */
    CW_CASE,       /* labels…, last kid: statement or NULL */
    CW_DEFAULT,    /* statement */
    CW_LABEL,      /* decl; statement */
    CW_GOTO,       /* decl */
    CW_INDIRECT_GOTO,
    CW_BREAK,
    CW_CONTINUE,
    CW_RETURN, /* kid 0 or NULL */
    CW_ASM,
    CW_NULL_STMT,
    CW_ATTRIBUTED, /* kid 0: a statement with attributes or a loop pragma in front */
    CW_OTHER_STMT
} cw_kind;

typedef enum cw_entry_kind {
    CW_ENTRY_NONE,
    CW_ENTRY_RUN,
    CW_ENTRY_SPAWN,
    CW_ENTRY_SPAWN_ON, /* kid 0 is the runtime, the callee is kid 1 */
    CW_ENTRY_TASK,
    CW_ENTRY_GENERATE,
    CW_ENTRY_IS_INT,      /* a question about a call: does it give an int? Becomes the answer */
    CW_ENTRY_MUST_BE_INT, /* the same, and it has to */
    CW_ENTRY_BLOCKING     /* of a CW_CALL: a point where another thread calls a plain function */
} cw_entry_kind;

struct cw_node {
    cw_kind kind;
    uint32_t begin, end; /* statements: with their ';' */
    const cw_type *type; /* expressions */
    cw_decl *decl;
    char op[4];
    bool arrow;
    bool jumps;    /* CW_ASM: asm goto; the addresses of its labels are among the kids */
    bool for_type; /* the operand of a typeof, with its brackets */
    size_t chosen; /* CW_GENERIC: its kid; 0: not known */
    size_t index;  /* an index in a designator: its value, plus 1; else 0, or it is not known */
    cw_node **kids;
    size_t nkids;
    uint32_t last_kid_at; /* load: where the last one that was in order begins */
    cw_node *parent;

    bool braced; /* pace: a block that has no braces of its own yet */

    /* mark */
    bool woven;      /* a mixed function's name, meant in its pausable form */
    bool is_point;   /* a call that may pause */
    bool has_points; /* this or something below is one */
    cw_entry_kind entry;
    const char *thunk;     /* entry points, CW_ENTRY_BLOCKING: the function that makes the call */
    bool thunk_has_callee; /* it takes the callee as an argument */

    /* pin, split: where a value lives that is pointed to across a point, a compound literal or an
     * `f().array` */
    cw_local *storage;
    bool addressed; /* a value that is pointed into: `f().array[i]` */

    /* split */
    cw_local *temp;  /* written as this temporary */
    cw_step *plan;   /* of a full expression: what is done before it */
    cw_local *value; /* an expression statement: it gives the statement expression its value */
    bool tail_only;  /* comma: the first operand has been evaluated */
    bool done;       /* evaluated by the plan and worth nothing: written as (void)0 */
};

/* Is this kid of an evaluated node evaluated? */
bool cw_evaluates(const cw_node *node, size_t kid);
/* The expression statement that gives a statement expression its value; NULL: it has none. */
cw_node *cw_value_statement(const cw_node *stmt_expr);

#endif
