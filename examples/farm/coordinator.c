/* coordinator.c - a picture: stores a job for each tile, and follows the results.
 *
 * It has no state that matters: what is done is in the stream of results. A coordinator that was
 * killed is started again with the same run, and goes on. */
#include <co4/blocking.h>
#include <co4/signal.h>
#include <co4/time.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "farm.h"

#define SOON     (co4_now() + 5 * CO4_SEC)
#define PATIENCE (60 * CO4_SEC) /* for the first connection */

pausable co4_nats *open_nats(const char *url, const char *name)
{
    const char *urls[] = { url, NULL };
    co4_nats *c = NULL;
    co4_nats_options o = { .servers = urls, .name = name, .wait = CO4_SEC / 10 };
    int64_t begun = co4_now(), deadline = begun + PATIENCE;
    bool said = false;
    int err;
    while ((err = co4_nats_connect(&c, &o, deadline)) == CO4_NATS_ECONNECT &&
           co4_now() < deadline && co4_sleep(CO4_SEC / 10) == CO4_OK)
        if (!said &&
            co4_now() > begun + 2 * CO4_SEC) { /* a server that is started is there by now */
            fprintf(stderr, "farm: %s: no server yet; it is tried for a minute\n", url);
            said = true;
        }
    if (err != CO4_OK && err != CO4_ECANCELED)
        fprintf(stderr, "farm: %s: %s\n", url, co4_strerror(err));
    return err == CO4_OK ? c : NULL;
}

/* Whether a call may succeed later: the server is being started again, say. */
static bool may_pass(int err)
{
    return err == CO4_ETIMEDOUT || err == CO4_NATS_EDISCONNECTED || err == CO4_NATS_ECONNECT ||
           err == CO4_NATS_ENORESPONDERS || err == CO4_NATS_ENOSTORE;
}

static void over(struct farm *f, int status)
{
    int err = co4_mailbox_send_until(f->over, &status, CO4_NOW);
    (void)err; /* it is over already */
}

static void fail(struct farm *f, const char *what, int err)
{
    char why[200];
    co4_nats_refusal(f->c, why, sizeof why);
    fprintf(stderr, "farm: %s: %s%s%s\n", what, co4_strerror(err),
            err == CO4_NATS_EREFUSED ? ": " : "", err == CO4_NATS_EREFUSED ? why : "");
    over(f, 1);
}

/* ---- jobs ---- */

static pausable int make_streams(struct farm *f)
{
    const char *jobs[] = { JOBS_SUBJECT ".>", NULL }, *done[] = { DONE_SUBJECT ".>", NULL };
    co4_nats_stream_options all[2] = {
        { .name = JOBS_STREAM, .subjects = jobs, .retention = CO4_NATS_WORK },
        { .name = DONE_STREAM, .subjects = done, .max_age = 24 * 3600 * CO4_SEC },
    };
    for (int i = 0; i < 2; i++) {
        int err;
        while (may_pass(err = co4_nats_stream_create(f->c, &all[i], SOON)))
            if (co4_sleep(CO4_SEC / 10) != CO4_OK)
                return CO4_ECANCELED;
        if (err != CO4_OK)
            return err;
    }
    return CO4_OK;
}

/* The id: a job that is sent again, as the answer was lost, is stored once. */
static pausable int put_job(struct farm *f, int number)
{
    char subject[128], id[128], text[JOB_TEXT];
    snprintf(subject, sizeof subject, "%s.%s.%d", JOBS_SUBJECT, f->o->run, number);
    snprintf(id, sizeof id, "%s.%d", f->o->run, number);
    int err, n = job_put(&f->o->picture, number, text);
    co4_nats_outgoing m = { .subject = subject, .data = text, .size = (size_t)n };
    while (may_pass(err = co4_nats_store(f->c, &m, &(co4_nats_expected){ .id = id }, NULL, SOON)))
        if (co4_sleep(CO4_SEC / 10) != CO4_OK)
            return CO4_ECANCELED;
    return err;
}

static pausable int put_jobs(struct farm *f)
{
    int err = CO4_OK;
    for (int i = 0; i < f->tiles && err == CO4_OK; i++)
        if (!f->is_done[i])
            err = put_job(f, i);
    if (err != CO4_OK && err != CO4_ECANCELED)
        fail(f, "a job", err);
    return err;
}

/* ---- results ---- */

static void take_result(struct farm *f, const co4_nats_message *m)
{
    size_t length;
    const char *number = strrchr(m->subject, '.'), *given = co4_nats_header(m, "Given", &length);
    int tile = number ? atoi(number + 1) : -1;
    const struct picture *p = &f->o->picture;
    if (tile < 0 || tile >= f->tiles || m->size != tile_bytes(picture_tile(p, tile)))
        return; /* of another picture: a run has one */
    if (f->is_done[tile]) {
        f->twice++;
        return;
    }
    f->is_done[tile] = true;
    f->order[f->finished++] = tile;
    f->again += given && atoi(given) > 1 ? atoi(given) - 1 : 0;
    picture_place(p, tile, (const unsigned char *)m->data, f->picture);
    if (f->finished == f->tiles)
        over(f, 0);
}

