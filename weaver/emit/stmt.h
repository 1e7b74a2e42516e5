/* stmt.h - statements of pausable functions. */
#ifndef CW_EMIT_STMT_H
#define CW_EMIT_STMT_H

#include "base/types.h"
#include "emit/emitter.h"

/* Edits a statement and those inside it; NULL is allowed. */
void cw_emit_stmt(cw_emitter *e, const cw_node *node);

#endif
