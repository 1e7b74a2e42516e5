/* json.h - JSON strings. */
#ifndef CW_BASE_JSON_H
#define CW_BASE_JSON_H

#include "base/buf.h"

/* Appends `text` in quotes. The result is valid JSON for any bytes. */
void cw_json_string(cw_buf *out, const char *text);
/* `"name":"value"`; null for NULL. */
void cw_json_member(cw_buf *out, const char *name, const char *value);

#endif
