/* server.c - what a handler is told, what it may write, and what wrong use gets.
 * needs: descriptors http
 * modes: woven forced
 * flags: -Wno-co4-blocking
 * expect: param: [a b] [rest/of it] [NULL]
 * expect: query: [1] [x y] [] [NULL] raw [a=1&b%3D=x+y&c]
 * expect: fields: [second] [NULL] Host=t x=first x=second
 * expect: body: 11 [hello there]
 * expect: body too large: 413, closed
 * expect: chunks: 200 chunked [one two 3]
 * expect: length: 200 3 [abc]
 * expect: too short: 200 5, ended with [abc]
 * expect: beyond the length: CO4_EINVAL, ends as it was [ab]
 * expect: nothing: 204
 * expect: number: 418
 * expect: code: 500
 * expect: code behind a beginning: ended with [a]
 * expect: twice: CO4_ESTATE
 * expect: wrong fields: CO4_EINVAL CO4_EINVAL CO4_EINVAL CO4_EINVAL CO4_EINVAL
 * expect: set: X-A: 1, X-B: two
 * expect: wrong statuses: CO4_EINVAL CO4_EINVAL CO4_EINVAL
 * expect: HEAD: 200 13, no body
 * expect: OPTIONS: 204, GET, HEAD, DELETE, OPTIONS
 * expect: any method: 200 [BREW]
 * expect: a method that none has: 501
 * expect: done: 29 calls
 * expect: co4_http_listen: route 1, GET : a path begins with /
 * expect: co4_http_listen: route 1, GET a: a path begins with /
 * expect: co4_http_listen: route 1, GET /{}: a name is missing in {}
 * expect: co4_http_listen: route 1, GET /{a...}/b: {name...} is the last part of a path
 * expect: co4_http_listen: route 1, GET /{a: a {name} is a whole part of the path
 * expect: co4_http_listen: route 1, GET /a}b: a {name} is a whole part of the path
 * expect: co4_http_listen: route 1, GET /a b: a character that no path has
 * expect: routes that make no sense: 7 of 7
 * expect: co4_http_listen: route 1, GET /: it has no handler
 * expect: co4_http_listen: route 2, G T /: this is no method
 * expect: co4_http_listen: route 1, get /: methods are written in capitals
 * expect: options that make no sense: 6 of 6
 * expect: served twice: CO4_ESTATE
 * expect: cancelled: CO4_ECANCELED */
#include "common.h"

#include <unistd.h>

static pausable int params(co4_http_call *call, void *arg)
{
    const char *none = co4_http_param(call, "none");
    (void)arg;
    printf("param: [%s] [%s] [%s]\n", co4_http_param(call, "one"), co4_http_param(call, "rest"),
           none ? none : "NULL");
    return CO4_OK;
}

static pausable int query(co4_http_call *call, void *arg)
{
    const char *none = co4_http_query_param(call, "d");
    (void)arg;
    printf("query: [%s] [%s] [%s] [%s] raw [%s]\n", co4_http_query_param(call, "a"),
           co4_http_query_param(call, "b="), co4_http_query_param(call, "c"), none ? none : "NULL",
           co4_http_query(call));
    return CO4_OK;
}

static pausable int fields(co4_http_call *call, void *arg)
{
    const char *name, *value;
    (void)arg;
    printf("fields: [%s] [%s]", co4_http_field(call, "y"),
           co4_http_field(call, "none") ? "?" : "NULL");
    for (size_t i = 0; (name = co4_http_field_at(call, i, &value)); i++)
        if (*name == 'x' || strcasecmp(name, "host") == 0)
            printf(" %s=%s", name, value);
    printf("\n");
    return CO4_OK;
}

static pausable int body(co4_http_call *call, void *arg)
{
    char *text;
    (void)arg;
    ssize_t n = co4_http_body(call, &text, 20);
    if (n >= 0)
        printf("body: %zd [%s]\n", n, text);
    return n < 0 ? (int)n : CO4_OK;
}

