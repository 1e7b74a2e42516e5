/* options.c - servers, what they say of themselves, and what a client says to them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* ---- servers ---- */

static void free_server(struct co4__nats_server *s)
{
    free(s->host);
    free(s->port);
    free(s->user);
    free(s->password);
}

static int value_of(char digit)
{
    return digit >= '0' && digit <= '9'   ? digit - '0'
           : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10
           : digit >= 'A' && digit <= 'F' ? digit - 'A' + 10
                                          : -1;
}

/* Returns a copy in which codes such as %41 are replaced by their characters. */
static char *decode(const char *from, size_t bytes)
{
    char *copy = malloc(bytes + 1), *to = copy;
    for (size_t i = 0; copy && i < bytes; i++) {
        bool is_code = from[i] == '%' && i + 2 < bytes && value_of(from[i + 1]) >= 0 &&
                       value_of(from[i + 2]) >= 0;
        *to++ = is_code ? (char)(16 * value_of(from[i + 1]) + value_of(from[i + 2])) : from[i];
        i += is_code ? 2 : 0;
    }
    if (copy)
        *to = '\0';
    return copy;
}

static bool starts_with(const char **text, const char *start)
{
    size_t bytes = strlen(start);
    if (strncmp(*text, start, bytes) != 0)
        return false;
    *text += bytes;
    return true;
}

/* Reads [user[:password]@]. Returns the position behind it. */
static const char *read_user(struct co4__nats_server *s, const char *url, const char *end,
                             bool *lacks)
{
    const char *at = NULL;
    for (const char *p = url; p < end; p++)
        at = *p == '@' ? p : at;
    if (!at)
        return url;
    const char *colon = memchr(url, ':', (size_t)(at - url));
    s->user = decode(url, (size_t)((colon ? colon : at) - url));
    if (colon)
        s->password = decode(colon + 1, (size_t)(at - colon - 1));
    *lacks = !s->user || (colon && !s->password);
    return at + 1;
}

/* Reads host[:port]; an address of IPv6 is in brackets. */
static bool read_address(struct co4__nats_server *s, const char *at, const char *end)
{
    const char *host = at, *stop = end, *port = NULL;
    if (at >= end)
        return false;
    if (*at == '[') {
        host = at + 1;
        stop = memchr(at, ']', (size_t)(end - at));
        if (!stop || (stop + 1 < end && stop[1] != ':'))
            return false;
        port = stop + 1 < end ? stop + 2 : NULL;
    } else {
        const char *colon = memchr(at, ':', (size_t)(end - at));
        stop = colon ? colon : end;
        port = colon ? colon + 1 : NULL;
    }
    long number = port ? 0 : 4222;
    for (; port && port < end && number <= 65535; port++) {
        if (*port < '0' || *port > '9')
            return false;
        number = 10 * number + (*port - '0');
    }
    for (const char *p = host; p < stop; p++)
        if ((unsigned char)*p <= ' ' || *p == '/' || *p == ',')
            return false;
    if (stop == host || number < 1 || number > 65535)
        return false;
    s->host = decode(host, (size_t)(stop - host));
    s->port = malloc(8);
    if (s->port)
        snprintf(s->port, 8, "%ld", number);
    return true;
}

static bool is_known(const struct co4__nats_servers *s, const struct co4__nats_server *one)
{
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(s->all[i].host, one->host) == 0 && strcmp(s->all[i].port, one->port) == 0)
            return true;
    return false;
}

