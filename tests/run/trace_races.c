/* trace_races.c - a trace is written while its threads go on, and is whole each time.
 * needs: threads posix
 * modes: woven
 * expect: 20 traces, all whole */
#include <co4.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_bool over;

static pausable void relay(co4_mailbox *in, co4_mailbox *out)
{
    for (int n; co4_mailbox_get(in, &n) == CO4_OK;)
        if (co4_mailbox_put(out, &n) != CO4_OK)
            break;
}

static pausable int talk(void)
{
    co4_mailbox *to = co4_mailbox_create(sizeof(int), 1),
                *from = co4_mailbox_create(sizeof(int), 1);
    co4_task *t = co4_task_create(relay(to, from));
    int err = co4_runtime_schedule(NULL, t);
    for (int n = 0; err == CO4_OK && !atomic_load(&over); n++) {
        err = co4_mailbox_put(to, &n);
        if (err == CO4_OK)
            err = co4_mailbox_get(from, &n);
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
    long bytes, depth;
    char last;
    int quoted;
};

/* Brackets that match, outside of names. */
static int look(void *data, const char *text, size_t bytes)
{
    struct text *t = data;
    for (size_t i = 0; i < bytes; i++) {
        char c = text[i];
        t->quoted ^= c == '"';
        if (!t->quoted)
            t->depth += (c == '{' || c == '[') - (c == '}' || c == ']');
        if (c > ' ')
            t->last = c;
    }
    t->bytes += (long)bytes;
    return CO4_OK;
}

int main(void)
{
    enum { THREADS = 2, TRACES = 20 };
    pthread_t all[THREADS];
    int whole = 0, ended = 0;
    if (co4_trace_begin(256) != CO4_OK)
        return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&all[i], NULL, talks, &over);
    for (int i = 0; i < TRACES; i++) {
        struct text t = { 0, 0, 0, 0 };
        if (co4_trace_write(look, &t) == CO4_OK)
            whole += t.bytes > 0 && t.depth == 0 && !t.quoted && (t.last == '}' || t.last == ']');
    }
    atomic_store(&over, true);
    for (int i = 0; i < THREADS; i++) {
        void *well;
        pthread_join(all[i], &well);
        ended += well != NULL;
    }
    co4_trace_end();
    printf("%d traces, %s\n", TRACES,
           whole == TRACES && ended == THREADS ? "all whole" : "not all");
    return 0;
}
