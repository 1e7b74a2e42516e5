/* emit.h - the pass that writes text: statements. */
#ifndef CW_EMIT_EMIT_H
#define CW_EMIT_EMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/types.h"

bool cw_emit(cw_unit *unit);

/* What the writers of one function's body hand each other. */
typedef struct cw_emitter {
    cw_unit *unit;
    cw_func *func;
} cw_emitter;

/* Edits a statement and those in it. NULL: nothing. */
void cw_emit_stmt(cw_emitter *e, const cw_node *node);
/* An edit of statements; takes what `buf` holds. */
void cw_large_edit(cw_emitter *e, uint32_t begin, uint32_t end, cw_buf *buf);

#endif
