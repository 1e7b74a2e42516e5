/* buf.c - strings that grow. */
#include "base/buf.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bug.h"

static void buf_reserve(cw_buf *buf, size_t more)
{
    if (buf->room - buf->length > more)
        return;
    size_t room = buf->room == 0 ? 256 : buf->room;
    while (room - buf->length <= more)
        room *= 2;
    buf->data = cw_must(realloc(buf->data, room));
    buf->room = room;
}

void cw_put(cw_buf *buf, const char *text, size_t length)
{
    buf_reserve(buf, length);
    if (length > 0) /* an empty buffer's text is NULL */
        memcpy(buf->data + buf->length, text, length);
    buf->length += length;
    buf->data[buf->length] = '\0';
}

void cw_puts(cw_buf *buf, const char *text)
{
    cw_put(buf, text, strlen(text));
}

void cw_vprintf(cw_buf *buf, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    if (length < 0)
        cw_bug("text", "bad format '%s'", format);
    buf_reserve(buf, (size_t)length + 1);
    vsnprintf(buf->data + buf->length, (size_t)length + 1, format, again);
    va_end(again);
    buf->length += (size_t)length;
}

void cw_printf(cw_buf *buf, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    cw_vprintf(buf, format, args);
    va_end(args);
}

void cw_put_quoted(cw_buf *buf, const char *text)
{
    cw_puts(buf, "\"");
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            cw_puts(buf, "\\");
        cw_put(buf, *text == '\n' ? " " : text, 1);
    }
    cw_puts(buf, "\"");
}

void cw_buf_free(cw_buf *buf)
{
    free(buf->data);
    *buf = (cw_buf){ 0 };
}
