/* http.c - see http.h. */
#define _GNU_SOURCE
#include "http.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LINE_MAX_BYTES = 8192, LINES_MAX = 200 };

/* ---- addresses ---- */

/* Only what may stand in a request: nothing that ends its line. */
static bool is_clean(const char *text)
{
    for (; *text; text++)
        if (*text <= ' ' || *text >= 127)
            return false;
    return true;
}

static bool copy(char *to, size_t room, const char *from, size_t size)
{
    if (size >= room)
        return false;
    memcpy(to, from, size);
    to[size] = '\0';
    return true;
}

static bool set_target(struct url *url, const char *text)
{
    size_t size = strcspn(text, "#");
    url->target[0] = '/';
    if (size > 0 && text[0] == '/')
        return copy(url->target, sizeof url->target, text, size);
    return copy(url->target + 1, sizeof url->target - 1, text, size);
}

/* HOST, HOST:PORT, [ADDRESS]:PORT, then the rest. */
static bool set_host(struct url *url, const char *text)
{
    bool bracket = text[0] == '[';
    size_t size = bracket ? strcspn(++text, "]") : strcspn(text, ":/?#@");
    const char *after = text + size + (bracket && text[size]);
    size_t digits = *after == ':' ? strspn(after + 1, "0123456789") : 0;
    if (size == 0 || !copy(url->host, sizeof url->host, text, size))
        return false;
    snprintf(url->port, sizeof url->port, "%s", url->tls ? "443" : "80");
    if (*after == ':') {
        if (digits > 0 && !copy(url->port, sizeof url->port, after + 1, digits))
            return false;
        after += 1 + digits;
    }
    return (*after == '\0' || strchr("/?#", *after)) && set_target(url, after);
}

bool url_parse(struct url *url, const char *text, const struct url *from)
{
    struct url made = { .tls = from && from->tls };
    if (!is_clean(text))
        return false;
    bool whole = true;
    if (strncasecmp(text, "http://", 7) == 0)
        made.tls = false;
    else if (strncasecmp(text, "https://", 8) == 0)
        made.tls = true;
    else
        whole = false;
    if (whole || (from && strncmp(text, "//", 2) == 0)) {
        whole = set_host(&made, strstr(text, "//") + 2);
    } else if (from) {
        char target[2 * URL_MAX];
        const char *slash = strrchr(from->target, '/');
        int folder = text[0] == '/' ? 0 : (int)(slash - from->target) + 1;
        snprintf(target, sizeof target, "%.*s%s", folder, from->target, text);
        made = *from;
        whole = set_target(&made, target);
    }
    if (whole)
        *url = made;
    return whole;
}

/* ---- the request ---- */

pausable int http_ask(co4_conn *c, const struct url *url, off_t from, const char *validator,
                      int64_t deadline)
{
    bool address = strchr(url->host, ':'), usual = strcmp(url->port, url->tls ? "443" : "80") == 0;
    co4_conn_printf(c, "GET %s HTTP/1.1\r\nHost: %s%s%s%s%s\r\n", url->target, address ? "[" : "",
                    url->host, address ? "]" : "", usual ? "" : ":", usual ? "" : url->port);
    if (from > 0)
        co4_conn_printf(c, "Range: bytes=%lld-\r\nIf-Range: %s\r\n", (long long)from, validator);
    int n = co4_conn_printf(c, "Accept-Encoding: identity\r\nConnection: close\r\n\r\n");
    return n < 0 ? n : co4_conn_flush_until(c, deadline);
}

/* ---- the head ---- */

/* A line without its end. Returns its length, or a code. */
static pausable int read_line(co4_conn *c, char *line, int64_t deadline)
{
    char *text;
    ssize_t n = co4_conn_read_line_until(c, &text, LINE_MAX_BYTES - 1, deadline);
    if (n < 0)
        return n == -EMSGSIZE ? -EBADMSG : (int)n;
    if (n == 0 || text[n - 1] != '\n')
        return -ECONNRESET;
    n -= n > 1 && text[n - 2] == '\r' ? 2 : 1;
    memcpy(line, text, (size_t)n);
    line[n] = '\0';
    return (int)n;
}

/* A number of bytes. Returns -1 if it is none. */
static off_t number(const char *text, int base)
{
    size_t n = strspn(text, base == 16 ? "0123456789abcdefABCDEF" : "0123456789");
    if (n == 0 || n > 15 || (text[n] != '\0' && !strchr(" \t;", text[n])))
        return -1;
    return (off_t)strtoll(text, NULL, base);
}

