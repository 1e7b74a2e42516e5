/* client_co4.c - so many tasks that get an address again and again, by co4_http.
 *
 *     client_co4 URL TASKS REQUESTS     prints the bytes that have come */
#include <co4.h>
#include <co4/http_client.h>
#include <stdio.h>
#include <stdlib.h>

static long left;
static long long bytes;

static pausable int get_all(co4_http_client *client, const char *url)
{
    while (left-- > 0) {
        char *text;
        co4_http_reply *reply;
        int err = co4_http_get(&reply, client, url);
        ssize_t n = err == CO4_OK ? co4_http_reply_body(reply, &text, 1 << 24) : err;
        co4_http_reply_destroy(reply);
        if (n < 0)
            return (int)n;
        bytes += n;
    }
    return CO4_OK;
}

static pausable int begin_all(co4_http_client *client, const char *url, int tasks)
{
    int err = CO4_OK;
    for (int i = 0; i < tasks && err == CO4_OK; i++)
        err = co4_scope_spawn(co4_scope_here(), get_all(client, url));
    return err;
}

static pausable int run(co4_http_client *client, const char *url, int tasks)
{
    return co4_scope_run(0, begin_all(client, url, tasks));
}

int main(int argc, char **argv)
{
    co4_http_client *client;
    if (argc != 4)
        return 2;
    int tasks = atoi(argv[2]);
    left = atol(argv[3]);
    const co4_http_client_options o = { .kept = tasks };
    if (co4_http_client_create(&client, &o) != CO4_OK)
        return 1;
    int err = co4_run(run(client, argv[1], tasks));
    co4_http_client_destroy(client);
    printf("%lld\n", bytes);
    return err != CO4_OK;
}
