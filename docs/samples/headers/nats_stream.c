/* nats_stream.c - the lead example of co4/nats_stream.h.
 * needs: nats
 * modes: woven forced
 * expect: works on 1
 * expect: works on 2
 * expect: works on 3
 * expect: left in the stream: 0 */
#include <co4.h>
#include <co4/nats_stream.h>
#include <stdio.h>
#include <stdlib.h>

static void work_on(const char *job)
{
    printf("works on %s\n", job);
}

/* Until it is cancelled. */
static pausable int work(co4_nats *c)
{
    co4_nats_consumer *jobs;
    co4_nats_message *m;
    int err = co4_nats_consume(&jobs, c, "JOBS", &(co4_nats_consumer_options){ .name = "w" },
                               co4_now() + 10 * CO4_SEC);
    while (err == CO4_OK && (err = co4_nats_take(jobs, &m, CO4_NEVER)) == CO4_OK) {
        work_on(m->data);
        co4_nats_ack(jobs, m, co4_now() + 10 * CO4_SEC);
        co4_nats_message_destroy(m);
    }
    co4_nats_consumer_destroy(jobs);
    return err;
}

static pausable int store(co4_nats *c, const char *job)
{
    co4_nats_outgoing m = { .subject = "JOBS", .data = job, .size = 1 };
    co4_nats_expected once = { .id = job }; /* a second time it is a duplicate */
    return co4_nats_store(c, &m, &once, NULL, co4_now() + 10 * CO4_SEC);
}

static pausable int store_all(co4_nats *c)
{
    static const char *const list[] = { "1", "2", "2", "3" };
    int64_t deadline = co4_now() + 20 * CO4_SEC;
    co4_nats_stream_options o = { .name = "JOBS", .retention = CO4_NATS_WORK };
    int err = co4_nats_stream_create(c, &o, deadline);
    for (int i = 0; i < 4 && err == CO4_OK; i++)
        err = store(c, list[i]);
    return err;
}

static pausable int run(const co4_nats_options *options)
{
    co4_nats *c;
    co4_nats_stream_state state = { .messages = 1 };
    int64_t deadline = co4_now() + 20 * CO4_SEC;
    int err = co4_nats_connect(&c, options, deadline);
    if (err == CO4_OK)
        err = store_all(c);
    if (err == CO4_OK) {
        co4_task *worker = co4_spawn(work(c));
        while (err == CO4_OK && state.messages > 0 && co4_sleep(CO4_MS) == CO4_OK)
            err = co4_nats_stream_look(c, "JOBS", &state, deadline);
        printf("left in the stream: %d\n", (int)state.messages);
        co4_task_cancel(worker, 0);
        co4_join(worker, NULL);
    }
    co4_nats_close(c, deadline);
    return err;
}

int main(void)
{
    const char *servers[] = { getenv("NATS_URL"), NULL };
    int err = co4_run(run(&(co4_nats_options){ .servers = servers }));
    if (err != CO4_OK)
        printf("%s\n", co4_strerror(err));
    return err != CO4_OK;
}
