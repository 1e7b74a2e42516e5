/* func.h - a function with a body. */
#ifndef CW_AST_FUNC_H
#define CW_AST_FUNC_H

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

/* A word in the text that names a thread-local. */
typedef struct cw_named_local {
    uint32_t at;
    cw_decl *decl;
} cw_named_local;

/* A function with a body: pausable or not. */
struct cw_func {
    cw_unit *unit;
    cw_decl *decl;
    uint32_t begin, end; /* whole definition */
    uint32_t body_at;    /* its '{' */
    cw_node *body;
    const char *left_plain; /* stress: the reason why it is not pausable */
    /* blocking.c, of a plain function: a call that blocks its thread, or NULL; the plain functions
     * that call it */
    const char *blocks_by;
    cw_func **callers;
    size_t ncallers;
    bool blocks_itself; /* it makes that call itself */
    bool pausable;
    /* auto: a handler of signals may call it. So its plain form is its text as it is, and no call
     * of the woven one, which allocates. */
    bool in_handler;
    bool unread;                  /* libclang cannot read its body: what it calls is not known */
    cw_named_local *named_locals; /* then: thread-locals that its text names */
    size_t nnamed_locals;
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
    bool counts;                 /* entries: some points do */
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

/* ---- locals ----
 *
 * escape collects the variables, linearize adds temporaries, liveness and frame compute the
 * rest. */

/* A variable of a pausable function: parameter, local, temporary, or the storage of a value. */
struct cw_local {
    /* in the body; another name than the declared one if shadowing would hide it */
    const char *name;
    const char *field; /* in the frame */
    const cw_type *type;
    cw_decl *decl; /* NULL: a temporary */
    bool pausable; /* (pointer to) pausable function by a mark on its declaration */
    bool is_param;
    bool is_temp;
    const cw_type *seen; /* the type to which a use is cast: see vla.c; NULL: `type` */
    bool pinned;
    const char *why_pinned;
    uint32_t why_at;  /* position of the reason, or 0 */
    size_t index;     /* in func->locals */
    uint32_t *writes; /* linearize: the nodes that assign to it, by cw_node.order */
    size_t nwrites;

    /* liveness, frame */
    bool saved;     /* live at some point */
    bool bytes;     /* field is raw storage: the type has no name at file scope */
    bool unqualify; /* const: declared without it */
    bool in_memory; /* declared without its storage class: copies take its address */
    bool clear;     /* saved where it may have no value yet: initialized with zero */
    bool at_entry;  /* entries: live at all points; a single body restores it at its entry */
    uint32_t offset, size, align;
    uint32_t zone;      /* bytes of the red zone before it (frame.c); 0: none */
    size_t field_index; /* in func->fields */
    size_t declared_in; /* emit: the list of temporaries that contains it; 0: none yet */
};

/* The user's name for it; a temporary's own. */
const char *cw_local_name(const cw_local *local);

/* ---- steps and suspension points, created by linearize; blocks, created by cfg ---- */

typedef enum cw_step_kind {
    CW_STEP_EVAL,  /* temp = node */
    CW_STEP_STORE, /* node, a place, = temp */
    CW_STEP_TRUTH, /* temp = node != 0 */
    CW_STEP_VOID,  /* (void)node */
    CW_STEP_CALL,  /* [temp =] node, a suspension point */
    CW_STEP_BLOCK, /* the block of node, a statement expression */
    CW_STEP_IF     /* if (temp) or if (!temp) or if (node): then, otherwise */
} cw_step_kind;

struct cw_step {
    cw_step_kind kind;
    cw_node *node;
    cw_local *temp;
    cw_point *point;
    bool negate;
    cw_step *then, *otherwise;
    cw_step *next;
};

struct cw_point {
    uint32_t id;    /* from 1, in text order */
    uint32_t entry; /* entries: its index in the table of points */
    bool counts;    /* entries: a yield whose loop counts in a variable of the function */
    cw_node *call;
    cw_step *step;
    cw_local *result; /* temporary, NULL when void */
    uint32_t at;
    const char *callee; /* for reports */
    bool wide;          /* result travels through the frame */
    bool unwanted;   /* the result is not used; a wide one has a place in the frame nevertheless */
    cw_local **live; /* the locals it saves, by index */
    size_t nlive;
    cw_local **stored; /* entries: what its code stores for it and for others; NULL: `live` */
    size_t nstored;
    cw_point *saver; /* entries: the point whose code saves for this one, perhaps itself; or NULL */
};

typedef enum cw_event_kind {
    CW_USE,
    CW_DEF,    /* the whole local is written */
    CW_TOUCH,  /* a part of it is written */
    CW_FORGET, /* declared without a value: the old value is lost */
    CW_POINT,
    CW_CALLED, /* a call that does not pause */
    /* --auto: of an object of static or thread storage duration, wholly or in part */
    CW_STATE_READ,
    CW_STATE_WRITE
} cw_event_kind;

typedef struct cw_event {
    cw_event_kind kind;
    cw_local *local;
    cw_point *point;
    /* CW_CALLED: the call; CW_DEF: the value, if a node denotes it; of a state: where */
    const cw_node *node;
    const cw_decl *object; /* of a state */
} cw_event;

struct cw_block {
    size_t id;
    cw_event *events;
    size_t nevents;
    cw_block **next; /* successors */
    size_t nnext;
};

/* ---- sets of locals, by their index ---- */

static inline bool cw_bit(const uint64_t *bits, size_t i)
{
    return (bits[i / 64] >> (i % 64)) & 1;
}
static inline void cw_bit_set(uint64_t *bits, size_t i)
{
    bits[i / 64] |= (uint64_t)1 << (i % 64);
}
static inline void cw_bit_clear(uint64_t *bits, size_t i)
{
    bits[i / 64] &= ~((uint64_t)1 << (i % 64));
}
static inline size_t cw_words(size_t bits)
{
    return (bits + 63) / 64;
}

#endif
