/* route.c - from a path to its handler, and what is asked of paths and queries.
 *
 * Routes are tried in their order, part by part; a part of the path is compared as it was sent.
 *
 * Rejected: a tree of all routes. Programs have tens of them, and each differs in its first
 * bytes. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "call.h"

static const char *const known[] = { "GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS" };

/* ---- patterns ---- */

static struct co4__http_text part_at(const char *at, const char *end)
{
    const char *slash = memchr(at, '/', (size_t)(end - at));
    return (struct co4__http_text){ at, (size_t)((slash ? slash : end) - at) };
}

/* Of "{name}" and "{name...}". `name.at` is NULL for another part. */
static struct co4__http_text name_of(struct co4__http_text part, bool *is_rest)
{
    struct co4__http_text none = { NULL, 0 };
    if (part.size < 2 || part.at[0] != '{' || part.at[part.size - 1] != '}')
        return none;
    part.at++;
    part.size -= 2;
    *is_rest = part.size >= 3 && memcmp(part.at + part.size - 3, "...", 3) == 0;
    if (*is_rest)
        part.size -= 3;
    return part;
}

/* Finds the names of a pattern that stand for parts of the path. Returns their number, -1 if the
 * path is another one. */
static int match(const char *pattern, struct co4__http_text path, struct co4__http_part *found)
{
    int n = 0;
    const char *at = pattern, *end = pattern + strlen(pattern);
    const char *in = path.at, *path_end = path.at + path.size;
    while (at < end && in < path_end && *at == '/' && *in == '/') {
        bool is_rest = false;
        struct co4__http_text want = part_at(at + 1, end), have = part_at(in + 1, path_end);
        struct co4__http_text name = name_of(want, &is_rest);
        if (is_rest)
            have.size = (size_t)(path_end - have.at);
        if (name.at ? !is_rest && have.size == 0
                    : want.size != have.size || memcmp(want.at, have.at, want.size) != 0)
            return -1;
        if (name.at)
            found[n++] = (struct co4__http_part){ name, have };
        at = want.at + want.size;
        in = have.at + have.size;
    }
    return at == end && in == path_end ? n : -1;
}

/* ---- mistakes in routes ---- */

/* Why a part of a path makes no sense, or NULL. */
static const char *wrong_part(struct co4__http_text part, bool is_last)
{
    bool is_rest = false;
    struct co4__http_text name = name_of(part, &is_rest);
    if (!name.at)
        return memchr(part.at, '{', part.size) || memchr(part.at, '}', part.size)
                   ? "a {name} is a whole part of the path"
                   : NULL;
    return name.size == 0                    ? "a name is missing in {}"
           : memchr(name.at, '{', name.size) ? "a brace is in a name"
           : is_rest && !is_last             ? "{name...} is the last part of a path"
                                             : NULL;
}

static const char *wrong_path(const char *path)
{
    int parts = 0;
    if (strcmp(path, "*") == 0)
        return NULL;
    const char *end = path + strlen(path), *why = NULL;
    if (path[0] != '/')
        return "a path begins with /";
    if (strpbrk(path, " ?#") || !co4__http_is_value(path))
        return "a character that no path has";
    for (const char *at = path; at < end && !why;) {
        struct co4__http_text part = part_at(at + 1, end);
        at = part.at + part.size;
        why = wrong_part(part, at == end);
        parts += memchr(part.at, '{', part.size) != NULL;
    }
    return why || parts <= CO4__HTTP_PARTS ? why : "too many names";
}

/* Methods are case-sensitive, and no client sends "get". */
static const char *wrong_method(const char *method)
{
    if (!co4__http_is_token(method))
        return "this is no method";
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcasecmp(method, known[i]) == 0 && strcmp(method, known[i]) != 0)
            return "methods are written in capitals";
    return NULL;
}

bool co4__http_routes_valid(const co4_http_route *routes)
{
    int number = 1;
    for (const co4_http_route *r = routes; r->path; r++, number++) {
        const char *why = wrong_path(r->path);
        if (!why && r->method)
            why = wrong_method(r->method);
        if (!why && !r->handler)
            why = "it has no handler";
        if (why) {
            fprintf(stderr, "co4_http_listen: route %d, %s %s: %s\n", number,
                    r->method ? r->method : "any method", r->path, why);
            return false;
        }
    }
    return true;
}

/* ---- the choice ---- */

static bool has_method(const co4_http_call *call, const co4_http_route *r)
{
    return !r->method || strcmp(r->method, co4_http_method(call)) == 0 ||
           (call->h.method == CO4__HTTP_HEAD && strcmp(r->method, "GET") == 0);
}

