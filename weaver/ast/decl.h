/* decl.h - declarations. */
#ifndef CW_AST_DECL_H
#define CW_AST_DECL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/types.h"

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
    bool marked, dual;
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
    bool dual;         /* a function with `pausable_or_plain`: it exists pausable and plain */
    bool stressed;     /* stress: dual by --stress alone */
    bool bridged;      /* stress: defined elsewhere, perhaps woven; called by way of a bridge */
    bool is_static;    /* static storage duration, or static linkage of a function */
    bool is_extern;
    bool has_linkage; /* a variable that other files may know */
    bool local;       /* declared in a function */
    bool has_address; /* a label that && is put before: computed gotos may go there */
    bool thread_local_;
    const char *cleanup; /* the handler that a cleanup attribute names */
    const cw_type
        *declared_type; /* of a parameter: the array or function that it is declared as, or NULL */
    cw_node **sizes;    /* of a parameter: the expressions in its brackets */
    size_t nsizes;
    cw_length *lengths; /* of its type, to be kept */
    size_t nlengths;
    bool in_brackets;  /* those of `declared_type` say more than a number */
    bool sized;        /* a parameter that is written as an array of computed length */
    bool kept_plain;   /* infer: keep.c */
    bool kept_lengths; /* its type is one that woven code may not declare: see vla.c */
    bool aligned;      /* has an alignment of its own: */
    int64_t align;     /* that; 0: not known */
    bool address_taken;
    bool assigned;       /* cfg: written somewhere */
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

/* Offset of the name in a function's definition. */
uint32_t cw_definition_of(const cw_decl *decl);
/* Is this declaration of a function `type name;`, with the parameters in the typedef? Its type
 * alone does not tell: clang gives later declarations the typedef of earlier ones. */
bool cw_is_by_typedef(const cw_unit *unit, const cw_decl *decl, const cw_redecl *one);

#endif
