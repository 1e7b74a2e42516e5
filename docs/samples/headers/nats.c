/* nats.c - the lead example of co4/nats.h, and the service that it asks.
 * needs: nats
 * modes: woven forced
 * expect: 3 */
#include <co4.h>
#include <co4/nats.h>
#include <stdio.h>
#include <stdlib.h>

static pausable int ask(const co4_nats_options *options)
{
    co4_nats *c;
    co4_nats_message *reply;
    int err = co4_nats_connect(&c, options, co4_now() + 10 * CO4_SEC);
    if (err == CO4_OK)
        err = co4_nats_request(c, "sum", "1 2", 3, &reply, co4_now() + 10 * CO4_SEC);
    if (err == CO4_OK) {
        printf("%s\n", reply->data);
        co4_nats_message_destroy(reply);
    }
    co4_nats_close(c, co4_now() + 10 * CO4_SEC);
    return err;
}

static pausable int answer(co4_nats *c, co4_nats_subscription *sums)
{
    co4_nats_message *m;
    while (co4_nats_next(sums, &m, CO4_NEVER) == CO4_OK) {
        char text[32], *more;
        long first = strtol(m->data, &more, 10);
        int n = snprintf(text, sizeof text, "%ld", first + strtol(more, NULL, 10));
        co4_nats_respond(c, m, text, (size_t)n, co4_now() + 10 * CO4_SEC);
        co4_nats_message_destroy(m);
    }
    return CO4_OK;
}

static pausable int both(const co4_nats_options *options)
{
    co4_nats *c;
    co4_nats_subscription *sums = NULL;
    int64_t deadline = co4_now() + 20 * CO4_SEC;
    int err = co4_nats_connect(&c, options, deadline);
    if (err == CO4_OK)
        err = co4_nats_subscribe(&sums, c, "sum", "calculators", 0, CO4_NATS_DROP_NEWEST, deadline);
    if (err == CO4_OK)
        err = co4_nats_flush(c, deadline); /* the server knows of it */
    if (err == CO4_OK) {
        co4_task *service = co4_spawn(answer(c, sums));
        err = ask(options);
        co4_nats_drain(sums, deadline);
        co4_join(service, NULL);
    }
    co4_nats_unsubscribe(sums);
    co4_nats_close(c, deadline);
    return err;
}

int main(void)
{
    const char *servers[] = { getenv("NATS_URL"), NULL };
    int err = co4_run(both(&(co4_nats_options){ .servers = servers }));
    if (err != CO4_OK)
        printf("%s\n", co4_strerror(err));
    return err != CO4_OK;
}