static pausable int take_results(struct farm *f, co4_scope *scope)
{
    co4_nats_follower *results = NULL;
    char filter[128];
    bool asked = false;
    snprintf(filter, sizeof filter, "%s.%s.*", DONE_SUBJECT, f->o->run);
    int err = make_streams(f);
    while (err == CO4_OK && may_pass(err = co4_nats_follow(&results, f->c, DONE_STREAM, filter,
                                                           CO4_NATS_FROM_FIRST, 0, SOON)))
        err = co4_sleep(CO4_SEC / 10);
    while (err == CO4_OK) {
        co4_nats_message *m;
        if (!asked && co4_nats_follow_is_current(results)) {
            asked = true;
            f->began = co4_now();
            if (f->finished < f->tiles)
                err = co4_scope_spawn(scope, put_jobs(f));
            if (err != CO4_OK)
                break;
        }
        err = co4_nats_follow_next(results, &m, co4_now() + CO4_SEC / 10);
        if (err == CO4_OK) {
            take_result(f, m);
            co4_nats_message_destroy(m);
        } else if (err == CO4_ETIMEDOUT) {
            err = CO4_OK;
        }
    }
    co4_nats_follower_destroy(results);
    if (err != CO4_ECANCELED && err != CO4_ECLOSED)
        fail(f, "results", err);
    return err;
}

/* ---- what is shown ---- */

static struct worker_news *news_of(struct farm *f, const char *name)
{
    for (int i = 0; i < f->worker_count; i++)
        if (strcmp(f->workers[i].name, name) == 0)
            return &f->workers[i];
    struct worker_news *oldest = f->workers;
    for (int i = 1; i < f->worker_count; i++)
        if (f->workers[i].seen < oldest->seen)
            oldest = &f->workers[i];
    if (f->worker_count < MOST_WORKERS)
        oldest = &f->workers[f->worker_count++];
    snprintf(oldest->name, sizeof oldest->name, "%s", name);
    return oldest;
}

static pausable int hear_workers(struct farm *f)
{
    co4_nats_subscription *s;
    co4_nats_message *m;
    int err = co4_nats_subscribe(&s, f->c, NEWS_SUBJECT, NULL, 0, CO4_NATS_DROP_OLDEST, SOON);
    if (err != CO4_OK)
        return err;
    while ((err = co4_nats_next(s, &m, CO4_NEVER)) == CO4_OK) {
        struct worker_news news;
        if (sscanf(m->data, "%63s %ld %ld", news.name, &news.done, &news.before) == 3) {
            news.seen = co4_now();
            *news_of(f, news.name) = news;
        }
        co4_nats_message_destroy(m);
    }
    co4_nats_unsubscribe(s);
    return err;
}

static pausable int hear_connection(struct farm *f)
{
    co4_nats_event e;
    while (co4_mailbox_receive(co4_nats_monitor(f->c), &e) == CO4_OK) {
        f->lost += e.kind == CO4_NATS_DISCONNECTED;
        f->up = e.kind == CO4_NATS_DISCONNECTED                                  ? false
                : e.kind == CO4_NATS_CONNECTED || e.kind == CO4_NATS_RECONNECTED ? true
                                                                                 : f->up;
    }
    return CO4_OK;
}

static pausable int hear_signals(struct farm *f)
{
    co4_signal s;
    co4_mailbox *end;
    int err = co4_signals(&end, SIGINT, SIGTERM);
    if (err != CO4_OK)
        return err;
    if (co4_mailbox_receive(end, &s) == CO4_OK)
        over(f, 128 + s.signo);
    co4_signals_destroy(end);
    return CO4_OK;
}

/* ---- the run ---- */

static pausable int run_all(struct farm *f, int *status)
{
    co4_scope *scope = co4_scope_here();
    int err = co4_scope_spawn(scope, hear_connection(f));
    if (err == CO4_OK)
        err = co4_scope_spawn(scope, hear_signals(f));
    if (err == CO4_OK)
        err = co4_scope_spawn(scope, hear_workers(f));
    if (err == CO4_OK)
        err = co4_scope_spawn(scope, take_results(f, scope));
    if (err == CO4_OK)
        err = co4_scope_spawn(scope, farm_progress(f));
    if (err == CO4_OK)
        err = co4_mailbox_receive(f->over, status);
    f->ended = co4_now();
    co4_scope_cancel(scope, 0);
    return err;
}

pausable int coordinate(struct farm *f)
{
    int status = 1;
    f->began = co4_now();
    int err = co4_scope_run(0, run_all(f, &status));
    return err == CO4_OK || err == CO4_ECANCELED ? status : 1;
}