/* Each of these writes an answer in another way. */
static pausable int writes(co4_http_call *call, void *arg)
{
    const char *how = co4_http_param(call, "how");
    int err = CO4_OK;
    (void)arg;
    if (strcmp(how, "chunks") == 0) {
        co4_http_begin(call, 200, "text/plain", -1);
        co4_http_write(call, "one ", 4);
        co4_http_put(call, "two ", 4);
        co4_http_put(call, "", 0);
        return co4_http_printf(call, "%d", 3);
    }
    if (strcmp(how, "length") == 0) {
        co4_http_begin(call, 200, "text/plain", 3);
        return co4_http_write(call, "abc", 3);
    }
    if (strcmp(how, "short") == 0) {
        co4_http_begin(call, 200, "text/plain", 5);
        return co4_http_write(call, "abc", 3);
    }
    if (strcmp(how, "beyond") == 0) {
        co4_http_begin(call, 200, "text/plain", 2);
        printf("beyond the length: %s, ", co4_errname(co4_http_write(call, "abc", 3)));
        return co4_http_write(call, "ab", 2);
    }
    if (strcmp(how, "number") == 0)
        return 418;
    if (strcmp(how, "code") == 0)
        return -EIO;
    if (strcmp(how, "late") == 0) {
        co4_http_begin(call, 200, NULL, -1);
        co4_http_write(call, "a", 1);
        return CO4_ENOMEM;
    }
    if (strcmp(how, "twice") == 0) {
        err = co4_http_answer(call, 200, NULL, "a", 1);
        printf("twice: %s\n", co4_errname(co4_http_answer_status(call, 404)));
        return err;
    }
    if (strcmp(how, "wrong") == 0) {
        printf("wrong fields: %s %s %s %s %s\n", co4_errname(co4_http_set(call, "A B", "x")),
               co4_errname(co4_http_set(call, "A", "x\r\nB: y")),
               co4_errname(co4_http_set(call, "", "x")),
               co4_errname(co4_http_set(call, "content-length", "1")),
               co4_errname(co4_http_set(call, "A", " x")));
        return CO4_OK;
    }
    if (strcmp(how, "set") == 0) {
        co4_http_set(call, "X-A", "1");
        co4_http_set(call, "X-B", "two");
        return CO4_OK;
    }
    if (strcmp(how, "statuses") == 0) {
        printf("wrong statuses: %s %s %s\n", co4_errname(co4_http_answer(call, 99, NULL, "", 0)),
               co4_errname(co4_http_answer(call, 100, NULL, "", 0)),
               co4_errname(co4_http_redirect(call, 200, "/")));
        return CO4_OK;
    }
    return CO4_OK;
}

static pausable int large(co4_http_call *call, void *arg)
{
    (void)arg;
    return co4_http_answer(call, 200, "text/plain", "Hello, World!", 13);
}

static pausable int any(co4_http_call *call, void *arg)
{
    (void)arg;
    const char *method = co4_http_method(call);
    return co4_http_answer(call, 200, NULL, method, strlen(method));
}

static const co4_http_route routes[] = {
    { "GET", "/p/{one}/x/{rest...}", params, NULL },
    { "GET", "/query", query, NULL },
    { "GET", "/fields", fields, NULL },
    { "POST", "/body", body, NULL },
    { "GET", "/writes/{how}", writes, NULL },
    { "GET", "/large", large, NULL },
    { "DELETE", "/large", large, NULL },
    { NULL, "/any", any, NULL },
    { 0 },
};

/* ---- the peer ---- */

static int status_of(const char *answer)
{
    return (int)strtol(answer + strlen("HTTP/1.1 "), NULL, 10);
}

static const char *body_of(const char *answer)
{
    const char *end = strstr(answer, "\r\n\r\n");
    return end ? end + 4 : "no end";
}

