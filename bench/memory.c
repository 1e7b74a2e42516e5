/* memory.c - what a task that waits costs: growth of resident memory over a million of them, in a
 * process of its own. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include <co4.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PARKED = 1000 * 1000 };

/* One live integer, parked on a mailbox that all of them share, or each has for its own. */
pausable void parked(co4_mailbox *box, int id, long *sum)
{
    int message;
    co4_mailbox_receive(box, &message);
    *sum += id;
}

static double park_tasks(long count, int own)
{
    co4_mailbox **boxes = calloc(own ? (size_t)count : 1, sizeof *boxes);
    bench_check("calloc", boxes != NULL, 1);
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = CO4_RUNTIME_EMBEDDED });
    long sum = 0;
    co4_runtime_start(rt);
    double before = bench_resident();
    for (long i = 0; i < count; i++) {
        if (own || i == 0)
            boxes[i] = co4_mailbox_create(sizeof(int), 1);
        co4_runtime_spawn(rt, parked(boxes[own ? i : 0], (int)i, &sum));
        if (i % 256 == 255)
            co4_runtime_run_once(rt);
    }
    while (co4_runtime_run_once(rt) > 0)
        continue;
    double each = (bench_resident() - before) / (double)count;
    for (long i = 0; i < (own ? count : 1); i++)
        co4_mailbox_close(boxes[i]);
    co4_runtime_join(rt);
    bench_check("parked_bytes", sum, count * (count - 1) / 2);
    for (long i = 0; i < (own ? count : 1); i++)
        co4_mailbox_destroy(boxes[i]);
    free(boxes);
    co4_runtime_destroy(rt);
    return each;
}

static double park_shared(long count)
{
    return park_tasks(count, 0);
}
static double park_own(long count)
{
    return park_tasks(count, 1);
}
static double plain_shared(long count)
{
    return plain_parked_bytes(count, 0);
}
static double plain_own(long count)
{
    return plain_parked_bytes(count, 1);
}

/* Runs it in a child: memory that was used before would hide the growth. */
static double in_child(double (*work)(long), long count)
{
    int ends[2];
    double result = 0;
    bench_check("pipe", pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        result = work(count);
        _exit(write(ends[1], &result, sizeof result) != (ssize_t)sizeof result);
    }
    close(ends[1]);
    bench_check("parked_bytes", read(ends[0], &result, sizeof result), sizeof result);
    close(ends[0]);
    int status = 1;
    waitpid(child, &status, 0);
    bench_check("parked_bytes", status, 0);
    return result;
}

static double run_parked(long count)
{
    return in_child(park_shared, count);
}
static double base_parked(long count)
{
    return in_child(plain_shared, count);
}
static double run_own(long count)
{
    return in_child(park_own, count);
}
static double base_own(long count)
{
    return in_child(plain_own, count);
}

const bench_workload bench_memory[] = {
    { "parked_bytes", "bytes", run_parked, base_parked, PARKED, 3 },
    { "parked_own_bytes", "bytes", run_own, base_own, PARKED, 3 },
    { 0 },
};
