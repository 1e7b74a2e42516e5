/* libpq_tasks.c - queries of a PostgreSQL server, a task each, on two workers.
 *
 *     libpq_tasks CONNECTION-STRING QUERIES
 *
 * Then there are queries that end before their answer: the server is told, it has a time limit, or
 * the task is cancelled. */
#include <co4.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libpq_query.h"
#include "measure.h"

enum { ENDED = 20 };

static const char *server;
static int *results;

static struct ended {
    PGcancel *ready;
    int failed, heard;
    char state[8];
} ended[3][ENDED];

static pausable void ask(int i)
{
    results[i] = libpq_query(server, i);
}

static pausable void ask_long(struct ended *e, const char *command)
{
    e->failed = libpq_long_query(server, command, &e->ready, e->state);
}

static pausable void tell(struct ended *e)
{
    e->heard = libpq_cancel(&e->ready);
}

static pausable void cancel(struct ended *e, co4_task *task)
{
    while (__atomic_load_n(&e->ready, __ATOMIC_ACQUIRE) == NULL)
        co4_sleep(10 * CO4_MS);
    co4_sleep(100 * CO4_MS);
    e->heard = co4_task_cancel(task, CO4_ECANCELED) == CO4_OK;
    PQfreeCancel(e->ready);
}

static int count(const struct ended *all, int heard, const char *state)
{
    int n = 0;
    for (int i = 0; i < ENDED; i++)
        n += all[i].failed && all[i].heard == heard && strcmp(all[i].state, state) == 0;
    return n;
}

int main(int argc, char **argv)
{
    int queries = argc > 2 ? atoi(argv[2]) : 1, good = 0, told, limited, cancelled;
    co4_task *tasks[ENDED];
    server = argv[1];
    results = calloc((size_t)queries, sizeof *results);
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 2 });
    if (results == NULL || rt == NULL || co4_runtime_start(rt) != CO4_OK)
        return 2;
    double begin = measure_seconds();
    for (int i = 0; i < queries; i++)
        co4_runtime_spawn(rt, ask(i));
    co4_runtime_join(rt);
    printf("%d queries in %.2f s\n", queries, measure_seconds() - begin);
    for (int i = 0; i < queries; i++)
        good += results[i] == 7 * i;

    rt = co4_runtime_destroy(rt) == CO4_OK
             ? co4_runtime_create(&(co4_runtime_options){ .workers = 2 })
             : NULL;
    if (rt == NULL)
        return 2;
    begin = measure_seconds();
    for (int i = 0; i < ENDED; i++) {
        co4_runtime_spawn(rt, ask_long(&ended[0][i], "SELECT 1"));
        co4_runtime_spawn(rt, tell(&ended[0][i]));
        co4_runtime_spawn(rt, ask_long(&ended[1][i], "SET statement_timeout = 300"));
        tasks[i] = co4_runtime_spawn(rt, ask_long(&ended[2][i], "SELECT 1"));
        co4_runtime_spawn(rt, cancel(&ended[2][i], tasks[i]));
    }
    co4_runtime_start(rt);
    co4_runtime_join(rt);
    told = count(ended[0], 1, "57014");
    limited = count(ended[1], 0, "57014");
    cancelled = count(ended[2], 1, "");
    printf("%d good; %d told, %d limited, %d cancelled of %d, in %.2f s\n", good, told, limited,
           cancelled, ENDED, measure_seconds() - begin);
    for (int i = 0; i < ENDED; i++)
        PQfreeCancel(ended[1][i].ready);
    free(results);
    return co4_runtime_destroy(rt) == CO4_OK && good == queries && told == ENDED &&
                   limited == ENDED && cancelled == ENDED
               ? 0
               : 1;
}
