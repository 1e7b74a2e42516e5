/* client.c - redirects, connections that are kept, limits, and addresses.
 * needs: descriptors http
 * modes: woven forced
 * flags: -Wno-co4-blocking
 * expect: one connection for 20 requests: 1
 * expect: a body that is not read costs one: 2
 * expect: none is kept: 5 connections for 5 requests
 * expect: two at once: 2 connections, 8 replies, at most 2 inside
 * expect: /to/abs: 200 /hello
 * expect: /to/dots: 200 /a/c?x=%C3%A4
 * expect: /to/query: 200 /to/x?b=c
 * expect: /to/host: 200 /hello
 * expect: /to/fragment: 200 /hello
 * expect: /to/loop: CO4_HTTP_EREDIRECTS
 * expect: /to/ftp: CO4_HTTP_EURL
 * expect: /to/none: 302 /to/none
 * expect: not followed: 302 /to/abs
 * expect: POST by 303: GET, 0 bytes, type none
 * expect: POST by 302: GET, 0 bytes, type none
 * expect: POST by 307: POST, 5 bytes, type text/x
 * expect: PUT by 302: PUT, 5 bytes, type text/x
 * expect: HEAD: 200, 5 said, 0 read
 * expect: to another server: no Authorization, X-Kept: yes
 * expect: a deadline before the head: CO4_ETIMEDOUT
 * expect: a deadline in a body: CO4_ETIMEDOUT, then the rest [ab]
 * expect: larger than it may be: CO4_HTTP_ETOOBIG
 * expect: addresses: 14 of 14 right
 * expect: requests that make no sense: 7 of 7 */
#include "common.h"

#include <netinet/in.h>

/* The connections that the server has seen since this was 0: each has a port of its own. */
static int connections;

/* ---- handlers ---- */

static void count_connection(co4_http_call *call)
{
    static bool seen[65536];
    struct sockaddr_storage from;
    socklen_t size = sizeof from;
    if (connections == 0)
        memset(seen, 0, sizeof seen);
    if (co4_getpeername(co4_conn_fd(co4_http_conn(call)), (struct sockaddr *)&from, &size) != 0)
        abort();
    in_port_t port = from.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&from)->sin6_port
                                                : ((struct sockaddr_in *)&from)->sin_port;
    connections += !seen[port];
    seen[port] = true;
}

static pausable int hello(co4_http_call *call, void *arg)
{
    (void)arg;
    count_connection(call);
    return co4_http_answer(call, 200, "text/plain", "hello", 5);
}

static int inside, most_inside;

static pausable int slowly(co4_http_call *call, void *arg)
{
    (void)arg;
    count_connection(call);
    if (++inside > most_inside)
        most_inside = inside;
    co4_sleep(2 * CO4_MS);
    inside--;
    return co4_http_answer(call, 200, "text/plain", "slow", 4);
}

static pausable int large(co4_http_call *call, void *arg)
{
    static char bytes[100000];
    (void)arg;
    count_connection(call);
    return co4_http_answer(call, 200, NULL, bytes, sizeof bytes);
}

static pausable int to(co4_http_call *call, void *arg)
{
    char text[64];
    const char *where = co4_http_param(call, "where");
    snprintf(text, sizeof text, "http://LOCALHOST:%d/hello", *(const int *)arg);
    if (strcmp(where, "x") == 0)
        return co4_http_answer(call, 200, NULL, "", 0);
    if (strcmp(where, "none") == 0)
        return co4_http_answer_status(call, 302);
    const char *location = strcmp(where, "abs") == 0        ? "/hello"
                           : strcmp(where, "dots") == 0     ? "./../a/./b/../c?x=\xc3\xa4"
                           : strcmp(where, "query") == 0    ? "x?b=c"
                           : strcmp(where, "fragment") == 0 ? "/hello#here"
                           : strcmp(where, "ftp") == 0      ? "ftp://x/"
                           : strcmp(where, "host") == 0     ? text
                                                            : "loop";
    return co4_http_redirect(call, 302, location);
}

static pausable int again(co4_http_call *call, void *arg)
{
    (void)arg;
    return co4_http_redirect(call, (int)strtol(co4_http_param(call, "status"), NULL, 10), "/what");
}

static pausable int what(co4_http_call *call, void *arg)
{
    char text[128], *body = "";
    (void)arg;
    ssize_t bytes = co4_http_body(call, &body, 100);
    const char *type = co4_http_field(call, "Content-Type");
    int n = snprintf(text, sizeof text, "%s, %zd bytes, type %s", co4_http_method(call), bytes,
                     type ? type : "none");
    return co4_http_answer(call, 200, NULL, text, (size_t)n);
}

static pausable int secret(co4_http_call *call, void *arg)
{
    char text[128];
    (void)arg;
    const char *kept = co4_http_field(call, "X-Kept");
    int n = snprintf(text, sizeof text, "%s Authorization, X-Kept: %s",
                     co4_http_field(call, "Authorization") ? "with" : "no", kept ? kept : "none");
    return co4_http_answer(call, 200, NULL, text, (size_t)n);
}

