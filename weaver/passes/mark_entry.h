/* mark_entry.h - entry points. */
#ifndef CW_PASSES_MARK_ENTRY_H
#define CW_PASSES_MARK_ENTRY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/types.h"

/* Before cw_mark: the operand of an entry point, where a call is expected; NULL if the node is not
 * an entry point. */
const cw_node *cw_entry_call(const cw_node *node);
/* The same for co4_blocking, whose call is an ordinary one. */
const cw_node *cw_blocking_call(const cw_node *node);

typedef struct cw_walk {
    cw_unit *unit;
    cw_func *func; /* NULL at file scope */
    bool unevaluated;
    const cw_func *noted; /* the last function reported as lacking a mark */
    cw_node **setjmps;    /* of this function, that jumps of woven code may come back to */
    size_t nsetjmps;
} cw_walk;

/* The same for co4_block, whose call waits in its plain form. */
const cw_node *cw_block_call(const cw_node *node);

/* Turns a marker expression into CW_ENTRY, and one around a plain call into a call that is a
 * suspension point. */
void cw_recognise_entry(cw_walk *w, cw_node *node);

#endif
