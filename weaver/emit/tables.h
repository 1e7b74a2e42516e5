/* tables.h - the description of a woven function. */
#ifndef CW_EMIT_TABLES_H
#define CW_EMIT_TABLES_H

#include "base/buf.h"
#include "base/types.h"

/* Writes f__func and its tables. */
void cw_tables_put(cw_unit *unit, const cw_func *func, cw_buf *out);

#endif
