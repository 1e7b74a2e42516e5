/* trace_races.c - a trace is written while its threads go on, and is whole each time: it has what
 * was noted before, and nothing else.
 * needs: threads posix workers
 * modes: woven
 * expect: 20 traces, all whole */
#include <co4.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 2, TRACES = 20, ROUNDS = 500 };

static atomic_bool over;
static atomic_long rounds; /* of messages, of all threads */

static pausable void relay(co4_mailbox *in, co4_mailbox *out)
{
    for (int n; co4_mailbox_receive(in, &n) == CO4_OK;)
        if (co4_mailbox_send(out, &n) != CO4_OK)
            break;
}

static pausable int talk(void)
{
    co4_mailbox *to = co4_mailbox_create(sizeof(int), 1),
                *from = co4_mailbox_create(sizeof(int), 1);
    co4_task *t = co4_task_create(relay(to, from));
    int err = co4_runtime_schedule(NULL, t);
    for (int n = 0; err == CO4_OK && !atomic_load(&over); n++) {
        err = co4_mailbox_send(to, &n);
        if (err == CO4_OK)
            err = co4_mailbox_receive(from, &n);
        atomic_fetch_add(&rounds, 1);
    }
    co4_mailbox_close(to);
    co4_task_join(t);
    co4_task_release(t);
    co4_mailbox_destroy(to);
    co4_mailbox_destroy(from);
    return err;
}

static void *talks(void *arg)
{
    return co4_run(talk()) == CO4_OK ? arg : NULL;
}

struct text {
    char *all;
    size_t bytes;
    int64_t began; /* co4_now() when the first of it came */
};

/* From here on the threads go on for long enough to overwrite all that they have noted. */
static int look(void *data, const char *text, size_t bytes)
{
    struct text *t = data;
    char *all = realloc(t->all, t->bytes + bytes + 1);
    if (!all)
        return CO4_ENOMEM;
    if (t->bytes == 0) {
        t->began = co4_now();
        for (long before = atomic_load(&rounds); atomic_load(&rounds) < before + THREADS * ROUNDS;)
            sched_yield();
    }
    memcpy(all + t->bytes, text, bytes);
    t->all = all;
    t->bytes += bytes;
    all[t->bytes] = '\0';
    return CO4_OK;
}

/* Brackets that match, outside of names. */
static bool is_whole(const struct text *t)
{
    long depth = 0;
    bool quoted = false;
    char last = 0;
    for (size_t i = 0; i < t->bytes; i++) {
        char c = t->all[i];
        quoted ^= c == '"';
        if (!quoted)
            depth += (c == '{' || c == '[') - (c == '}' || c == ']');
        if (c > ' ')
            last = c;
    }
    return t->bytes > 0 && depth == 0 && !quoted && last == '}';
}

/* Is all of it from before it was written? An event that a thread was noting just then may be
 * later, and has a few lines. */
static bool is_of_then(const struct text *t, int *events)
{
    int late = 0;
    *events = 0;
    for (const char *at = t->all; (at = strstr(at, "\"ts\":")) != NULL; ++*events) {
        at += 5;
        late += strtoll(at, NULL, 10) > t->began / 1000 + 1; /* microseconds */
    }
    return late <= THREADS * 8;
}

int main(void)
{
    pthread_t all[THREADS];
    int whole = 0, of_then = 0, ended = 0, events = 0;
    if (co4_trace_begin(256) != CO4_OK)
        return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&all[i], NULL, talks, &over);
    for (int i = 0; i < TRACES; i++) {
        struct text t = { NULL, 0, 0 };
        if (co4_trace_write(look, &t) == CO4_OK) {
            whole += is_whole(&t);
            of_then += is_of_then(&t, &events);
        }
        free(t.all);
    }
    atomic_store(&over, true);
    for (int i = 0; i < THREADS; i++) {
        void *well;
        pthread_join(all[i], &well);
        ended += well != NULL;
    }
    co4_trace_end();
    printf("%d traces, %s\n", TRACES,
           whole != TRACES || ended != THREADS ? "not all whole"
           : of_then != TRACES                 ? "some with what came later"
           : events == 0                       ? "the last one empty"
                                               : "all whole");
    return 0;
}