int co4__nats_servers_add(struct co4__nats_servers *s, const char *url, bool learned)
{
    struct co4__nats_server one = { .learned = learned };
    if (starts_with(&url, "tls://"))
        one.tls = true;
    else if (!starts_with(&url, "nats://") && strstr(url, "://"))
        return CO4_EINVAL;
    const char *end = url + strlen(url);
    while (end > url && end[-1] == '/')
        end--;
    bool lacks_user = false;
    url = read_user(&one, url, end, &lacks_user);
    if (!read_address(&one, url, end)) {
        free_server(&one);
        return CO4_EINVAL;
    }
    bool lacks = lacks_user || !one.host || !one.port;
    if (!lacks && s->count == s->room) {
        size_t room = s->room ? 2 * s->room : 4;
        struct co4__nats_server *more = realloc(s->all, room * sizeof *more);
        lacks = !more;
        s->all = more ? more : s->all;
        s->room = more ? room : s->room;
    }
    if (lacks || is_known(s, &one)) {
        free_server(&one);
        return lacks ? CO4_ENOMEM : CO4_OK;
    }
    s->all[s->count++] = one;
    return CO4_OK;
}

void co4__nats_servers_free(struct co4__nats_servers *s)
{
    for (size_t i = 0; i < s->count; i++)
        free_server(&s->all[i]);
    free(s->all);
    *s = (struct co4__nats_servers){ 0 };
}

/* ---- INFO ---- */

void co4__nats_address(const struct co4__nats_server *s, char *text, size_t room)
{
    bool colons = strchr(s->host, ':') != NULL;
    snprintf(text, room, "%s%s%s:%s", colons ? "[" : "", s->host, colons ? "]" : "", s->port);
}

static bool is_listed(const struct co4__nats_server *s, const json_t *urls)
{
    const json_t *value;
    char text[300];
    size_t i;
    co4__nats_address(s, text, sizeof text);
    json_array_foreach(urls, i, value) if (json_is_string(value) &&
                                           strcmp(json_string_value(value), text) == 0) return true;
    return false;
}

/* Removes the learned servers that are not listed any more, except the one that is used. A server
 * that lists none does not know of others, so this removes none then. */
static void forget(struct co4__nats_servers *servers, const json_t *urls)
{
    size_t to = 0, current = servers->current;
    if (json_array_size(urls) == 0)
        return;
    for (size_t i = 0; i < servers->count; i++) {
        struct co4__nats_server *s = &servers->all[i];
        if (s->learned && i != current && !is_listed(s, urls)) {
            free_server(s);
            continue;
        }
        if (i == current)
            servers->current = to;
        servers->all[to++] = *s;
    }
    servers->count = to;
}

int co4__nats_info_read(struct co4__nats_info *info, const char *json, size_t bytes,
                        struct co4__nats_servers *servers, bool tls)
{
    json_t *all = json_loadb(json, bytes, JSON_DISABLE_EOF_CHECK, NULL);
    if (!json_is_object(all)) {
        json_decref(all);
        return CO4_NATS_EPROTOCOL;
    }
    json_t *value, *urls = json_object_get(all, "connect_urls");
    size_t i;
    int err = CO4_OK;
    co4__nats_info_free(info);
    if ((value = json_object_get(all, "nonce")) != NULL && json_is_string(value)) {
        info->nonce = strdup(json_string_value(value));
        err = info->nonce ? CO4_OK : CO4_ENOMEM;
    }
    value = json_object_get(all, "max_payload");
    info->max_payload = json_is_integer(value) && json_integer_value(value) > 0
                            ? (size_t)json_integer_value(value)
                            : 1u << 20;
    info->headers = json_is_true(json_object_get(all, "headers"));
    info->tls_required = json_is_true(json_object_get(all, "tls_required"));
    info->lame_duck = json_is_true(json_object_get(all, "ldm"));
    json_array_foreach(urls, i, value) if (json_is_string(value) && err == CO4_OK)
    {
        char url[300];
        snprintf(url, sizeof url, "%s://%s", tls ? "tls" : "nats", json_string_value(value));
        if (co4__nats_servers_add(servers, url, true) == CO4_ENOMEM)
            err = CO4_ENOMEM;
    }
    if (err == CO4_OK)
        forget(servers, urls);
    json_decref(all);
    return err;
}

