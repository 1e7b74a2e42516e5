/* nats_group.c - the lead example of co4/nats_group.h.
 * needs: nats
 * modes: woven forced
 * expect: 10 of 10 */
#include <co4.h>
#include <co4/nats_group.h>
#include <stdio.h>
#include <stdlib.h>

static pausable int sum(co4_nats_call *call, void *arg)
{
    (void)arg;
    const char *data = co4_nats_call_message(call)->data;
    return co4_nats_answer(call, data, co4_nats_call_message(call)->size, co4_now() + CO4_SEC);
}

static pausable int work(co4_nats *c)
{
    return co4_nats_group_work(c, &(co4_nats_group_options){ .name = "sum", .places = 4 }, sum,
                               NULL);
}

static pausable int ask(co4_nats *c, int *good)
{
    const co4_nats_outgoing job = { .data = "1 2", .size = 3 };
    co4_nats_group *g;
    co4_nats_message *reply;
    int err = co4_nats_group_open(&g, c, "sum", co4_now() + CO4_SEC);
    for (int i = 0; i < 10 && err == CO4_OK; i++) {
        if (err == CO4_OK)
            err = co4_nats_group_ask(g, &job, &reply, NULL, co4_now() + 10 * CO4_SEC);
        *good += err == CO4_OK;
        co4_nats_message_destroy(reply);
    }
    co4_nats_group_close(g);
    return err;
}

static pausable int run(const char *url)
{
    const char *servers[] = { url, NULL };
    co4_nats *c;
    int good = 0, err = co4_nats_connect(&c, &(co4_nats_options){ .servers = servers },
                                         co4_now() + 10 * CO4_SEC);
    if (err != CO4_OK)
        return err;
    co4_task *worker = co4_spawn(work(c));
    err = ask(c, &good);
    printf("%d of 10\n", good);
    co4_nats_close(c, co4_now() + 10 * CO4_SEC);
    co4_join(worker, NULL);
    return err;
}

int main(void)
{
    int err = co4_run(run(getenv("NATS_URL")));
    return err != CO4_OK;
}
