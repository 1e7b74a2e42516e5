/* plan.h - what the passes make of a function: locals, steps, points, blocks.
 *
 * pin finds the locals, split the steps and points, flow the blocks; live and frame fill in the
 * rest. */
#ifndef CW_PLAN_H
#define CW_PLAN_H

#include "ast/tree.h"

/* ---- pin.c, frame.c: locals ---- */

/* A variable of a pausable function: parameter, local, temporary, or the storage of a value. */
struct cw_local {
    const char *name;  /* as written in the body; renamed when shadowing would hide it */
    const char *field; /* as written in the frame */
    const cw_type *type;
    cw_decl *decl; /* NULL: a temporary */
    bool coloured; /* (pointer to) pausable function by a mark on its declaration */
    bool is_param;
    bool is_temp;
    const cw_type *seen; /* NULL: type. What a use of it is cast to: see vla.c */
    bool pinned;
    const char *why_pinned;
    uint32_t why_at; /* position of the reason, 0: none */
    size_t index;    /* in func->locals */

    /* live, frame */
    bool saved;     /* live at some point */
    bool bytes;     /* field is raw storage: the type has no name at file scope */
    bool unqualify; /* const: to be declared without it */
    bool clear;     /* saved where it may have no value yet: to be declared with zero */
    uint32_t offset, size, align;
    uint32_t zone;      /* bytes of the red zone in front of it (frame.c); 0: none */
    size_t field_index; /* in func->fields */
    size_t declared_in; /* emit: the list of temporaries that has it; 0: none yet */
};

/* ---- split.c: steps and suspension points ---- */

typedef enum cw_step_kind {
    CW_STEP_EVAL,  /* temp = node */
    CW_STEP_TRUTH, /* temp = node != 0 */
    CW_STEP_VOID,  /* (void)node */
    CW_STEP_CALL,  /* [temp =] node, a suspension point */
    CW_STEP_BLOCK, /* node's block, a statement expression's */
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
    uint32_t id; /* from 1, in the order of the text */
    cw_node *call;
    cw_step *step;
    cw_local *result; /* temporary, NULL when void */
    uint32_t at;
    const char *callee; /* for reports */
    bool wide;          /* result travels through the frame */
    bool unwanted; /* nobody reads the result; a wide one has its place in the frame all the same */
    cw_local **live; /* what it saves, by index */
    size_t nlive;
};

/* ---- flow.c: the graph ---- */

typedef enum cw_event_kind {
    CW_USE,
    CW_DEF,    /* of the whole local */
    CW_TOUCH,  /* a part of it is written */
    CW_FORGET, /* declared without a value: what it held is gone */
    CW_POINT,
    CW_CALLED /* a call that does not pause */
} cw_event_kind;

typedef struct cw_event {
    cw_event_kind kind;
    cw_local *local;
    cw_point *point;
    const cw_node *node; /* CW_CALLED: the call; CW_DEF: the value, if there is a node for it */
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

/* ---- functions ---- */

/* Where a typedef of variable length is named. */
typedef struct cw_named_type {
    uint32_t at;
    cw_decl *decl;
} cw_named_type;

/* Where a local struct, union or enum is named. */
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
    bool pausable;
    const char *left_plain; /* stress: why it is not pausable */
    bool old_style;         /* K&R definition */
    bool variadic;
    bool apart;  /* its attributes keep it from being inlined */
    bool strict; /* its declarations promise what a resume's call cannot keep: `[static 2]` */
    bool single; /* takes label addresses, starts a va_list, calls setjmp: one body */
    bool named;  /* mixed, and its body asks for its name */
    const char *pretty; /* its __PRETTY_FUNCTION__, a literal; NULL: none, or the compiler has it */
    cw_decl **params;
    size_t nparams;
    cw_decl **declared; /* every name declared inside, for shadowing */
    size_t ndeclared;
    cw_local **locals;
    size_t nlocals;
    cw_node **owned; /* CW_VAR nodes: see scope.c */
    size_t nowned;
    cw_point **points;
    size_t npoints;
    struct cw_span *spans; /* of the calls that pause; NULL: not asked for yet (scope.c) */
    size_t nspans;
    size_t ntemps;
    size_t nlabels; /* emit: of its own */
    size_t nlengths;
    cw_named_type *named_types;
    size_t nnamed_types;
    cw_tag **tags; /* named structs, unions and enums defined here: by said name, then place */
    size_t ntags;
    cw_named_tag *named_tags; /* when two have one name: by place, each once */
    size_t nnamed_tags;
    int *tag_counts; /* frame: of each name, the places in the text that are not in `named_tags` */
    cw_block **blocks; /* 0 is the entry */
    size_t nblocks;
    cw_local **fields; /* of the frame, in order */
    size_t nfields;
    const char **aliases; /* typedefs to stand before it, for type names that it hides */
    size_t naliases;
    bool takes_frame;           /* before it pauses: it has pinned locals */
    const cw_node *frame_after; /* late: behind this statement; NULL: at entry */
    uint32_t frame_bytes;
    uint32_t bare_bytes;    /* of the frame without red zones */
    uint32_t last_zone;     /* bytes of the red zone behind all fields; 0: none */
    struct cw_worst *worst; /* NULL: not asked for yet */
};

/* ---- edit.c: changes of the text, as data ---- */

typedef struct cw_edit {
    uint32_t begin, end;
    const char *text;
    size_t order;
} cw_edit;

/* Sorted, but for the last one, while edits are added to it. */
typedef struct cw_edit_run {
    cw_edit *items;
    size_t count;
} cw_edit_run;

typedef struct cw_edits {
    cw_edit_run runs[64];
    size_t nruns;
    bool open; /* the last one is not sorted yet */
} cw_edits;

void cw_edit_add(cw_unit *unit, cw_edits *edits, uint32_t begin, uint32_t end, const char *text);
/* Appends the text of [begin, end) with these edits applied; an outer edit swallows those inside
 * it. */
void cw_edit_apply(cw_unit *unit, cw_edits *edits, uint32_t begin, uint32_t end, cw_buf *out);
/* The same with the edits of both the unit's lists. */
void cw_edit_apply_both(cw_unit *unit, uint32_t begin, uint32_t end, cw_buf *out);

#endif
