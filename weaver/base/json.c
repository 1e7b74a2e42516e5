/* json.c - JSON strings.
 *
 * File names and identifiers may hold any bytes, but JSON is UTF-8. Each byte that is not part of a
 * valid UTF-8 character becomes U+FFFD. */
#include "base/json.h"

#include <stddef.h>

#include "base/buf.h"

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
