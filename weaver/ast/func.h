/* func.h - a function with a body. */
#ifndef CW_AST_FUNC_H
#define CW_AST_FUNC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/types.h"

/* A use of the name of a typedef of variable length. */
typedef struct cw_named_type {
    uint32_t at;
    cw_decl *decl;
} cw_named_type;

/* A use of the name of a local struct, union or enum. */
typedef struct cw_named_tag {
    uint32_t at;
    cw_tag *tag;
} cw_named_tag;

/* A function with a body: pausable or not. */
struct cw_func {
    cw_unit *unit;
    cw_decl *decl;
    uint32_t begin, end; /* whole definition */
    uint32_t body_at;    /* its '{' */
    cw_node *body;
    const char *left_plain; /* stress: the reason why it is not pausable */
    bool pausable;
    bool unread;    /* libclang cannot read its body: what it calls is not known */
    bool old_style; /* K&R definition */
    bool variadic;
    bool apart;  /* its attributes keep it from being inlined */
    bool strict; /* its declarations promise what the call at a resume cannot keep: `[static 2]` */
    bool single; /* takes label addresses, starts a va_list or calls setjmp: needs one body */
    bool catches_throws; /* it has calls behind a setjmp of its own: node->catches */
    bool named;          /* dual, and its body uses its own name */
    bool takes_frame;    /* it takes its frame before it pauses: it has pinned locals */
    /* the first setjmp to which jumps come back, as its calls may pause; or NULL */
    cw_node *catches;
    cw_local *jumps, *real; /* frame: its fields co4_abi_jumps and the own buffer */
    bool keeps_args;        /* stack_references: its variable arguments are needed after a pause */
    cw_local *args;         /* frame: its field for their copy; NULL: it keeps none */
    /* its __PRETTY_FUNCTION__, a literal; NULL: none, or the compiler provides it */
    const char *pretty;
    cw_decl **params;
    size_t nparams;
    cw_decl **declared; /* every name declared inside, for shadowing */
    size_t ndeclared;
    cw_local **locals;
    size_t nlocals;
    cw_node **cleanups; /* CW_VAR nodes: see passes/cleanup.c */
    size_t ncleanups;
    cw_point **points;
    size_t npoints;
    struct cw_span *spans; /* of the calls that pause; NULL: not computed yet (passes/cleanup.c) */
    size_t nspans;
    size_t ntemps;
    size_t nlabels; /* emit: of labels that it added */
    size_t nlengths;
    cw_named_type *named_types;
    size_t nnamed_types;
    /* named structs, unions and enums defined here: by original name, then position */
    cw_tag **tags;
    size_t ntags;
    cw_named_tag *named_tags; /* if two have the same name: by position, each once */
    size_t nnamed_tags;
    /* frame: for each name, its positions in the text that are not in `named_tags` */
    int *tag_counts;
    cw_block **blocks; /* 0 is the entry */
    size_t nblocks;
    cw_local **fields; /* of the frame, in order */
    size_t nfields;
    const char **aliases; /* typedefs to insert before the function, for type names that it hides */
    size_t naliases;
    bool one_body;               /* entries: for direct calls and for resumes */
    bool shares_saves;           /* entries: some points save by the code of another */
    bool recursive;              /* entries: by calls that name it, within the unit */
    size_t call_order, call_low; /* entries: for its search */
    /* emit: the function whose resume entry it shares, perhaps itself; or NULL */
    cw_func *resumer;
    const cw_node *frame_after; /* frame_placement: after this statement; NULL: at entry */
    uint32_t frame_bytes;
    uint32_t bare_bytes;         /* of the frame without red zones */
    uint32_t last_zone;          /* bytes of the red zone after all fields; 0: none */
    struct cw_task_bound *bound; /* NULL: not computed yet */
};

/* The function whose definition contains an offset; NULL if there is none. */
cw_func *cw_func_at(const cw_unit *unit, uint32_t at);
cw_local *cw_local_new(cw_func *func, const char *name, const cw_type *type);
/* Index in `tags` of a function of the first type with that original name; `ntags` if there is
 * none. */
size_t cw_first_tag(const cw_func *func, const char *name, size_t length);

/* The function whose body contains an offset; NULL if there is none. */
const cw_func *cw_function_around(const cw_unit *unit, uint32_t at);

#endif
