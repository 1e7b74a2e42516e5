/* tables.h - the description of a woven function. */
#ifndef CW_EMIT_TABLES_H
#define CW_EMIT_TABLES_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/types.h"

/* The number of entries of its table of points. */
unsigned cw_table_entries(const cw_func *func);
/* Has it a function for frames that are abandoned? */
bool cw_tables_unwind(const cw_func *func);
/* Writes f__func and its tables. `body`: the single body, for a shared resume entry; or NULL. */
void cw_tables_put(cw_unit *unit, const cw_func *func, const char *resume, const char *body,
                   cw_buf *out);

#endif