void co4__nats_info_free(struct co4__nats_info *info)
{
    free(info->nonce);
    *info = (struct co4__nats_info){ 0 };
}

/* ---- CONNECT ---- */

void co4__nats_put(json_t *object, const char *name, json_t *value, int *err)
{
    if (json_object_set_new(object, name, value) != 0 && *err == CO4_OK)
        *err = CO4_ENOMEM;
}

void co4__nats_put_text(json_t *object, const char *name, const char *text, int *err)
{
    json_t *value = text ? json_string(text) : NULL;
    if (text && !value && *err == CO4_OK) {
        json_t *any = json_string_nocheck(text);
        *err = any ? CO4_EINVAL : CO4_ENOMEM;
        json_decref(any);
    }
    if (value)
        co4__nats_put(object, name, value, err);
}

char *co4__nats_text_of(json_t *object, int *err)
{
    char *text = *err == CO4_OK ? json_dumps(object, JSON_COMPACT) : NULL;
    json_decref(object);
    if (!text && *err == CO4_OK)
        *err = CO4_ENOMEM;
    return text;
}

static int set_credentials(json_t *o, const char *file, const char *nonce)
{
    struct co4__nats_user user;
    int err = co4__nats_credentials(file, nonce ? nonce : "", &user);
    if (err == CO4_OK) {
        co4__nats_put_text(o, "jwt", user.jwt, &err);
        co4__nats_put_text(o, "nkey", user.nkey, &err);
        co4__nats_put_text(o, "sig", user.signature, &err);
    }
    co4__nats_user_free(&user);
    return err;
}

/* Returns the server whose address has the user for this one. A learned server is of the same
 * cluster as the given ones, and accepts their user. */
static const struct co4__nats_server *user_of(const struct co4_nats *c,
                                              const struct co4__nats_server *server)
{
    const co4_nats_options *o = &c->options;
    if (!server->learned || o->user || o->token || o->credentials)
        return server;
    for (size_t i = 0; i < c->servers.count; i++)
        if (c->servers.all[i].user)
            return &c->servers.all[i];
    return server;
}

char *co4__nats_connect_line(const struct co4_nats *c, const struct co4__nats_server *server,
                             const struct co4__nats_info *info, int *code)
{
    const co4_nats_options *o = &c->options;
    json_t *all = json_object();
    *code = CO4_OK;
    bool tls = server->tls || info->tls_required;
    server = user_of(c, server);
    co4__nats_put(all, "verbose", json_false(), code);
    co4__nats_put(all, "pedantic", json_false(), code);
    co4__nats_put(all, "tls_required", json_boolean(tls), code);
    co4__nats_put(all, "headers", json_boolean(info->headers), code);
    co4__nats_put(all, "no_responders", json_boolean(info->headers), code);
    co4__nats_put(all, "echo", json_boolean(!o->no_echo), code);
    co4__nats_put(all, "protocol", json_integer(1), code);
    co4__nats_put_text(all, "lang", "c", code);
    co4__nats_put_text(all, "version", "co4", code);
    co4__nats_put_text(all, "name", o->name, code);
    co4__nats_put_text(all, "user", server->user && server->password ? server->user : o->user,
                       code);
    co4__nats_put_text(all, "pass", server->password ? server->password : o->password, code);
    co4__nats_put_text(all, "auth_token",
                       server->user && !server->password ? server->user : o->token, code);
    if (o->credentials && *code == CO4_OK)
        *code = set_credentials(all, o->credentials, info->nonce);
    char *text = co4__nats_text_of(all, code), *line = NULL;
    if (text) {
        size_t bytes = strlen(text) + 32;
        line = malloc(bytes);
        if (line)
            snprintf(line, bytes, "CONNECT %s\r\nPING\r\n", text);
    }
    free(text);
    if (!line && *code == CO4_OK)
        *code = CO4_ENOMEM;
    return line;
}
