/* worker.c - draws tiles. A result is stored before its job is acknowledged, as the first message
 * of its subject: a worker that is killed between the two has the tile drawn again, and the second
 * result is refused. */
#define _POSIX_C_SOURCE 200809L
#include <co4/blocking.h>
#include <co4/signal.h>
#include <co4/time.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "farm.h"

struct worker {
    co4_nats *c;
    char name[NAME];
    long done, before;
};

static void free_bytes(unsigned char **bytes)
{
    free(*bytes);
}

/* The first result of the tile is the one that counts. */
static pausable int store(struct worker *w, const co4_nats_message *job, const void *rgb,
                          size_t size)
{
    co4_nats_origin origin = { .given = 1 };
    char subject[128], given[24];
    co4_nats_origin_of(job, &origin);
    snprintf(given, sizeof given, "%llu", (unsigned long long)origin.given);
    snprintf(subject, sizeof subject, "%s%s", DONE_SUBJECT, job->subject + strlen(JOBS_SUBJECT));
    const char *headers[] = { "Worker", w->name, "Given", given, NULL };
    co4_nats_outgoing m = { subject, NULL, headers, rgb, size };
    int err = co4_nats_store(w->c, &m, &(co4_nats_expected){ .subject_last_given = true }, NULL,
                             co4_now() + 5 * CO4_SEC);
    if (err == CO4_NATS_ECONFLICT) {
        w->before++;
        return CO4_OK;
    }
    w->done += err == CO4_OK;
    return err;
}

/* A code that is returned has the job given to another worker. */
static pausable int draw(const co4_nats_message *job, void *arg)
{
    struct picture p;
    int number;
    if (!job_get(job->data, &p, &number))
        return CO4_NATS_EREFUSED; /* nobody can draw that */
    size_t size = tile_bytes(picture_tile(&p, number));
    __attribute__((cleanup(free_bytes))) unsigned char *rgb = malloc(size);
    if (!rgb)
        return CO4_ENOMEM;
    co4_blocking(picture_draw(&p, number, rgb)); /* meanwhile the server hears of us */
    int err = p.wait > 0 ? co4_sleep(p.wait * CO4_MS) : CO4_OK;
    return err == CO4_OK ? store(arg, job, rgb, size) : err;
}

/* Takes jobs. While the streams are not there yet it tries again. */
static pausable int take(struct worker *w, int jobs)
{
    int err = CO4_OK;
    while (err != CO4_ECANCELED && err != CO4_ECLOSED) {
        co4_nats_consumer *k;
        co4_nats_consumer_options o = {
            .name = WORKERS, .ack_wait = 2 * CO4_SEC, .credit = jobs, .max_pending = 10000
        };
        err = co4_nats_consume(&k, w->c, JOBS_STREAM, &o, co4_now() + 5 * CO4_SEC);
        if (err == CO4_OK) {
            err = co4_nats_work(k, draw, w);
            co4_nats_consumer_destroy(k);
        }
        if (err != CO4_ECANCELED && err != CO4_ECLOSED)
            err = co4_sleep(CO4_SEC / 5);
    }
    return err;
}

/* Tells who listens how much is done. */
static pausable int tell(struct worker *w)
{
    char text[NAME + 60];
    while (co4_sleep(CO4_SEC / 2) == CO4_OK) {
        int n = snprintf(text, sizeof text, "%s %ld %ld", w->name, w->done, w->before);
        co4_nats_publish(w->c, NEWS_SUBJECT, text, (size_t)n, co4_now());
    }
    return CO4_OK;
}

static pausable int work_until_signal(struct worker *w, const struct options *o)
{
    co4_scope *scope = co4_scope_here();
    co4_signal s;
    co4_mailbox *end;
    int err = co4_signals(&end, SIGINT, SIGTERM);
    if (err == CO4_OK)
        err = co4_scope_spawn(scope, take(w, o->jobs));
    if (err == CO4_OK)
        err = co4_scope_spawn(scope, tell(w));
    if (err == CO4_OK)
        err = co4_mailbox_receive(end, &s);
    co4_scope_cancel(scope, 0); /* jobs that are not done go to others at once */
    if (end)
        co4_signals_destroy(end);
    return err;
}

pausable int work(const struct options *o)
{
    struct worker w = { 0 };
    char host[32] = "worker";
    gethostname(host, sizeof host - 1);
    host[strcspn(host, " ")] = '\0';
    snprintf(w.name, sizeof w.name, "%s.%d", o->name ? o->name : host, (int)getpid());
    w.c = open_nats(o->nats ? o->nats : "nats://127.0.0.1:4222", w.name);
    if (!w.c)
        return 1;
    if (!o->quiet)
        printf("%s draws %d tiles at once\n", w.name, o->jobs);
    int err = co4_scope_run(0, work_until_signal(&w, o));
    co4_nats_close(w.c, co4_now() + CO4_SEC);
    if (!o->quiet)
        printf("%ld tiles drawn, %ld of others\n", w.done, w.before);
    return err == CO4_OK || err == CO4_ECANCELED ? 0 : 1;
}
