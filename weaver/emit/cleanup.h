/* cleanup.h - the exits of scopes. */
#ifndef CW_EMIT_CLEANUP_H
#define CW_EMIT_CLEANUP_H

#include <stdint.h>

#include "base/buf.h"
#include "base/types.h"
#include "emit/emitter.h"

/* goto, break, continue */
void cw_emit_jump(cw_emitter *e, const cw_node *node);
void cw_emit_return(cw_emitter *e, const cw_node *node);
void cw_emit_block_end(cw_emitter *e, const cw_node *block);
/* For a return at `at`. */
void cw_put_return_cleanups(cw_emitter *e, uint32_t at, cw_buf *out);
/* For the end of a block, or of a loop whose header contains a declaration. */
void cw_put_scope_cleanups(cw_emitter *e, const cw_node *scope, cw_buf *out);

#endif
