/* durable.c - streams of the soak: each job is done at least once, a log is read each once and in
 * order, values of a key never go back. */
#define _GNU_SOURCE
#include <co4/io.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "soak.h"

enum { MOST = 2000000, ROOM = 600 };

static struct {
    co4_nats *near, *far, *reader;
    co4_task *jobs, *log, *puts, *following, *watching;
    unsigned jobs_stored, log_stored, log_duplicates, values;
    atomic_uint log_read, log_wrong, value_seen, value_wrong, strange, tries;
    atomic_bool finish;
} d;

/* Codes that a server which goes and comes back may give. */
static bool is_passing(int code)
{
    return code == CO4_NATS_EDISCONNECTED || code == CO4_ETIMEDOUT || code == CO4_NATS_ENOSTORE ||
           code == CO4_NATS_ENOTFOUND || code == CO4_NATS_ENORESPONDERS;
}

/* Stores numbers until the end. Returns how many. */
static pausable int store_all(co4_nats *c, const char *stream, unsigned *stored, unsigned pause)
{
    char data[ROOM], id[32];
    uint64_t seed = (uint64_t)(uintptr_t)stream;
    for (unsigned i = 0; !soak_stop && i < MOST; i++) {
        snprintf(id, sizeof id, "%s.%u", stream, i);
        co4_nats_outgoing m = { .subject = stream,
                                .data = data,
                                .size = soak_fill(data, 20 + soak_random(&seed) % (ROOM - 20), 0,
                                                  i) };
        co4_nats_expected e = { .id = id };
        co4_nats_stored s;
        int err;
        while (is_passing(err = co4_nats_store(c, &m, &e, &s, SOON))) {
            d.tries++;
            co4_sleep(20 * CO4_MS);
        }
        d.strange += err != CO4_OK;
        *stored = i + 1;
        co4_sleep(soak_random(&seed) % pause * CO4_MS);
    }
    return 0;
}

static pausable int put_all(co4_nats *c)
{
    co4_nats_kv *kv = NULL;
    int err;
    while (is_passing(err = co4_nats_kv_open(&kv, c, "soak", NULL, SOON))) {
    }
    d.strange += err != CO4_OK;
    for (unsigned i = 1; kv && !soak_stop; i++) {
        char text[16];
        int n = snprintf(text, sizeof text, "%u", i);
        while (is_passing(err = co4_nats_kv_put(kv, "key", text, (size_t)n, NULL, SOON)))
            co4_sleep(20 * CO4_MS);
        d.strange += err != CO4_OK;
        d.values = i;
        co4_sleep(3 * CO4_MS);
    }
    co4_nats_kv_close(kv);
    return 0;
}

/* Each value is as new as the one before, and the last one comes. */
static pausable int watch(co4_nats *c)
{
    co4_nats_kv *kv = NULL;
    co4_nats_watch *w = NULL;
    co4_nats_entry e;
    while (!kv && is_passing(co4_nats_kv_open(&kv, c, "soak", NULL, SOON))) {
    }
    while (!w && is_passing(co4_nats_kv_watch(&w, kv, ">", SOON))) {
    }
    while (!d.finish || d.value_seen != d.values) {
        int err = co4_nats_watch_next(w, &e, NULL, co4_now() + CO4_SEC);
        if (err != CO4_OK) {
            d.strange += !is_passing(err);
            co4_sleep(CO4_MS);
            continue;
        }
        unsigned value = (unsigned)strtoul(e.value, NULL, 10);
        d.value_wrong += value < d.value_seen;
        d.value_seen = value;
        co4_nats_entry_destroy(&e);
    }
    co4_nats_watch_destroy(w);
    co4_nats_kv_close(kv);
    return 0;
}

static pausable int follow(co4_nats *c)
{
    co4_nats_follower *f = NULL;
    co4_nats_message *m;
    unsigned who, number;
    while (!f && is_passing(co4_nats_follow(&f, c, "LOG", NULL, CO4_NATS_FROM_FIRST, 0, SOON))) {
    }
    while (!d.finish || d.log_read < d.log_stored) {
        int err = co4_nats_follow_next(f, &m, co4_now() + CO4_SEC);
        if (err != CO4_OK) {
            d.strange += !is_passing(err);
            co4_sleep(CO4_MS);
            continue;
        }
        d.log_wrong += !soak_read(m->data, m->size, &who, &number) || number != d.log_read;
        d.log_read = number + 1;
        co4_nats_message_destroy(m);
    }
    co4_nats_follower_destroy(f);
    return 0;
}

pausable bool durable_start(const char *near, const char *far)
{
    d.near = soak_open(near);
    d.far = soak_open(far);
    d.reader = soak_open(far);
    co4_nats_stream_options jobs = { .name = "JOBS", .retention = CO4_NATS_WORK };
    co4_nats_stream_options log = { .name = "LOG" };
    int err;
    while (is_passing(err = co4_nats_stream_create(d.near, &jobs, SOON))) {
    }
    if (err == CO4_OK)
        while (is_passing(err = co4_nats_stream_create(d.near, &log, SOON))) {
        }
    if (err != CO4_OK) {
        fprintf(stderr, "no streams: %s\n", co4_strerror(err));
        return false;
    }
    d.jobs = co4_spawn(store_all(d.far, "JOBS", &d.jobs_stored, 8));
    d.log = co4_spawn(store_all(d.near, "LOG", &d.log_stored, 12));
    d.puts = co4_spawn(put_all(d.near));
    d.following = co4_spawn(follow(d.reader));
    d.watching = co4_spawn(watch(d.reader));
    return true;
}

