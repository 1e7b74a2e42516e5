/* workers.c - a server and one client on four threads: its connections and places go round.
 * needs: descriptors http workers
 * modes: woven forced
 * expect: 16 tasks, 320 replies, 0 wrong, at most 4 at once
 * expect: ended with CO4_OK */
#include "common.h"

#include <stdatomic.h>

enum { TASKS = 16, REQUESTS = 20 };

static atomic_int inside, most, replies, wrong;

static pausable int number(co4_http_call *call, void *arg)
{
    (void)arg;
    int now = atomic_fetch_add(&inside, 1) + 1, seen = atomic_load(&most);
    while (now > seen && !atomic_compare_exchange_weak(&most, &seen, now))
        ;
    co4_yield();
    const char *n = co4_http_param(call, "n");
    atomic_fetch_sub(&inside, 1);
    return co4_http_answer(call, 200, NULL, n, strlen(n));
}

static pausable int ask(co4_http_client *client, int port, int task)
{
    for (int i = 0; i < REQUESTS; i++) {
        char url[64], *text = "";
        co4_http_reply *reply;
        snprintf(url, sizeof url, "http://localhost:%d/number/%d", port, task * 1000 + i);
        int err = co4_http_get_until(&reply, client, url, co4_after(60 * CO4_SEC));
        if (err == CO4_OK)
            co4_http_reply_body(reply, &text, 100);
        atomic_fetch_add(&replies, err == CO4_OK);
        atomic_fetch_add(&wrong, atoi(text) != task * 1000 + i);
        if (i % 7 == 6 && reply) /* one that is not read to its end, too */
            co4_yield();
        co4_http_reply_destroy(reply);
    }
    return CO4_OK;
}

static pausable int ask_all(co4_http_client *client, int port)
{
    int err = CO4_OK;
    for (int i = 0; i < TASKS && err == CO4_OK; i++)
        err = co4_scope_spawn(co4_scope_here(), ask(client, port, i));
    return err;
}

static pausable void test(co4_http_client *client, co4_http_server *server)
{
    co4_scope_run(0, ask_all(client, co4_http_port(server)));
}

static const co4_http_route routes[] = { { "GET", "/number/{n}", number, NULL }, { 0 } };
static const co4_http_options of_server = { .routes = routes };
static const co4_http_client_options of_client = { .at_once = 8, .per_server = 4 };

static pausable void all(int *err)
{
    *err = beside(&of_server, &of_client, test);
}

int main(void)
{
    int err = CO4_ENOMEM;
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 4 });
    if (!rt || co4_runtime_start(rt) != CO4_OK || !co4_runtime_spawn(rt, all(&err)) ||
        co4_runtime_join(rt) != CO4_OK)
        return 1;
    co4_runtime_destroy(rt);
    printf("%d tasks, %d replies, %d wrong, at most %d at once\n", TASKS, atomic_load(&replies),
           atomic_load(&wrong), atomic_load(&most) > 4 ? atomic_load(&most) : 4);
    printf("ended with %s\n", co4_errname(err));
    return 0;
}
