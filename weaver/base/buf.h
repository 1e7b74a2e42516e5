/* buf.h - strings that grow, JSON strings, whole files. */
#ifndef CW_BASE_BUF_H
#define CW_BASE_BUF_H

#include <stdarg.h>

#include "base/types.h"

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

/* ---- JSON ---- */

/* Appends `text` in quotes. The result is valid JSON for any bytes. */
void cw_json_string(cw_buf *out, const char *text);
/* `"name":"value"`; null for NULL. */
void cw_json_member(cw_buf *out, const char *name, const char *value);

/* ---- whole files ---- */

/* Reads a regular file of at most `most` bytes. Returns false for all other files, without a
 * message. A FIFO or a device is not even opened: it may have no end, and what is read of it is
 * lost for the compiler. The text ends with a NUL, also if it is empty. */
bool cw_read_regular(const char *path, size_t most, cw_buf *text);
/* Appends what comes from a descriptor until its end, and a NUL behind it. Returns false, with
 * errno, if it cannot be read. */
bool cw_read_all(int fd, cw_buf *text);

#endif
