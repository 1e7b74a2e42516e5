/* clock.c - the time of day jumps back and forth by an hour while requests, deadlines, leases and
 * jobs go on: the program's clock is another one. The server's time of day stays. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "counted.h"

/* ---- the time of day of this program: its own calls, and those of the library ---- */

static atomic_long offset;
static atomic_int asked; /* how often a time of day was asked for */
static atomic_bool stop;

int clock_gettime(clockid_t id, struct timespec *t)
{
    int err = (int)syscall(SYS_clock_gettime, id, t);
    if (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE) {
        t->tv_sec += offset;
        asked++;
    }
    return err;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    *t = (struct timeval){ now.tv_sec, now.tv_nsec / 1000 };
    return 0;
}

time_t time(time_t *to)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (to)
        *to = now.tv_sec;
    return now.tv_sec;
}

static void *jump(void *arg)
{
    (void)arg;
    for (int i = 0; !stop; i++) {
        offset = i % 3 == 0 ? 3600 : i % 3 == 1 ? -3600 : 0;
        usleep(3000);
    }
    return NULL;
}

/* ---- */

static pausable co4_nats *open_one(const char *url)
{
    const char *urls[] = { url, NULL };
    co4_nats *c = NULL;
    /* A server that says nothing for three of these is gone: longer than any pause of a machine. */
    co4_nats_options o = { .servers = urls, .attempt = PATIENT, .ping = CO4_SEC };
    int err = co4_nats_connect(&c, &o, SOON);
    if (err != CO4_OK)
        show("connect", err);
    return c;
}

static pausable int serve(co4_nats *c, co4_nats_subscription *s)
{
    co4_nats_message *m;
    while (co4_nats_next(s, &m, CO4_NEVER) == CO4_OK) {
        if (m->size > 0)
            co4_nats_respond(c, m, m->data, m->size, SOON);
        co4_nats_message_destroy(m);
    }
    return 0;
}

static pausable void requests(co4_nats *c, co4_nats *d)
{
    co4_nats_subscription *s;
    co4_nats_message *m;
    int answered = 0, ended = 0;
    show("subscribe", co4_nats_subscribe(&s, d, "echo", NULL, 0, 0, SOON));
    show("flush", co4_nats_flush(d, SOON));
    co4_task *server = co4_spawn(serve(d, s));
    for (int i = 0; i < 200; i++) {
        int err = co4_nats_request(c, "echo", "x", 1, &m, SOON);
        answered += err == CO4_OK;
        if (err == CO4_OK)
            co4_nats_message_destroy(m);
    }
    for (int i = 0; i < 20; i++) { /* no answer comes: each ends in time, not at once */
        int64_t begun = co4_now();
        int err = co4_nats_request(c, "echo", "", 0, &m, co4_now() + 20 * CO4_MS);
        ended += err == CO4_ETIMEDOUT && co4_now() - begun >= 20 * CO4_MS &&
                 co4_now() - begun < 20 * CO4_SEC;
    }
    printf("%d answered, %d ended in time\n", answered, ended);
    show("drain", co4_nats_drain(s, SOON));
    co4_join(server, NULL);
    co4_nats_unsubscribe(s);
}

static pausable int handle(const co4_nats_message *m, void *arg)
{
    co4_sleep(300 * CO4_MS); /* longer than ack_wait: it says that it works */
    count_in(arg, m->data, m->size);
    return CO4_OK;
}

static pausable int work(co4_nats_consumer *k, struct tally *t)
{
    return co4_nats_work(k, handle, t);
}

static pausable void durable(co4_nats *c)
{
    struct tally *t = calloc(1, sizeof *t);
    char data[LARGEST];
    co4_nats_kv *kv;
    co4_nats_lease lease, other;
    co4_nats_consumer *k;
    co4_nats_stream_options o = { .name = "JOBS", .retention = CO4_NATS_WORK };
    co4_nats_consumer_options w = { .name = "w", .ack_wait = 200 * CO4_MS, .credit = 8 };
    show("open", co4_nats_kv_open(&kv, c, "leases", NULL, SOON));
    /* Who does not run for so long may lose it. */
    show("lease", co4_nats_lease_take(&lease, kv, "leader", "me", 3 * CO4_SEC, SOON));
    int renewed = 0;
    for (int i = 0; i < 10; i++) { /* none is taken while it is renewed */
        int err = co4_nats_lease_take(&other, kv, "leader", "you", 3 * CO4_SEC,
                                      co4_now() + 100 * CO4_MS);
        renewed += err == CO4_ETIMEDOUT && co4_nats_lease_renew(&lease, kv, SOON) == CO4_OK;
    }
    printf("%d times kept\n", renewed);
    show("then another takes it",
         co4_nats_lease_take(&other, kv, "leader", "you", 3 * CO4_SEC, SOON));
    printf("the token grows: %d\n", other.token > lease.token);
    show("the first one", co4_nats_lease_renew(&lease, kv, SOON));
    show("stream", co4_nats_stream_create(c, &o, SOON));
    for (int i = 0; i < 24; i++) {
        co4_nats_outgoing m = { .subject = "JOBS", .data = data, .size = fill(data, i) };
        int err = co4_nats_store(c, &m, NULL, NULL, SOON);
        if (err != CO4_OK)
            show("store", err);
    }
    show("consume", co4_nats_consume(&k, c, "JOBS", &w, SOON));
    co4_task *worker = co4_spawn(work(k, t));
    for (int i = 0; missing(t, 24) > 0 && i < 600; i++)
        co4_sleep(50 * CO4_MS);
    co4_task_cancel(worker, 0);
    co4_join(worker, NULL);
    printf("%d jobs missing, %d damaged\n", missing(t, 24), t->damaged);
    co4_nats_consumer_destroy(k);
    co4_nats_kv_close(kv);
    free(t);
}

static pausable int all(struct server *server)
{
    co4_nats *c = open_one(server->url), *d = open_one(server->url);
    requests(c, d);
    durable(c);
    co4_nats_counts counts;
    co4_nats_count(c, &counts);
    printf("%d reconnects\n", (int)counts.reconnects);
    show("close", co4_nats_close(c, SOON));
    show("close", co4_nats_close(d, SOON));
    return 0;
}

int main(void)
{
    struct server server = { 0 };
    pthread_t thread;
    setvbuf(stdout, NULL, _IOLBF, 0);
    server_start(&server);
    if (pthread_create(&thread, NULL, jump, NULL) != 0)
        return 2;
    int err = co4_run(all(&server));
    stop = true;
    pthread_join(thread, NULL);
    offset = 3600;
    time_t later = time(NULL);
    offset = 0;
    time_t now = time(NULL);
    printf("the shim works: %d\n", later - now > 3000);
    fprintf(stderr, "the time of day was asked for %d times\n", (int)asked);
    server_end(&server);
    return err;
}
