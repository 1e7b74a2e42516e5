/* json.h - strings as JSON has them. */
#ifndef CW_BASE_JSON_H
#define CW_BASE_JSON_H

#include "base/buf.h"

/* With its quotes; valid whatever bytes there are. */
void cw_json_string(cw_buf *out, const char *text);

#endif
