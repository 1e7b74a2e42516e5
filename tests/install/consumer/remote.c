/* remote.c - a program that uses the component nats: a message to itself over the server of
 * NATS_URL; without that, the code of a server that is not there. */
#include <co4.h>
#include <co4/nats.h>
#include <stdio.h>
#include <stdlib.h>

static pausable int send_one(co4_nats *c)
{
    int64_t deadline = co4_now() + 20 * CO4_SEC;
    co4_nats_subscription *s;
    co4_nats_message *m;
    int err = co4_nats_subscribe(&s, c, "consumer", NULL, 0, CO4_NATS_DROP_NEWEST, deadline);
    if (err != CO4_OK)
        return err;
    err = co4_nats_publish(c, "consumer", "a message", 9, deadline);
    if (err == CO4_OK)
        err = co4_nats_next(s, &m, deadline);
    if (err == CO4_OK) {
        printf("remote: %s\n", m->data);
        co4_nats_message_destroy(m);
    }
    co4_nats_unsubscribe(s);
    return err;
}

static pausable int attempt(const char *url)
{
    int64_t deadline = co4_now() + 20 * CO4_SEC;
    const char *servers[] = { url ? url : "nats://127.0.0.1:1", NULL };
    co4_nats *c;
    int err = co4_nats_connect(&c, &(co4_nats_options){ .servers = servers }, deadline);
    if (err == CO4_OK) {
        err = send_one(c);
        co4_nats_close(c, deadline);
    }
    if (err != CO4_OK)
        printf("remote: %s\n", co4_strerror(err));
    return err != (url ? CO4_OK : CO4_NATS_ECONNECT);
}

int main(void)
{
    return co4_run(attempt(getenv("NATS_URL")));
}