/* By another name it is another server. */
static pausable int elsewhere(co4_http_call *call, void *arg)
{
    char url[64];
    (void)arg;
    const char *host = co4_http_field(call, "Host");
    snprintf(url, sizeof url, "http://127.0.0.1%s/secret", strchr(host, ':'));
    return co4_http_redirect(call, 307, url);
}

static pausable int never(co4_http_call *call, void *arg)
{
    (void)call;
    (void)arg;
    return co4_sleep(20 * CO4_SEC);
}

/* The rest comes when the client asks for it. */
static co4_sem more = CO4_SEM_INIT(0);

static pausable int halves(co4_http_call *call, void *arg)
{
    (void)arg;
    co4_http_begin(call, 200, NULL, -1);
    co4_http_put(call, "a", 1);
    co4_http_flush(call);
    int err = co4_sem_acquire(&more);
    return err == CO4_OK ? co4_http_put(call, "b", 1) : err;
}

static int port; /* of the server */

static const co4_http_route routes[] = {
    { "GET", "/hello", hello, NULL },
    { "GET", "/slowly", slowly, NULL },
    { "GET", "/large", large, NULL },
    { "GET", "/to/{where}", to, &port },
    { "GET", "/a/c", hello, NULL },
    { NULL, "/again/{status}", again, NULL },
    { NULL, "/what", what, NULL },
    { "GET", "/secret", secret, NULL },
    { "GET", "/elsewhere", elsewhere, NULL },
    { "GET", "/never", never, NULL },
    { "GET", "/halves", halves, NULL },
    { 0 },
};

/* ---- requests ---- */

static pausable int status_of(co4_http_client *client, const char *url)
{
    co4_http_reply *r;
    char *text;
    int err = co4_http_get(&r, client, url);
    if (err == CO4_OK && co4_http_reply_body(r, &text, 1 << 20) >= 0)
        err = co4_http_reply_status(r);
    co4_http_reply_destroy(r);
    return err;
}

static pausable void keeps(co4_http_client *client, co4_http_server *server)
{
    co4_http_reply *r;
    for (int i = 0; i < 20; i++)
        status_of(client, at(server, "/hello"));
    printf("one connection for 20 requests: %d\n", connections);
    if (co4_http_get(&r, client, at(server, "/large")) == CO4_OK)
        co4_http_reply_destroy(r);
    status_of(client, at(server, "/hello"));
    printf("a body that is not read costs one: %d\n", connections);
}

static pausable void keeps_none(co4_http_client *client, co4_http_server *server)
{
    connections = 0;
    for (int i = 0; i < 5; i++)
        status_of(client, at(server, "/hello"));
    printf("none is kept: %d connections for 5 requests\n", connections);
}

static pausable void one_of_eight(co4_http_client *client, const char *url, int *replies)
{
    *replies += status_of(client, url) == 200;
}

static pausable void at_once(co4_http_client *client, co4_http_server *server)
{
    co4_task *tasks[8];
    int replies = 0;
    const char *url = at(server, "/slowly");
    most_inside = connections = 0;
    for (int i = 0; i < 8; i++)
        tasks[i] = co4_spawn(one_of_eight(client, url, &replies));
    for (int i = 0; i < 8; i++)
        co4_join(tasks[i], NULL);
    printf("two at once: %d connections, %d replies, at most %d inside\n", connections, replies,
           most_inside);
}

static pausable void show(co4_http_client *client, co4_http_server *server, const char *name,
                          const char *path)
{
    co4_http_reply *r;
    int err = co4_http_get(&r, client, at(server, path));
    if (err == CO4_OK) {
        const char *url = co4_http_reply_url(r);
        printf("%s: %d %s\n", name, co4_http_reply_status(r), strchr(url + 8, '/'));
    } else {
        printf("%s: %s\n", name, co4_errname(err));
    }
    co4_http_reply_destroy(r);
}

static pausable void sends(co4_http_client *client, co4_http_server *server, const char *name,
                           co4_http_request request)
{
    co4_http_reply *r;
    char *text = "?";
    int err = co4_http_send(&r, client, &request);
    if (err == CO4_OK)
        co4_http_reply_body(r, &text, 1000);
    printf("%s: %s\n", name, err == CO4_OK ? text : co4_errname(err));
    co4_http_reply_destroy(r);
    (void)server;
}

static pausable void redirects(co4_http_client *client, co4_http_server *server)
{
    static const char *const paths[] = { "/to/abs",      "/to/dots", "/to/query", "/to/host",
                                         "/to/fragment", "/to/loop", "/to/ftp",   "/to/none" };
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        show(client, server, paths[i], paths[i]);
}

static pausable void follows_none(co4_http_client *client, co4_http_server *server)
{
    show(client, server, "not followed", "/to/abs");
}