static const char *field_of(const char *answer, const char *name)
{
    static char value[200];
    const char *found = strstr(answer, name);
    if (!found)
        return "none";
    found += strlen(name) + 2;
    snprintf(value, sizeof value, "%.*s", (int)strcspn(found, "\r"), found);
    return value;
}

static pausable char *get(co4_http_server *server, const char *method, const char *path)
{
    char text[512];
    snprintf(text, sizeof text, "%s %s HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n", method,
             path);
    return say(co4_http_port(server), text);
}

static pausable void quiet(co4_http_server *server, const char *path)
{
    free(get(server, "GET", path));
}

static pausable void bodies(co4_http_server *server)
{
    free(say(co4_http_port(server), "POST /body HTTP/1.1\r\nHost: t\r\nContent-Length: 11\r\n\r\n"
                                    "hello there"));
    char *a = say(co4_http_port(server), "POST /body HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: "
                                         "chunked\r\n\r\n15\r\n123456789012345678901\r\n0\r\n\r\n");
    printf("body too large: %d, %s\n", status_of(a),
           strcmp(field_of(a, "Connection"), "close") == 0 ? "closed" : "open");
    free(a);
}

static pausable void written(co4_http_server *server)
{
    char *a = get(server, "GET", "/writes/chunks");
    bool right = strcmp(body_of(a), "4\r\none \r\n4\r\ntwo \r\n1\r\n3\r\n0\r\n\r\n") == 0;
    printf("chunks: %d %s [%s]\n", status_of(a), field_of(a, "Transfer-Encoding"),
           right ? "one two 3" : body_of(a));
    free(a);
    a = get(server, "GET", "/writes/length");
    printf("length: %d %s [%s]\n", status_of(a), field_of(a, "Content-Length"), body_of(a));
    free(a);
    a = get(server, "GET", "/writes/short");
    printf("too short: %d %s, ended with [%s]\n", status_of(a), field_of(a, "Content-Length"),
           body_of(a));
    free(a);
    a = get(server, "GET", "/writes/beyond");
    printf("ends as it was [%s]\n", body_of(a));
    free(a);
    a = get(server, "GET", "/writes/nothing");
    printf("nothing: %d\n", status_of(a));
    free(a);
    a = get(server, "GET", "/writes/number");
    printf("number: %d\n", status_of(a));
    free(a);
    a = get(server, "GET", "/writes/code");
    printf("code: %d\n", status_of(a));
    free(a);
    a = get(server, "GET", "/writes/late");
    printf("code behind a beginning: ended with [%s]\n",
           strcmp(body_of(a), "1\r\na\r\n") == 0 ? "a" : body_of(a));
    free(a);
}

static pausable void misused(co4_http_server *server)
{
    quiet(server, "/writes/twice");
    quiet(server, "/writes/wrong");
    char *a = get(server, "GET", "/writes/set"), *copy = strdup(field_of(a, "X-A"));
    printf("set: X-A: %s, X-B: %s\n", copy, field_of(a, "X-B"));
    free(copy);
    free(a);
    quiet(server, "/writes/statuses");
}

static pausable void methods(co4_http_server *server)
{
    char *a = get(server, "HEAD", "/large");
    printf("HEAD: %d %s, %s\n", status_of(a), field_of(a, "Content-Length"),
           *body_of(a) ? "a body" : "no body");
    free(a);
    a = get(server, "OPTIONS", "/large");
    printf("OPTIONS: %d, %s\n", status_of(a), field_of(a, "Allow"));
    free(a);
    a = get(server, "BREW", "/any");
    printf("any method: %d [%s]\n", status_of(a), body_of(a));
    free(a);
}

