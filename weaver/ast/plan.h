/* plan.h - steps and suspension points, created by linearize, and blocks, created by cfg. */
#ifndef CW_AST_PLAN_H
#define CW_AST_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/types.h"

typedef enum cw_step_kind {
    CW_STEP_EVAL,  /* temp = node */
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

#endif