static pausable void changes(co4_http_client *client, co4_http_server *server)
{
    static const struct {
        const char *name, *method, *path;
    } cases[] = { { "POST by 303", "POST", "/again/303" },
                  { "POST by 302", "POST", "/again/302" },
                  { "POST by 307", "POST", "/again/307" },
                  { "PUT by 302", "PUT", "/again/302" } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sends(client, server, cases[i].name,
              (co4_http_request){ .url = at(server, cases[i].path),
                                  .method = cases[i].method,
                                  .type = "text/x",
                                  .body = "12345",
                                  .bytes = 5 });
    }
    co4_http_reply *r;
    char *text;
    const co4_http_request head = { .url = at(server, "/hello"), .method = "HEAD" };
    if (co4_http_send(&r, client, &head) == CO4_OK)
        printf("HEAD: %d, %lld said, %zd read\n", co4_http_reply_status(r),
               (long long)co4_http_reply_length(r), co4_http_reply_body(r, &text, 100));
    co4_http_reply_destroy(r);
    const char *const fields[] = { "authorization: me", "X-Kept: yes", NULL };
    sends(client, server, "to another server",
          (co4_http_request){ .url = at(server, "/elsewhere"), .fields = fields });
}

static pausable void times(co4_http_client *client, co4_http_server *server)
{
    co4_http_reply *r;
    const char *data;
    char *text;
    int err = co4_http_get_until(&r, client, at(server, "/never"), co4_after(20 * CO4_MS));
    printf("a deadline before the head: %s\n", co4_errname(err));
    if (co4_http_get(&r, client, at(server, "/halves")) == CO4_OK) {
        char all[8] = "";
        ssize_t n = co4_http_reply_read(r, &data);
        strncat(all, data, (size_t)n);
        n = co4_http_reply_read_until(r, &data, co4_after(10 * CO4_MS));
        printf("a deadline in a body: %s, ", co4_errname((int)n));
        co4_sem_release(&more);
        while ((n = co4_http_reply_read(r, &data)) > 0)
            strncat(all, data, (size_t)n);
        printf("then the rest [%s]\n", n == 0 ? all : co4_errname((int)n));
        co4_http_reply_destroy(r);
    }
    if (co4_http_get(&r, client, at(server, "/large")) == CO4_OK) {
        printf("larger than it may be: %s\n",
               co4_errname((int)co4_http_reply_body(r, &text, 99999)));
        co4_http_reply_destroy(r);
    }
}

static pausable void test(co4_http_client *client, co4_http_server *server)
{
    port = co4_http_port(server);
    redirects(client, server);
}

static pausable void test_more(co4_http_client *client, co4_http_server *server)
{
    changes(client, server);
    times(client, server);
}

/* ---- what makes no sense ---- */

static void addresses(void)
{
    static const char *const right[] = { "http://a",   "https://a:1/b?c#d", "HTTP://[::1]:80/",
                                         "http://a?b", "http://a:/",        "http://\x61/\xff" };
    static const char *const wrong[] = { "",           "a",           "ftp://a/",    "http://",
                                         "http://a b", "http://a@b/", "http://a:x/", "/a" };
    int n = 0;
    for (size_t i = 0; i < sizeof right / sizeof *right; i++)
        n += co4_http_url_check(right[i]) == CO4_OK;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        n += co4_http_url_check(wrong[i]) == CO4_HTTP_EURL;
    printf("addresses: %d of 14 right\n", n);
}

static pausable void refused(co4_http_client *client, co4_http_server *server)
{
    int n = 0;
    co4_http_reply *r;
    const char *const split[] = { "A: b\r\nC: d", NULL }, *const none[] = { "A", NULL };
    const char *const own[] = { "Content-Length: 1", NULL };
    const co4_http_request wrong[] = { { .url = NULL },
                                       { .url = "http://a/", .method = "G T" },
                                       { .url = "http://a/", .fields = split },
                                       { .url = "http://a/", .fields = none },
                                       { .url = "http://a/", .fields = own },
                                       { .url = "http://a/", .type = "a\n" },
                                       { .url = "http://a/", .bytes = 1 } };
    (void)server;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        n += co4_http_send(&r, client, &wrong[i]) == CO4_EINVAL && !r;
    printf("requests that make no sense: %d of 7\n", n);
}

static pausable int all(void)
{
    const co4_http_options o = { .routes = routes };
    int err = beside(&o, NULL, keeps);
    if (err == CO4_OK)
        err = beside(&o, &(co4_http_client_options){ .kept = -1 }, keeps_none);
    if (err == CO4_OK)
        err = beside(&o, &(co4_http_client_options){ .per_server = 2 }, at_once);
    if (err == CO4_OK)
        err = beside(&o, NULL, test);
    if (err == CO4_OK)
        err = beside(&o, &(co4_http_client_options){ .redirects = -1 }, follows_none);
    if (err == CO4_OK)
        err = beside(&o, &(co4_http_client_options){ .agent = "test" }, test_more);
    addresses();
    if (err == CO4_OK)
        err = beside(&o, NULL, refused);
    return err;
}

int main(void)
{
    return co4_run(all()) == CO4_OK ? 0 : 1;
}