static pausable void test(co4_http_client *client, co4_http_server *server)
{
    (void)client;
    quiet(server, "/p/a%20b/x/rest/of%20it");
    quiet(server, "/query?a=1&b%3D=x+y&c");
    free(say(co4_http_port(server), "GET /fields HTTP/1.1\r\nHost: t\r\nx: first\r\n"
                                    "Y:  second \r\nx:second\r\nConnection: close\r\n\r\n"));
    bodies(server);
    written(server);
    misused(server);
    methods(server);
    /* An empty path of a name, a name without its rest, and paths that are like others. */
    static const char *const none[] = { "/p//x/", "/p/a/x", "/p/a/y/", "/query/", "/Query", "/" };
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        char *a = get(server, "GET", none[i]);
        if (status_of(a) != 404)
            printf("%s: %d\n", none[i], status_of(a));
        free(a);
    }
    free(say(co4_http_port(server), "GET /large HTTP/1.1\r\nHost: t\r\n\r\nGET /large HTTP/1.1\r\n"
                                    "Host: t\r\n\r\nGET /large HTTP/1.1\r\nHost: t\r\n\r\n"));
}

static int calls;

static void count(const co4_http_call *call, void *arg)
{
    (void)arg;
    calls += co4_http_status(call) > 0;
}

static pausable void foreign(co4_http_client *client, co4_http_server *server)
{
    (void)client;
    char *a = get(server, "BREW", "/large");
    printf("a method that none has: %d\n", status_of(a));
    free(a);
}

/* ---- options ---- */

static pausable void wrong_options(void)
{
    static const char *const paths[] = { "", "a", "/{}", "/{a...}/b", "/{a", "/a}b", "/a b" };
    int refused = 0;
    co4_http_server *s;
    fflush(stdout);
    setvbuf(stdout, NULL, _IOLBF, 0);
    dup2(STDOUT_FILENO, STDERR_FILENO); /* what is said of them is looked at */
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        const co4_http_route one[] = { { "GET", paths[i], large, NULL }, { 0 } };
        refused += co4_http_listen(&s, &(co4_http_options){ .routes = one }) == CO4_EINVAL && !s;
    }
    printf("routes that make no sense: %d of 7\n", refused);
    const co4_http_route no_handler[] = { { "GET", "/", NULL, NULL }, { 0 } };
    const co4_http_route no_method[] = { { NULL, "/*", large, NULL },
                                         { "G T", "/", large, NULL },
                                         { 0 } };
    const co4_http_route small[] = { { "get", "/", large, NULL }, { 0 } };
    const co4_http_options wrong[] = { { .routes = no_handler },
                                       { .routes = no_method },
                                       { .routes = small },
                                       { .routes = routes, .connections = -1 },
                                       { .routes = routes, .grace = -1 },
                                       { .routes = routes, .flags = 128 } };
    refused = 0;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        refused += co4_http_listen(&s, &wrong[i]) == CO4_EINVAL && !s;
    printf("options that make no sense: %d of 6\n", refused);
}

static pausable void twice(void)
{
    co4_http_server *s;
    if (co4_http_listen(&s, &(co4_http_options){ .routes = routes }) != CO4_OK)
        return;
    co4_http_stop(s);
    co4_http_serve(s);
    printf("served twice: %s\n", co4_errname(co4_http_serve(s)));
    co4_http_server_destroy(s);
    if (co4_http_listen(&s, &(co4_http_options){ .routes = routes }) != CO4_OK)
        return;
    co4_task *t = co4_spawn(co4_http_serve(s));
    int code = 0;
    co4_yield();
    co4_task_cancel(t, 0);
    co4_join(t, &code);
    printf("cancelled: %s\n", co4_errname(code));
    co4_http_server_destroy(s);
}

static pausable int all(void)
{
    const co4_http_options o = { .routes = routes, .done = count };
    int err = beside(&o, NULL, test);
    const co4_http_route few[] = { { "GET", "/large", large, NULL }, { 0 } };
    if (err == CO4_OK)
        err = beside(&(co4_http_options){ .routes = few }, NULL, foreign);
    printf("done: %d calls\n", calls);
    wrong_options();
    twice();
    return err;
}

int main(void)
{
    return co4_run(all()) == CO4_OK ? 0 : 1;
}
