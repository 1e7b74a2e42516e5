/* answer.c - heads of answers, and bodies in pieces. The date is made once a second. Nothing here
 * waits: output collects in the connection. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "call.h"

/* ---- the head ---- */

enum { HEAD = 1024 };  /* bytes of a head that is put at once; a longer one takes several calls */
enum { FIRST = 128 };  /* the first line, and the date */
enum { FRAMING = 96 }; /* the lines that say how the body ends */

/* Copies the first line and the date. Those of the last answer of this thread are kept. */
static char *add_first(char *to, int status)
{
    static _Thread_local struct {
        time_t second;
        int status;
        size_t size;
        char text[FIRST];
    } last;
    time_t second = time(NULL);
    if (second != last.second || status != last.status) {
        char date[32];
        struct tm tm;
        gmtime_r(&second, &tm);
        strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", &tm);
        last.second = second;
        last.status = status;
        last.size = (size_t)snprintf(last.text, FIRST, "HTTP/1.1 %d %s\r\nDate: %s\r\n", status,
                                     co4__http_reason(status), date);
    }
    memcpy(to, last.text, last.size);
    return to + last.size;
}

static char *add_bytes(char *to, const char *from, size_t size)
{
    if (size > 0)
        memcpy(to, from, size);
    return to + size;
}

#define ADD(to, literal) add_bytes(to, literal, sizeof(literal) - 1)

static char *add_number(char *to, int64_t n)
{
    char digits[24], *at = digits + sizeof digits;
    do
        *--at = (char)('0' + n % 10);
    while ((n /= 10) > 0);
    return add_bytes(to, at, (size_t)(digits + sizeof digits - at));
}

int co4__http_head(co4_http_call *call, int status, const char *type, int64_t length)
{
    struct co4__http *h = &call->h;
    char head[HEAD];
    bool has_none = status < 200 || status == 204 || status == 304;
    if (call->state != CO4__HTTP_NO_ANSWER)
        return CO4_ESTATE;
    if (status < 100 || status > 999 || (type && !co4__http_is_value(type)))
        return CO4_EINVAL;
    if (!h->begun)
        co4__http_ignore_body(h);
    call->chunked = length < 0 && !h->is_1_0 && !has_none;
    if (length < 0 && h->is_1_0 && !has_none)
        h->closes = true;
    char *at = add_first(head, status);
    if (h->closes && status != 101)
        at = ADD(at, "Connection: close\r\n");
    if (length >= 0 && !has_none)
        at = ADD(add_number(ADD(at, "Content-Length: "), length), "\r\n");
    else if (call->chunked)
        at = ADD(at, "Transfer-Encoding: chunked\r\n");
    size_t size = type ? strlen(type) : 0;
    if (type)
        at = ADD(at, "Content-Type: ");
    if (size + call->more.size > sizeof head - FIRST - FRAMING - 8) {
        co4_conn_put(h->c, head, (size_t)(at - head));
        co4_conn_put(h->c, type, size);
        co4_conn_put(h->c, type ? "\r\n" : "", type ? 2 : 0);
        co4_conn_put(h->c, call->more.at, call->more.size);
        at = head;
    } else {
        at = add_bytes(at, type, size);
        at = add_bytes(at, "\r\n", type ? 2 : 0);
        at = add_bytes(at, call->more.at, call->more.size);
    }
    at = ADD(at, "\r\n");
    ssize_t n = co4_conn_put(h->c, head, (size_t)(at - head));
    call->state = CO4__HTTP_BEGUN;
    call->status = status;
    call->length = length;
    call->quiet = has_none || h->method == CO4__HTTP_HEAD;
    return n < 0 ? (int)n : CO4_OK;
}

static bool is_own(const char *name)
{
    static const char *const own[] = { "Connection", "Content-Length", "Date",
                                       "Transfer-Encoding" };
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcasecmp(name, own[i]) == 0)
            return true;
    return false;
}

static int put_field(co4_http_call *call, const char *name, const char *value)
{
    size_t bytes = strlen(name) + strlen(value) + 4;
    if (call->more.size + bytes + 1 > call->more.room) {
        size_t room = 2 * call->more.room + bytes + 1;
        char *moved = realloc(call->more.at, room);
        if (!moved)
            return CO4_ENOMEM;
        call->more.at = moved;
        call->more.room = room;
    }
    char *at = call->more.at + call->more.size;
    stpcpy(stpcpy(stpcpy(stpcpy(at, name), ": "), value), "\r\n");
    call->more.size += bytes;
    return CO4_OK;
}

int co4_http_set(co4_http_call *call, const char *name, const char *value)
{
    if (!call || !name || !value || !co4__http_is_token(name) || !co4__http_is_value(value) ||
        is_own(name))
        return CO4_EINVAL;
    return call->state == CO4__HTTP_NO_ANSWER ? put_field(call, name, value) : CO4_ESTATE;
}

