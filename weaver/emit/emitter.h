/* emitter.h - the state and the edits shared by the files that write a function's body. */
#ifndef CW_EMIT_EMITTER_H
#define CW_EMIT_EMITTER_H

#include <stdint.h>

#include "base/buf.h"
#include "base/types.h"

typedef struct cw_emitter {
    cw_unit *unit;
    cw_func *func;
} cw_emitter;

/* Adds an edit of statements, and takes over the text in `buf`. */
void cw_large_edit(cw_emitter *e, uint32_t begin, uint32_t end, cw_buf *buf);

#endif
