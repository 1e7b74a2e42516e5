/* buf.c - strings that grow, JSON strings, whole files. */
#include "base/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* ---- JSON strings ----
 *
 * File names and identifiers may hold any bytes, but JSON is UTF-8. Each byte that is not part of a
 * valid UTF-8 character becomes U+FFFD. */

/* Length in bytes of the UTF-8 character at `text`. Returns 0 if the bytes are not valid UTF-8:
 * overlong forms and surrogates are invalid. */
static size_t utf8_length(const unsigned char *text)
{
    unsigned char c = text[0], low = 0x80, high = 0xBF;
    size_t length;
    if (c < 0x80)
        return 1;
    if (c >= 0xC2 && c <= 0xDF) {
        length = 2;
    } else if (c >= 0xE0 && c <= 0xEF) {
        length = 3;
        low = c == 0xE0 ? 0xA0 : low;
        high = c == 0xED ? 0x9F : high;
    } else if (c >= 0xF0 && c <= 0xF4) {
        length = 4;
        low = c == 0xF0 ? 0x90 : low;
        high = c == 0xF4 ? 0x8F : high;
    } else {
        return 0;
    }
    if (text[1] < low || text[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++)
        if (text[i] < 0x80 || text[i] > 0xBF)
            return 0;
    return length;
}

void cw_json_string(cw_buf *out, const char *text)
{
    cw_puts(out, "\"");
    while (*text != '\0') {
        unsigned char c = (unsigned char)*text;
        size_t length = utf8_length((const unsigned char *)text);
        if (length == 0)
            cw_puts(out, "\\ufffd");
        else if (c == '"' || c == '\\')
            cw_printf(out, "\\%c", c);
        else if (c < 0x20 || c == 0x7F)
            cw_printf(out, "\\u%04x", c);
        else
            cw_put(out, text, length);
        text += length > 0 ? length : 1;
    }
    cw_puts(out, "\"");
}

void cw_json_member(cw_buf *out, const char *name, const char *value)
{
    cw_printf(out, "\"%s\":", name);
    if (value != NULL)
        cw_json_string(out, value);
    else
        cw_puts(out, "null");
}

/* ---- whole files ---- */

static bool is_regular(const struct stat *file, size_t most)
{
    return S_ISREG(file->st_mode) && file->st_size >= 0 && (size_t)file->st_size <= most;
}

bool cw_read_regular(const char *path, size_t most, cw_buf *text)
{
    struct stat file;
    if (stat(path, &file) != 0 || !is_regular(&file, most))
        return false;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* it may be another file by now */
    bool ok = fd >= 0 && fstat(fd, &file) == 0 && is_regular(&file, most);
    if (ok) {
        text->room = (size_t)file.st_size + 1;
        text->data = malloc(text->room);
        ok = text->data != NULL;
    }
    while (ok && text->length < text->room - 1) {
        ssize_t got = read(fd, text->data + text->length, text->room - 1 - text->length);
        ok = got > 0;
        text->length += ok ? (size_t)got : 0;
    }
    if (ok)
        text->data[text->length] = '\0';
    if (fd >= 0)
        close(fd);
    return ok;
}

bool cw_read_all(int fd, cw_buf *text)
{
    char bytes[16384];
    ssize_t got;
    cw_puts(text, "");
    while ((got = read(fd, bytes, sizeof bytes)) > 0 || (got < 0 && errno == EINTR))
        if (got > 0)
            cw_put(text, bytes, (size_t)got);
    return got == 0;
}
