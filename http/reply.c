/* reply.c - requests of a client, as they are written, and what is asked of replies. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "client.h"

/* ---- requests ---- */

static bool is_named(const char *field, const char *name)
{
    size_t size = strlen(name);
    return strncasecmp(field, name, size) == 0 && field[size] == ':';
}

static bool is_one_of(const char *field, const char *const *names)
{
    for (; *names; names++)
        if (is_named(field, *names))
            return true;
    return false;
}

static bool is_field(const char *field)
{
    static const char *const own[] = { "Connection", "Content-Length", "Transfer-Encoding",
                                       "Expect", NULL };
    const char *value;
    size_t size;
    return co4__http_split(field, strlen(field), &value, &size) > 0 && !is_one_of(field, own);
}

bool co4__http_request_valid(const co4_http_request *r)
{
    if (!r || !r->url || (r->method && !co4__http_is_token(r->method)) ||
        (r->type && !co4__http_is_value(r->type)) ||
        (r->upgrade && !co4__http_is_token(r->upgrade)) || (!r->body && r->bytes > 0))
        return false;
    for (const char *const *f = r->fields; f && *f; f++)
        if (!is_field(*f))
            return false;
    return true;
}

bool co4__http_may_repeat(const co4_http_request *r)
{
    static const char *const harmless[] = { "GET", "HEAD", "OPTIONS", "PUT", "DELETE" };
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if (strcmp(r->method, harmless[i]) == 0)
            return true;
    return false;
}

int co4__http_put_request(co4_conn *c, const struct co4__http_url *url, const co4_http_request *r,
                          const char *agent, bool elsewhere)
{
    static const char *const of_first[] = { "Authorization", "Cookie", "Host", NULL };
    bool has_host = false, has_agent = !agent;
    co4_conn_printf(c, "%s %s HTTP/1.1\r\n", r->method, url->target);
    for (const char *const *f = r->fields; f && *f; f++) {
        if (elsewhere && is_one_of(*f, of_first))
            continue;
        has_host = has_host || is_named(*f, "Host");
        has_agent = has_agent || is_named(*f, "User-Agent");
        co4_conn_printf(c, "%s\r\n", *f);
    }
    if (!has_host)
        co4_conn_printf(c, "Host: %s\r\n", url->name);
    if (!has_agent)
        co4_conn_printf(c, "User-Agent: %s\r\n", agent);
    if (r->upgrade)
        co4_conn_printf(c, "Connection: Upgrade\r\nUpgrade: %s\r\n", r->upgrade);
    if (r->type)
        co4_conn_printf(c, "Content-Type: %s\r\n", r->type);
    /* A server may want to know that nothing comes. */
    if (r->bytes > 0 || (strcmp(r->method, "POST") == 0 || strcmp(r->method, "PUT") == 0))
        co4_conn_printf(c, "Content-Length: %zu\r\n", r->bytes);
    ssize_t n = co4_conn_put(c, "\r\n", 2);
    return n < 0 ? (int)n : CO4_OK;
}

/* ---- replies ---- */

/* Whether the next request may use the connection: the body has been read, and nothing is behind
 * it. */
static bool is_clean(const struct co4__http *h)
{
    return !h->closes && h->status != 101 && h->code == CO4_OK && h->framing == CO4__HTTP_NO_BODY &&
           co4_conn_buffered(h->c) == h->used;
}

void co4__http_reply_end(co4_http_reply *reply)
{
    struct co4__http *h = &reply->h;
    if (h->c && is_clean(h)) {
        co4_conn_skip(h->c, h->used);
        co4__http_put(reply->client, reply->server, h->c);
    } else if (h->c) {
        co4_conn_destroy(h->c);
    }
    h->c = NULL;
    if (reply->has_place)
        co4_sem_release(&reply->server->places);
    if (reply->has_one_of_all)
        co4_sem_release(&reply->client->all);
    reply->has_place = reply->has_one_of_all = false;
    if (reply->server)
        co4__http_server_leave(reply->client, reply->server);
    reply->server = NULL;
    co4__http_end(h);
}

co4_conn *co4_http_reply_take(co4_http_reply *reply)
{
    if (!reply || reply->h.status != 101)
        return NULL;
    co4_conn *c = reply->h.c;
    if (c)
        co4_conn_skip(c, reply->h.used);
    reply->h.c = NULL;
    return c;
}

void co4_http_reply_destroy(co4_http_reply *reply)
{
    if (!reply)
        return;
    co4__http_reply_end(reply);
    co4__http_client_leave(reply->client);
    free(reply->url);
    free(reply);
}

int co4_http_reply_status(const co4_http_reply *reply)
{
    return reply ? reply->h.status : 0;
}

const char *co4_http_reply_url(const co4_http_reply *reply)
{
    return reply ? reply->url->text : NULL;
}

const char *co4_http_reply_field(co4_http_reply *reply, const char *name)
{
    return reply && name ? co4__http_value(&reply->h, name).at : NULL;
}

const char *co4_http_reply_field_at(co4_http_reply *reply, size_t number, const char **value)
{
    return reply && value ? co4__http_value_at(&reply->h, number, value) : NULL;
}

int64_t co4_http_reply_length(const co4_http_reply *reply)
{
    return !reply || reply->h.has_coding || !reply->h.has_length ? -1 : reply->h.length;
}

co4_conn *co4_http_reply_conn(const co4_http_reply *reply)
{
    return reply ? reply->h.c : NULL;
}
