/* buf.h - strings that grow. */
#ifndef CW_BASE_BUF_H
#define CW_BASE_BUF_H

#include <stdarg.h>
#include <stddef.h>

#include "base/format.h"

typedef struct cw_buf {
    char *data; /* malloc'd, NUL-terminated once non-empty */
    size_t length, room;
} cw_buf;

void cw_put(cw_buf *buf, const char *text, size_t length);
void cw_puts(cw_buf *buf, const char *text);
void cw_printf(cw_buf *buf, const char *format, ...) CW_PRINTF(2, 3);
void cw_vprintf(cw_buf *buf, const char *format, va_list args) CW_PRINTF(2, 0);
/* Text in the quotes of a string of C, or of dot; a newline becomes a blank. */
void cw_put_quoted(cw_buf *buf, const char *text);
void cw_buf_free(cw_buf *buf);

#endif
