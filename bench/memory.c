/* memory.c - what a task that waits costs: growth of resident memory over a million of them, in a process of its own. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include <co4.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PARKED = 1000 * 1000 };

/* One live integer, parked on a mailbox that all of them share. */
pausable void parked(co4_mailbox *box, int id, long *sum)
{
    int message;
    co4_mailbox_get(box, &message);
    *sum += id;
}

static double park_tasks(void)
{
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 0 });
    co4_mailbox *box = co4_mailbox_create(sizeof(int), 1);
    long sum = 0;
    co4_runtime_start(rt);
    double before = bench_resident();
    for (int i = 0; i < PARKED; i++) {
        co4_runtime_spawn(rt, parked(box, i, &sum));
        if (i % 256 == 255)
            co4_runtime_run_once(rt);
    }
    while (co4_runtime_run_once(rt) > 0)
        continue;
    double each = (bench_resident() - before) / PARKED;
    co4_mailbox_close(box);
    co4_runtime_join(rt);
    bench_check("parked_bytes", sum, (long)PARKED * (PARKED - 1) / 2);
    co4_mailbox_destroy(box);
    co4_runtime_destroy(rt);
    return each;
}

static double park_plain(void)
{
    return plain_parked_bytes(PARKED);
}

/* Runs it in a child: memory that was used before would hide the growth. */
static double in_child(double (*work)(void))
{
    int ends[2];
    double result = 0;
    bench_check("pipe", pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        result = work();
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

static double run_parked(void)
{
    return in_child(park_tasks);
}
static double base_parked(void)
{
    return in_child(park_plain);
}

const bench_workload bench_memory[] = {
    { "parked_bytes", "bytes", run_parked, base_parked, 3 },
    { 0 },
};