static bool has_word(struct co4__http_text list, const char *word)
{
    size_t size = strlen(word);
    while (list.size > 0) {
        size_t skip = strspn(list.at, " \t,"), here = strcspn(list.at + skip, " \t,");
        if (here == size && strncasecmp(list.at + skip, word, size) == 0)
            return true;
        list.at += skip + here;
        list.size -= skip + here;
    }
    return false;
}

co4_conn *co4_http_upgrade(co4_http_call *call, const char *protocol)
{
    size_t before = call ? call->more.size : 0;
    if (!call || !protocol || !co4__http_is_token(protocol) || call->state != CO4__HTTP_NO_ANSWER ||
        call->h.is_1_0 || call->h.framing != CO4__HTTP_NO_BODY ||
        !has_word(co4__http_value(&call->h, "Upgrade"), protocol) ||
        !has_word(co4__http_value(&call->h, "Connection"), "upgrade"))
        return NULL;
    if (put_field(call, "Connection", "Upgrade") != CO4_OK ||
        put_field(call, "Upgrade", protocol) != CO4_OK ||
        co4__http_head(call, 101, NULL, -1) != CO4_OK) {
        call->more.size = before; /* another answer may follow */
        return NULL;
    }
    call->state = CO4__HTTP_TAKEN;
    co4_conn_skip(call->h.c, call->h.used); /* the request: what comes is of the other protocol */
    call->h.used = 0;
    return call->h.c;
}

/* ---- the body ---- */

int co4_http_begin(co4_http_call *call, int status, const char *type, int64_t length)
{
    if (!call || length < -1 || status < 200)
        return CO4_EINVAL;
    return co4__http_head(call, status, type, length);
}

int co4_http_put(co4_http_call *call, const void *data, size_t bytes)
{
    char frame[24];
    if (!call || (!data && bytes > 0))
        return CO4_EINVAL;
    if (call->state != CO4__HTTP_BEGUN)
        return CO4_ESTATE;
    if (call->length >= 0 && bytes > (uint64_t)(call->length - call->bytes))
        return CO4_EINVAL;
    call->bytes += (int64_t)bytes;
    if (call->quiet || bytes == 0)
        return CO4_OK;
    if (call->chunked)
        co4_conn_put(call->h.c, frame, (size_t)snprintf(frame, sizeof frame, "%zx\r\n", bytes));
    ssize_t n = co4_conn_put(call->h.c, data, bytes);
    if (call->chunked)
        n = co4_conn_put(call->h.c, "\r\n", 2);
    return n < 0 ? (int)n : CO4_OK;
}

int co4_http_printf(co4_http_call *call, const char *format, ...)
{
    char small[512], *large = NULL;
    va_list args;
    if (!call || !format)
        return CO4_EINVAL;
    va_start(args, format);
    int n = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    if (n < 0)
        return CO4_EINVAL;
    if ((size_t)n >= sizeof small) {
        if (!(large = malloc((size_t)n + 1)))
            return CO4_ENOMEM;
        va_start(args, format);
        vsnprintf(large, (size_t)n + 1, format, args);
        va_end(args);
    }
    int err = co4_http_put(call, large ? large : small, (size_t)n);
    free(large);
    return err;
}

bool co4__http_end_body(co4_http_call *call)
{
    if (call->state != CO4__HTTP_BEGUN)
        return call->state == CO4__HTTP_ENDED;
    call->state = CO4__HTTP_ENDED;
    if (call->length >= 0)
        return call->quiet || call->bytes == call->length;
    if (call->chunked && !call->quiet)
        co4_conn_put(call->h.c, "0\r\n\r\n", 5);
    return true;
}

void co4__http_call_end(co4_http_call *call)
{
    free(call->more.at);
    call->more.at = NULL;
    call->more.size = call->more.room = 0;
    co4__http_end(&call->h);
}

/* ---- what a handler asks for ---- */

const char *co4_http_method(const co4_http_call *call)
{
    return call ? co4__http_text(&call->h, call->h.name).at : NULL;
}

const char *co4_http_path(const co4_http_call *call)
{
    return call ? co4__http_text(&call->h, call->h.path).at : NULL;
}

const char *co4_http_query(const co4_http_call *call)
{
    return call ? co4__http_text(&call->h, call->h.query).at : NULL;
}

const char *co4_http_field(co4_http_call *call, const char *name)
{
    return call && name ? co4__http_value(&call->h, name).at : NULL;
}

const char *co4_http_field_at(co4_http_call *call, size_t number, const char **value)
{
    return call && value ? co4__http_value_at(&call->h, number, value) : NULL;
}

int64_t co4_http_length(const co4_http_call *call)
{
    return !call ? 0 : call->h.has_coding ? -1 : call->h.length;
}

int co4_http_status(const co4_http_call *call)
{
    return call ? call->status : 0;
}

int64_t co4_http_bytes(const co4_http_call *call)
{
    return call && !call->quiet ? call->bytes : 0;
}

co4_conn *co4_http_conn(const co4_http_call *call)
{
    return call ? call->h.c : NULL;
}
