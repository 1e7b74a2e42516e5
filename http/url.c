/* url.c - see client.h: addresses of http and https, by RFC 3986. A byte above 127 is encoded; one
 * that could end a line, or a space, makes no address. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "client.h"

enum { MOST = 64 << 10 }; /* bytes of an address */

/* What is found in a text. */
struct parts {
    bool tls;
    const char *host, *port, *path, *query; /* not ended by a '\0'; query with its '?' */
    size_t host_size, port_size, path_size, query_size;
};

static size_t scheme_of(const char *text, bool *tls)
{
    *tls = strncasecmp(text, "https://", 8) == 0;
    return *tls ? 8 : strncasecmp(text, "http://", 7) == 0 ? 7 : 0;
}

/* A path with a query, up to a fragment. */
static void read_path(struct parts *p, const char *text)
{
    p->path = text;
    p->path_size = strcspn(text, "?#");
    p->query = text + p->path_size;
    p->query_size = strcspn(p->query, "#");
}

/* HOST, HOST:PORT, [ADDRESS]:PORT, then the rest. */
static bool read_host(struct parts *p, const char *text)
{
    bool bracket = text[0] == '[';
    p->host = bracket ? text + 1 : text;
    p->host_size = strcspn(p->host, bracket ? "]/?#@" : ":/?#@");
    const char *after = p->host + p->host_size;
    if (bracket && *after++ != ']')
        return false;
    for (size_t i = 0; i < p->host_size; i++)
        if ((unsigned char)p->host[i] > 127)
            return false;
    p->port = p->tls ? "443" : "80";
    p->port_size = strlen(p->port);
    if (*after == ':') {
        long port = strtol(after + 1, NULL, 10);
        size_t digits = strspn(after + 1, "0123456789");
        if (digits > 0 && (port < 1 || port > 65535))
            return false;
        if (digits > 0) {
            p->port = after + 1;
            p->port_size = digits;
        }
        after += 1 + digits;
    }
    read_path(p, after);
    return p->host_size > 0 && (*after == '\0' || strchr("/?#", *after));
}

static bool is_clean(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text <= ' ' || *text == 127)
            return false;
    return true;
}

/* ---- paths ---- */

/* Removes "." and ".." in place. The path begins with '/'. */
static size_t without_dots(char *path, size_t size)
{
    size_t n = 0;
    for (size_t at = 0; at < size;) {
        const char *slash = memchr(path + at + 1, '/', size - at - 1);
        size_t end = slash ? (size_t)(slash - path) : size, part = end - at;
        bool is_here = part == 2 && path[at + 1] == '.';
        bool is_above = part == 3 && path[at + 1] == '.' && path[at + 2] == '.';
        while (is_above && n > 0 && path[--n] != '/')
            ;
        if (!is_here && !is_above) {
            memmove(path + n, path + at, part);
            n += part;
        } else if (end == size) {
            path[n++] = '/';
        }
        at = end;
    }
    return n;
}

/* Makes the path: of `p`, or of the one that `from` has and this. */
static size_t put_path(char *to, const struct parts *p, const struct parts *from)
{
    size_t n = 0;
    bool is_whole = p->path_size > 0 && p->path[0] == '/';
    if (from && !is_whole) {
        n = from->path_size;
        if (p->path_size > 0)
            while (n > 0 && from->path[n - 1] != '/')
                n--;
        memcpy(to, from->path, n);
    }
    if (n == 0 && !is_whole)
        to[n++] = '/';
    memcpy(to + n, p->path, p->path_size);
    return without_dots(to, n + p->path_size);
}

/* Encodes what is above 127. */
static char *put_encoded(char *to, const char *from, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)from[i] > 127)
            to += sprintf(to, "%%%02X", (unsigned char)from[i]);
        else
            *to++ = from[i];
    return to;
}

/* ---- the whole ---- */

static char *put_lower(char *to, const char *from, size_t size)
{
    for (size_t i = 0; i < size; i++)
        *to++ = (char)(from[i] >= 'A' && from[i] <= 'Z' ? from[i] + 'a' - 'A' : from[i]);
    *to = '\0';
    return to + 1;
}

/* The texts, one behind the other. `room` is enough for the longest of them. */
static struct co4__http_url *put_together(const struct parts *p, const struct parts *from,
                                          size_t room)
{
    struct co4__http_url *url = malloc(sizeof *url + 8 * room);
    char *path = calloc(1, room);
    if (!url || !path) {
        free(url);
        free(path);
        return NULL;
    }
    bool is_address = memchr(p->host, ':', p->host_size);
    const char *usual = p->tls ? "443" : "80";
    bool is_usual = p->port_size == strlen(usual) && memcmp(p->port, usual, p->port_size) == 0;
    char *at = (char *)(url + 1);
    url->tls = p->tls;
    url->host = at;
    at = put_lower(at, p->host, p->host_size);
    url->port = at;
    at = put_lower(at, p->port, p->port_size);
    url->name = at;
    at += 1 + sprintf(at, is_address ? "[%s]" : "%s", url->host);
    if (!is_usual)
        at += sprintf(at - 1, ":%s", url->port);
    url->server = at;
    at += 1 + sprintf(at, "%s://%s", p->tls ? "https" : "http", url->name);
    url->target = at;
    at = put_encoded(at, path, put_path(path, p, from));
    const struct parts *asks = from && p->path_size == 0 && p->query_size == 0 ? from : p;
    at = put_encoded(at, asks->query, asks->query_size);
    *at++ = '\0';
    url->text = at;
    sprintf(at, "%s%s", url->server, url->target);
    free(path);
    return url;
}

int co4__http_url_make(struct co4__http_url **url, const char *text,
                       const struct co4__http_url *from)
{
    struct parts p = { .tls = from && from->tls }, base = { .tls = false };
    size_t size = strlen(text), scheme = scheme_of(text, &base.tls);
    *url = NULL;
    if (size > MOST || !is_clean(text) || (!from && scheme == 0))
        return co4__http_code(CO4_HTTP_EURL);
    if (from)
        read_host(&base, from->text + scheme_of(from->text, &base.tls));
    bool has_host = scheme > 0 || strncmp(text, "//", 2) == 0;
    if (scheme > 0)
        scheme_of(text, &p.tls);
    if (has_host) {
        if (!read_host(&p, text + (scheme > 0 ? scheme : 2)))
            return co4__http_code(CO4_HTTP_EURL);
    } else {
        size_t colon = strcspn(text, ":/?#");
        if (text[colon] == ':') /* another scheme */
            return co4__http_code(CO4_HTTP_EURL);
        p = base;
        read_path(&p, text);
    }
    size_t room = 3 * (size + (from ? strlen(from->text) : 0)) + 32;
    *url = put_together(&p, has_host ? NULL : &base, room);
    return *url ? CO4_OK : CO4_ENOMEM;
}

int co4_http_url_check(const char *url)
{
    struct co4__http_url *made;
    int err = url ? co4__http_url_make(&made, url, NULL) : CO4_EINVAL;
    if (err == CO4_OK)
        free(made);
    return err;
}
