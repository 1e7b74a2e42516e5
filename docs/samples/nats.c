/* nats.c - messages, work that is kept, and a leader, over a server of NATS.
 * needs: nats
 * modes: woven forced
 * expect: connected
 * expect: news: first, 2 more
 * expect: nobody: nobody has subscribed to the subject of the request
 * expect: job 1
 * expect: job 2
 * expect: job 3
 * expect: the leader writes with token 1
 * expect: closed: no error */
#include <co4.h>
#include <co4/nats.h>
#include <co4/nats_kv.h>
#include <co4/nats_stream.h>
#include <stdio.h>
#include <stdlib.h>

static int64_t soon(void)
{
    return co4_now() + 20 * CO4_SEC;
}

/* Shows what happens to a connection, until it is closed. */
static pausable int watch(co4_nats *c)
{
    co4_nats_event e;
    while (co4_mailbox_receive(co4_nats_monitor(c), &e) == CO4_OK) {
        if (e.kind == CO4_NATS_CONNECTED)
            printf("connected\n");
        else if (e.kind == CO4_NATS_DISCONNECTED)
            printf("%s, up to %d messages are lost\n", co4_strerror(e.code), (int)e.count);
        else if (e.kind == CO4_NATS_CLOSED)
            printf("closed: %s\n", co4_strerror(e.code));
    }
    co4_nats_release(c);
    return CO4_OK;
}

static pausable co4_nats *open_connection(const char *url)
{
    co4_nats *c;
    const char *servers[] = { url, NULL }; /* several may be named */
    co4_nats_options options = { .servers = servers, .name = "the sample" };
    int err = co4_nats_connect(&c, &options, soon());
    if (err != CO4_OK)
        printf("%s\n", co4_strerror(err));
    return c;
}

/* ---- messages ---- */

static pausable int publish_news(co4_nats *c)
{
    int err = co4_nats_publish(c, "news.sport", "first", 5, soon());
    for (int i = 0; i < 2 && err == CO4_OK; i++)
        err = co4_nats_publish(c, "news.world", "more", 4, soon());
    return err;
}

static pausable int read_news(co4_nats *c)
{
    co4_nats_subscription *s;
    co4_nats_message *m;
    int more = 0;
    int err = co4_nats_subscribe(&s, c, "news.>", NULL, 100, CO4_NATS_DROP_OLDEST, soon());
    if (err != CO4_OK)
        return err;
    err = publish_news(c);
    if (err == CO4_OK)
        err = co4_nats_next(s, &m, soon());
    if (err == CO4_OK) {
        printf("news: %s", m->data);
        co4_nats_message_destroy(m);
    }
    if (err == CO4_OK)
        err = co4_nats_drain(s, soon()); /* the rest is in the mailbox, which is closed */
    while (co4_nats_next(s, &m, soon()) == CO4_OK) {
        more++;
        co4_nats_message_destroy(m);
    }
    printf(", %d more\n", more);
    co4_nats_unsubscribe(s);
    return err;
}

/* ---- work ---- */

/* The effect of a job may happen twice: the job was given again. */
static pausable int do_job(const co4_nats_message *m, void *done)
{
    printf("job %s\n", m->data);
    co4_sem_release(done);
    return CO4_OK; /* acknowledges it */
}

static pausable int work(co4_nats *c, co4_sem *done)
{
    co4_nats_consumer *jobs;
    co4_nats_consumer_options options = { .name = "workers" };
    int err = co4_nats_consume(&jobs, c, "JOBS", &options, soon());
    if (err == CO4_OK)
        err = co4_nats_work(jobs, do_job, done);
    co4_nats_consumer_destroy(jobs);
    return err;
}

static pausable int store_jobs(co4_nats *c)
{
    static const char *const ids[] = { "1", "2", "2", "3" };
    co4_nats_stream_options options = { .name = "JOBS", .retention = CO4_NATS_WORK };
    int err = co4_nats_stream_create(c, &options, soon());
    for (int i = 0; i < 4 && err == CO4_OK; i++) {
        co4_nats_outgoing job = { .subject = "JOBS", .data = ids[i], .size = 1 };
        /* Under its id a job is stored once, also when it is sent again. */
        err = co4_nats_store(c, &job, &(co4_nats_expected){ .id = ids[i] }, NULL, soon());
    }
    return err;
}

static pausable int run_jobs(co4_nats *c)
{
    co4_sem done = CO4_SEM_INIT(0);
    int err = store_jobs(c);
    co4_task *worker = co4_spawn(work(c, &done));
    for (int i = 0; i < 3 && err == CO4_OK; i++)
        err = co4_sem_acquire_until(&done, soon());
    co4_task_cancel(worker, 0);
    co4_join(worker, NULL);
    co4_sem_destroy(&done);
    return err;
}

/* ---- a leader ---- */

static pausable int lead(co4_nats *c)
{
    co4_nats_kv *kv;
    co4_nats_lease lease;
    int err = co4_nats_kv_open(&kv, c, "leaders", NULL, soon());
    if (err == CO4_OK)
        err = co4_nats_lease_take(&lease, kv, "printer", "host 1", 30 * CO4_SEC, soon());
    if (err == CO4_OK) {
        printf("the leader writes with token %d\n", (int)lease.token);
        err = co4_nats_lease_give(&lease, kv, soon());
    }
    co4_nats_kv_close(kv);
    return err;
}

static pausable int run(const char *url)
{
    co4_nats_message *reply;
    co4_nats *c = open_connection(url);
    if (!c)
        return 1;
    co4_task *events = co4_spawn(watch(co4_nats_retain(c)));
    int err = read_news(c);
    int nobody = co4_nats_request(c, "nobody", "", 0, &reply, soon());
    printf("nobody: %s\n", co4_strerror(nobody));
    if (err == CO4_OK)
        err = run_jobs(c);
    if (err == CO4_OK)
        err = lead(c);
    if (err != CO4_OK)
        printf("%s\n", co4_strerror(err));
    co4_nats_close(c, soon());
    co4_join(events, NULL);
    return err != CO4_OK;
}

int main(void)
{
    return co4_run(run(getenv("NATS_URL")));
}