/* ---- the end ---- */

/* How often each job was done, by the file of the workers. Returns how many were never done. */
static unsigned read_jobs(const char *path, unsigned count, unsigned *again)
{
    unsigned char *done = calloc(count + 1, 1);
    FILE *file = fopen(path, "r");
    unsigned number, never = 0;
    if (!file || !done)
        abort();
    while (fscanf(file, "%u", &number) == 1)
        if (number < count && done[number] < 255)
            *again += done[number]++ > 0;
    for (unsigned i = 0; i < count; i++)
        never += done[i] == 0;
    fclose(file);
    free(done);
    return never;
}

/* Removes what is acknowledged and was kept by a server that was killed. Returns how many jobs are
 * left. */
static pausable unsigned remove_done(co4_nats *c)
{
    co4_nats_consumer_state k = { 0 };
    co4_nats_stream_state state = { .messages = 1 };
    int err = CO4_OK;
    for (int i = 0; state.messages > 0 && err == CO4_OK && i < 60; i++) {
        err = co4_nats_consumer_look(c, "JOBS", "w", &k, SOON);
        uint64_t last = k.working == 0 && k.pending == 0 ? k.given : k.done;
        if (err == CO4_OK)
            err = co4_nats_stream_purge(c, "JOBS", NULL, last + 1, NULL, SOON);
        if (err == CO4_OK)
            err = co4_nats_stream_look(c, "JOBS", &state, SOON);
        if (err == CO4_OK && state.messages > 0)
            err = co4_sleep(CO4_SEC / 2);
    }
    if (state.messages > 0)
        fprintf(stderr, "%s: done %u, given %u, at work %u, pending %u; stream: %u to %u\n",
                co4_strerror(err), (unsigned)k.done, (unsigned)k.given, (unsigned)k.working,
                (unsigned)k.pending, (unsigned)state.first, (unsigned)state.last);
    return (unsigned)state.messages;
}

pausable bool durable_end(const char *jobs)
{
    co4_join(d.jobs, NULL);
    co4_join(d.log, NULL);
    co4_join(d.puts, NULL);
    unsigned again = 0, never = 0;
    co4_nats_stream_state state = { 0 };
    for (int i = 0; i < 90; i++) { /* ack_wait is 3 s */
        int err = co4_nats_stream_look(d.near, "JOBS", &state, SOON);
        again = 0;
        never = read_jobs(jobs, d.jobs_stored, &again);
        if (err == CO4_OK && state.messages == 0)
            break;
        if (never == 0 && i >= 15)
            break; /* all are done, and what is left stays */
        co4_sleep(CO4_SEC);
    }
    unsigned left = (unsigned)state.messages, kept = remove_done(d.near);
    d.finish = true;
    co4_join(d.following, NULL);
    co4_join(d.watching, NULL);
    co4_nats_close(d.near, SOON);
    co4_nats_close(d.far, SOON);
    co4_nats_close(d.reader, SOON);
    fprintf(
        stderr,
        "jobs: %u stored, %u never done, %u done again, %u left in the stream, %u after a purge\n"
        "log: %u stored, %u read, %u wrong; values: %u, the last seen %u, %u go back; "
        "%u tried again, %u strange codes\n",
        d.jobs_stored, never, again, left, kept, d.log_stored, d.log_read, d.log_wrong, d.values,
        d.value_seen, d.value_wrong, d.tries, d.strange);
    return never == 0 && kept == 0 && d.log_wrong == 0 && d.value_wrong == 0 && d.strange == 0 &&
           d.jobs_stored > 0 && d.log_stored > 0;
}

/* ---- a worker ---- */

static pausable int do_job(const co4_nats_message *m, void *arg)
{
    unsigned who, number;
    char line[16];
    if (!soak_read(m->data, m->size, &who, &number))
        return CO4_NATS_EREFUSED;
    co4_sleep(number % 7 * CO4_MS);
    int n = snprintf(line, sizeof line, "%u\n", number);
    return co4_write(*(int *)arg, line, (size_t)n) == n ? CO4_OK : CO4_EINVAL;
}

static pausable int work(const char *url, int file)
{
    co4_nats *c = soak_open(url);
    for (;;) {
        co4_nats_consumer *k = NULL;
        co4_nats_consumer_options o = { .name = "w", .ack_wait = 3 * CO4_SEC, .credit = 4 };
        int err = co4_nats_consume(&k, c, "JOBS", &o, SOON);
        if (err == CO4_OK)
            err = co4_nats_work(k, do_job, &file);
        co4_nats_consumer_destroy(k);
        if (err == CO4_ECLOSED || err == CO4_ECANCELED)
            return 1;
        co4_sleep(50 * CO4_MS);
    }
}

int durable_worker(const char *url, const char *jobs)
{
    int file = open(jobs, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    return co4_run(work(url, file));
}
