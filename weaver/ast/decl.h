/* decl.h - declarations. */
#ifndef CW_AST_DECL_H
#define CW_AST_DECL_H

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

/* One declaration in the text of an entity that may be declared several times. */
typedef struct cw_redecl {
    uint32_t begin, end, name_at;
    const cw_type *type;
    bool marked, dual, needs_block;
    bool definition;
    cw_decl **params;
    size_t nparams;
} cw_redecl;

/* The limit that a pausable_max() sets for a declaration. */
typedef struct cw_budget {
    const char *text; /* the text between its brackets */
    uint64_t bytes;   /* budget: its value */
    struct cw_budget *next;
} cw_budget;

/* A length in a variably modified type. */
typedef struct cw_length {
    cw_local *local;
    cw_node *size;
} cw_length;

struct cw_decl {
    cw_decl_kind kind;
    const char *name; /* "" if it has none */
    const cw_type *type;
    cw_budget *budget; /* NULL: none; after budget.c the lowest limit */
    bool marked;       /* carries `pausable` or one of the two below */
    /* A function with `pausable_or_plain` or `pausable_or_block`: it has a pausable and a plain
     * form. `needs_block`: with the latter, plain code writes co4_block() around a call. */
    bool dual, needs_block;
    bool inside;   /* marked CO4__INSIDE: the library counts its direct entry */
    bool stressed; /* stress: dual by --stress alone */
    bool bridged;  /* stress: defined elsewhere, perhaps woven; called through a bridge */
    /* unmarked: a function without a prototype, whose type comes from its calls; or from none, as
     * they differ */
    bool by_calls, calls_differ;
    /* auto: a pausing call of it is one of this function; NULL: of its own form */
    const char *instead;
    bool is_static; /* static storage duration, or static linkage of a function */
    bool is_extern;
    bool has_linkage; /* a variable that other files may use */
    bool local;       /* declared in a function */
    bool has_address; /* a label whose address is taken: computed gotos may jump to it */
    bool thread_local_;
    bool in_handler;    /* auto: of a function that a handler of signals names, or is */
    bool of_task;       /* auto: a thread-local of which each task has its own copy */
    const char *symbol; /* of a thread-local: its name for the linker, perhaps by an asm label */
    bool is_defined;    /* a variable that a declaration without `extern` defines */
    bool is_register;
    const char *cleanup; /* the handler named by a cleanup attribute; or cw_pushed_handler */
    const cw_type
        *declared_type; /* of a parameter: the array or function type of its declaration, or NULL */
    cw_node **sizes;    /* of a parameter: the expressions in its brackets */
    size_t nsizes;
    cw_length *lengths; /* of its type, to be saved */
    size_t nlengths;
    bool in_brackets;  /* the brackets of `declared_type` contain more than a number */
    bool unnamed;      /* a parameter without a name of the user's */
    bool sized;        /* a parameter declared as an array of computed length */
    bool kept_plain;   /* infer: set by keep.c */
    bool kept_lengths; /* woven code may not declare its type again: see vla.c */
    bool aligned;      /* has an alignment of its own: */
    int64_t align;     /* the alignment; 0: not known */
    bool address_taken;
    bool assigned;       /* cfg: assigned somewhere */
    uint32_t address_at; /* its position, for reports */
    /* mistakes.c: a function of the library whose code this local gets; it gets something else */
    const cw_decl *gets_code_of;
    bool gets_other;
    uint32_t begin, end, name_at;
    uint32_t scope_begin, scope_end; /* of a local: its block */
    cw_redecl *redecls;
    size_t nredecls;
    cw_decl **params; /* of a function or of the function type it declares */
    size_t nparams;
    cw_func *func; /* of a function: its definition; of a local: its function */
    const char
        *rename; /* frame: its name in woven code, if its own hides a local that a point saves */
    cw_local *as_local;
    cw_decl *namesake; /* of a typedef: the one of its name that was read before */
    const char *slot;  /* summary: its key in the graph of the program; NULL: not asked for yet */
};

/* Auto: the `cleanup` of the variable of pthread_cleanup_push() that holds the handler: abi.h. */
extern const char cw_pushed_handler[];

/* Is it one of co4's own names, declared in abi.h and the like? */
bool cw_decl_is_ours(const cw_decl *decl);
/* Offset of the name in a function's definition. */
uint32_t cw_definition_of(const cw_decl *decl);
/* Offset of the '(' of the parameters in this declaration of a function, or of a pointer to one; 0
 * if it has none, as in `type name;`: they are in a typedef, or in the operand of a typeof. Its
 * type does not answer this: clang gives later declarations the typedef of earlier ones. */
uint32_t cw_parameter_list(const cw_unit *unit, const cw_decl *decl, const cw_redecl *one);
/* Does the list in this declaration not say which parameters there are, as in `int f();` before
 * C23? Its type does not answer this either: it may be that of an earlier prototype. */
bool cw_is_without_prototype(const cw_unit *unit, const cw_decl *decl, const cw_redecl *one);
/* Are the parameters in a typedef? */
bool cw_is_by_typedef(const cw_unit *unit, const cw_decl *decl, const cw_redecl *one);

/* ---- pausability.c: whether a declaration or an expression is pausable ---- */

/* Does this expression denote a pausable function or a pointer to one? */
bool cw_is_pausable(const cw_node *node);
bool cw_decl_is_pausable(const cw_decl *decl);
/* The same for a CW_REF: a dual function is pausable where `woven` is set on its use. */
bool cw_ref_is_pausable(const cw_node *ref);
/* Through pointers and arrays, is this a function? */
bool cw_is_function_like(const cw_type *type);
/* Is this a point where the function may pause? */
bool cw_is_point(const cw_node *node);
/* The name by which pausable code calls a pausable function. */
const char *cw_woven_name(cw_unit *unit, const cw_decl *function);
/* `woven` of a node whose use is not known: a pausable_or_block function is used in its pausable
 * form, unless a call says otherwise. */
bool cw_is_woven_by_default(const cw_node *node);
/* Sets `woven` on each dual function that an expression yields. `pausable` says to which form of
 * function the value flows. */
void cw_resolve_dual(cw_node *node, bool pausable);

#endif