/* One that is not known may mean anything. */
static bool is_known(const char *method, const co4_http_route *routes)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(method, known[i]) == 0)
            return true;
    for (const co4_http_route *r = routes; r && r->path; r++)
        if (!r->method || strcmp(method, r->method) == 0)
            return true;
    return false;
}

/* So a handler is given all its names. */
static bool are_decodable(const struct co4__http_part *part, int n)
{
    for (int i = 0; i < n; i++)
        if (!co4__http_is_decodable(part[i].value))
            return false;
    return true;
}

static void allow(char *list, size_t room, const char *method)
{
    size_t used = strlen(list), size = strlen(method);
    const char *found = strstr(list, method);
    if (found && (found[size] == ',' || !found[size]) && (found == list || found[-1] == ' '))
        return;
    if (used + size + 3 < room) {
        memcpy(list + used, ", ", 3);
        memcpy(list + used + (used > 0 ? 2 : 0), method, size + 1);
    }
}

/* No route takes the request. Returns why; `Allow` is set where it has to be. */
static int refusal(co4_http_call *call, const co4_http_route *routes)
{
    struct co4__http_part parts[CO4__HTTP_PARTS];
    struct co4__http_text path = co4__http_text(&call->h, call->h.path);
    char list[256] = "";
    bool is_all = co4__http_is(path, "*"), is_there = is_all;
    if (!is_known(co4_http_method(call), routes)) {
        call->h.closes = true; /* such a request may be followed by something else */
        return 501;
    }
    for (const co4_http_route *r = routes; r->path; r++) {
        if (!is_all && match(r->path, path, parts) < 0)
            continue;
        is_there = true;
        if (r->method)
            allow(list, sizeof list, r->method);
        if (r->method && strcmp(r->method, "GET") == 0)
            allow(list, sizeof list, "HEAD");
    }
    if (!is_there)
        return 404;
    allow(list, sizeof list, "OPTIONS");
    return co4_http_set(call, "Allow", list) != CO4_OK ? 503
           : call->h.method == CO4__HTTP_OPTIONS       ? 204
                                                       : 405;
}

/* Notes what the names of a route stand for. Returns 0, or why there is no answer. */
static int take(co4_http_call *call, const co4_http_route *r, const struct co4__http_part *parts,
                int count)
{
    if (!are_decodable(parts, count))
        return 400;
    call->pattern = r->path;
    call->parts = count;
    size_t bytes = (size_t)count * sizeof *parts;
    if (count > 0 && !(call->part = (void *)co4__http_keep(&call->h, bytes)))
        return 503;
    if (count > 0)
        memcpy(call->part, parts, bytes);
    return 0;
}

const co4_http_route *co4__http_route_of(co4_http_call *call, const co4_http_route *routes,
                                         int *status)
{
    struct co4__http_part parts[CO4__HTTP_PARTS];
    struct co4__http_text path = co4__http_text(&call->h, call->h.path);
    for (const co4_http_route *r = routes; r->path; r++) {
        int n = path.at[0] == '/' ? match(r->path, path, parts) : -1;
        if (n >= 0 && has_method(call, r)) {
            *status = take(call, r, parts, n);
            return *status ? NULL : r;
        }
    }
    *status = refusal(call, routes);
    return NULL;
}

/* ---- what a handler asks for ---- */

struct co4__http_text co4__http_rest(const co4_http_call *call)
{
    size_t size = call->pattern ? strlen(call->pattern) : 0;
    if (call->parts > 0 && size > 4 && memcmp(call->pattern + size - 4, "...}", 4) == 0)
        return call->part[call->parts - 1].value;
    return (struct co4__http_text){ NULL, 0 };
}

static const char *decoded(co4_http_call *call, struct co4__http_text text, bool plus)
{
    char *to = co4__http_keep(&call->h, text.size + 1);
    return to && co4__http_decode(text, to, plus) >= 0 ? to : NULL;
}

const char *co4_http_param(co4_http_call *call, const char *name)
{
    for (int i = 0; call && name && i < call->parts; i++)
        if (co4__http_is(call->part[i].name, name))
            return decoded(call, call->part[i].value, false);
    static atomic_flag said = ATOMIC_FLAG_INIT;
    if (call && name && call->pattern && !atomic_flag_test_and_set(&said))
        fprintf(stderr, "co4_http_param: the route %s has no {%s}\n", call->pattern, name);
    return NULL;
}

const char *co4_http_query_param(co4_http_call *call, const char *name)
{
    const char *at = co4_http_query(call);
    while (at && name) {
        size_t size = strcspn(at, "&"), key = strcspn(at, "=&"), from = key < size ? key + 1 : size;
        if (co4__http_means((struct co4__http_text){ at, key }, name))
            return decoded(call, (struct co4__http_text){ at + from, size - from }, true);
        at = at[size] ? at + size + 1 : NULL;
    }
    return NULL;
}