static void read_range(struct head *h, const char *value)
{
    long long start, last, total;
    if (sscanf(value, "bytes %lld-%lld/%lld", &start, &last, &total) == 3 && start >= 0 &&
        last >= start && total > last) {
        h->start = (off_t)start;
        h->total = (off_t)total;
    }
}

/* One that is too long names no version. */
static void set_validator(struct head *h, const char *value)
{
    if (!copy(h->validator, sizeof h->validator, value, strlen(value)))
        h->validator[0] = '\0';
}

/* Returns false if the field makes the answer useless. */
static bool read_field(struct head *h, const char *name, const char *value)
{
    if (strcasecmp(name, "Content-Length") == 0) {
        off_t length = number(value, 10);
        if (length < 0 || (h->length >= 0 && h->length != length))
            return false;
        h->length = length;
    } else if (strcasecmp(name, "Transfer-Encoding") == 0) {
        h->chunked = strcasecmp(value, "chunked") == 0;
        return h->chunked; /* we have asked for no other one */
    } else if (strcasecmp(name, "Content-Range") == 0) {
        read_range(h, value);
    } else if (strcasecmp(name, "Retry-After") == 0 && number(value, 10) >= 0) {
        off_t seconds = number(value, 10);
        h->retry_after = (seconds < 3600 ? seconds : 3600) * CO4_SEC;
    } else if (strcasecmp(name, "Location") == 0) {
        return copy(h->location, sizeof h->location, value, strlen(value));
    } else if (strcasecmp(name, "ETag") == 0 && value[0] == '"') {
        set_validator(h, value);
    } else if (strcasecmp(name, "Last-Modified") == 0 && h->validator[0] == '\0') {
        set_validator(h, value);
    }
    return true;
}

static pausable int read_fields(co4_conn *c, struct head *h, int64_t deadline)
{
    char line[LINE_MAX_BYTES];
    for (int i = 0, n; i < LINES_MAX; i++) {
        if ((n = read_line(c, line, deadline)) <= 0)
            return n;
        char *value = strchr(line, ':');
        if (!value)
            return -EBADMSG;
        *value++ = '\0';
        value += strspn(value, " \t");
        for (char *end = value + strlen(value); end > value && strchr(" \t", end[-1]);)
            *--end = '\0';
        if (!read_field(h, line, value))
            return -EBADMSG;
    }
    return -EBADMSG;
}

pausable int http_read_head(co4_conn *c, struct head *h, int64_t deadline)
{
    char line[LINE_MAX_BYTES];
    int minor, n;
    do { /* an answer below 200 is followed by another one */
        *h = (struct head){ .length = -1, .start = -1, .total = -1 };
        if ((n = read_line(c, line, deadline)) < 0)
            return n;
        if (sscanf(line, "HTTP/1.%d %3d", &minor, &h->status) != 2 || h->status < 100)
            return -EBADMSG;
        if ((n = read_fields(c, h, deadline)) != 0)
            return n;
    } while (h->status < 200);
    return 0;
}

/* ---- the body ---- */

static pausable int next_chunk(struct body *b, int64_t deadline)
{
    char line[LINE_MAX_BYTES];
    int n;
    if (b->later && (n = read_line(b->c, line, deadline)) != 0)
        return n < 0 ? n : -EBADMSG;
    b->later = true;
    if ((n = read_line(b->c, line, deadline)) < 0)
        return n;
    if ((b->left = number(line, 16)) < 0)
        return -EBADMSG;
    if (b->left > 0)
        return 0;
    while ((n = read_line(b->c, line, deadline)) > 0) /* fields behind the body */
        ;
    return n;
}

pausable ssize_t http_body(struct body *b, const char **data, int64_t deadline)
{
    ssize_t n = b->chunked && b->left == 0 ? next_chunk(b, deadline) : 0;
    if (n < 0 || b->left == 0)
        return n;
    n = co4_conn_peek_until(b->c, data, 1, deadline);
    if (n == 0 && b->left > 0)
        return -ECONNRESET;
    return b->left > 0 && n > b->left ? (ssize_t)b->left : n;
}

void http_took(struct body *b, size_t bytes)
{
    co4_conn_skip(b->c, bytes);
    if (b->left > 0)
        b->left -= (off_t)bytes;
}
