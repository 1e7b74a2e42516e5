/* message.c - see http.h: what is asked of a message whose head is there, and its memory. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "http.h"

#include "co4/time.h"

/* ---- limits ---- */

void co4__http_set_limits(co4_http_limits *to, const co4_http_limits *from)
{
    *to = *from;
#define OTHERWISE(field, value) to->field = to->field > 0 ? to->field : (value)
    OTHERWISE(line, 8192);
    OTHERWISE(field, 8192);
    OTHERWISE(fields, 100);
    OTHERWISE(head, 32768);
    OTHERWISE(chunk, 256);
    OTHERWISE(extra, 8192);
    OTHERWISE(body, INT64_C(1) << 30);
    OTHERWISE(idle, 60 * CO4_SEC);
    OTHERWISE(progress, 20 * CO4_SEC);
#undef OTHERWISE
}

const char *co4__http_reason(int status)
{
    static const struct {
        int status;
        const char *text;
    } reasons[] = {
        { 101, "Switching Protocols" },
        { 200, "OK" },
        { 201, "Created" },
        { 202, "Accepted" },
        { 204, "No Content" },
        { 206, "Partial Content" },
        { 301, "Moved Permanently" },
        { 302, "Found" },
        { 303, "See Other" },
        { 304, "Not Modified" },
        { 307, "Temporary Redirect" },
        { 308, "Permanent Redirect" },
        { 400, "Bad Request" },
        { 401, "Unauthorized" },
        { 403, "Forbidden" },
        { 404, "Not Found" },
        { 405, "Method Not Allowed" },
        { 406, "Not Acceptable" },
        { 408, "Request Timeout" },
        { 409, "Conflict" },
        { 410, "Gone" },
        { 411, "Length Required" },
        { 412, "Precondition Failed" },
        { 413, "Content Too Large" },
        { 414, "URI Too Long" },
        { 415, "Unsupported Media Type" },
        { 416, "Range Not Satisfiable" },
        { 417, "Expectation Failed" },
        { 422, "Unprocessable Content" },
        { 426, "Upgrade Required" },
        { 429, "Too Many Requests" },
        { 431, "Request Header Fields Too Large" },
        { 500, "Internal Server Error" },
        { 501, "Not Implemented" },
        { 502, "Bad Gateway" },
        { 503, "Service Unavailable" },
        { 504, "Gateway Timeout" },
        { 505, "HTTP Version Not Supported" },
    };
    size_t low = 0, high = sizeof reasons / sizeof *reasons;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (reasons[middle].status == status)
            return reasons[middle].text;
        if (reasons[middle].status < status)
            low = middle + 1;
        else
            high = middle;
    }
    return "Unknown";
}

/* ---- memory ---- */

char *co4__http_keep(struct co4__http *h, size_t bytes)
{
    struct co4__http_kept *k = bytes < SIZE_MAX - sizeof *k ? malloc(sizeof *k + bytes) : NULL;
    if (!k)
        return NULL;
    k->next = h->kept;
    h->kept = k;
    return k->bytes;
}

bool co4__http_keep_head(struct co4__http *h)
{
    char *copy = co4__http_keep(h, h->at);
    if (!copy)
        return false;
    memcpy(copy, h->in, h->at);
    h->in = copy;
    return true;
}

void co4__http_end(struct co4__http *h)
{
    while (h->kept) {
        struct co4__http_kept *k = h->kept;
        h->kept = k->next;
        free(k);
    }
}

/* ---- texts ---- */

bool co4__http_is(struct co4__http_text text, const char *word)
{
    size_t size = strlen(word);
    return text.size == size && memcmp(text.at, word, size) == 0;
}

static int hex(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Takes a byte out of *text. Returns it; -1 for what cannot be decoded, or is a '\0'. */
static int decode_byte(struct co4__http_text *text, bool plus)
{
    char c = *text->at;
    size_t size = 1;
    if (c == '%') {
        int high = text->size > 2 ? hex(text->at[1]) : -1;
        int low = high >= 0 ? hex(text->at[2]) : -1;
        if (low < 0)
            return -1;
        c = (char)(high * 16 + low);
        size = 3;
    } else if (c == '+' && plus) {
        c = ' ';
    }
    text->at += size;
    text->size -= size;
    return c == '\0' ? -1 : (unsigned char)c;
}

ssize_t co4__http_decode(struct co4__http_text text, char *to, bool plus)
{
    char *at = to;
    while (text.size > 0) {
        int c = decode_byte(&text, plus);
        if (c < 0)
            return -1;
        *at++ = (char)c;
    }
    *at = '\0';
    return at - to;
}

bool co4__http_is_decodable(struct co4__http_text text)
{
    while (text.size > 0)
        if (decode_byte(&text, false) < 0)
            return false;
    return true;
}

bool co4__http_means(struct co4__http_text text, const char *word)
{
    while (text.size > 0)
        if (decode_byte(&text, true) != (unsigned char)*word++) /* its '\0' is no such byte */
            return false;
    return *word == '\0';
}

/* ---- bodies ---- */

void co4__http_ignore_body(struct co4__http *h)
{
    if (h->expects || h->framing == CO4__HTTP_CHUNKED || h->left > CO4__HTTP_DRAINED)
        h->closes = true;
    h->expects = false; /* "100 Continue" would be a part of the answer */
}

/* ---- fields ---- */

/* Puts the names and values of all fields behind each other, each ended by a '\0': with the ends of
 * lines and the colons there is room for that. Each line was a field when it was parsed. From here
 * on nothing parses the head again. */
static void pack_fields(struct co4__http *h)
{
    char *at = h->in + h->first, *to = at;
    for (uint32_t i = 1; i < h->lines; i++) {
        const char *value;
        size_t size;
        char *end = memchr(at, '\n', (size_t)(h->in + h->at - at));
        size_t name = co4__http_split(at, (size_t)(end - at) - (end[-1] == '\r'), &value, &size);
        memmove(to, at, name);
        to[name] = '\0';
        to += name + 1;
        memmove(to, value, size);
        to[size] = '\0';
        to += size + 1;
        at = end + 1;
    }
    h->is_packed = true;
    h->field = 0;
    h->field_at = h->first;
}

const char *co4__http_value_at(struct co4__http *h, size_t number, const char **value)
{
    if (number + 1 >= h->lines)
        return NULL;
    if (!h->is_packed)
        pack_fields(h);
    if (number < h->field) {
        h->field = 0;
        h->field_at = h->first;
    }
    const char *name = h->in + h->field_at;
    *value = name + strlen(name) + 1;
    for (; h->field < number; h->field++) {
        name = *value + strlen(*value) + 1;
        *value = name + strlen(name) + 1;
    }
    h->field_at = (uint32_t)(name - h->in);
    return name;
}

struct co4__http_text co4__http_value(struct co4__http *h, const char *name)
{
    const char *here, *value;
    for (size_t i = 0; (here = co4__http_value_at(h, i, &value)); i++)
        if (strcasecmp(here, name) == 0)
            return (struct co4__http_text){ value, strlen(value) };
    return (struct co4__http_text){ NULL, 0 };
}
