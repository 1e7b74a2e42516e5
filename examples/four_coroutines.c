/* four_coroutines.c - four tasks on three workers, watched step by step.
 *
 * Each task offers three values and yields after each. The runtime calls `observe` at every step
 * of every task; for one task the calls never overlap, so each coroutine's own fields need no lock.
 * The observer checks the value on offer against the state of the task: after the n-th step it is
 * the n-th value, and after the step that follows the last value the task has stopped. */
#include <co4.h>
#include <stdio.h>
#include <string.h>

enum { VALUES = 3, COROUTINES = 4 };

struct coroutine {
    const char *values[VALUES];
    co4_task *task;
    const char *offered; /* written by the task, read by its observer on the same thread */
    int steps;
    int stopped;
    int faults;
};

static struct coroutine coroutines[COROUTINES] = {
    { .values = { "x", "y", "z" } },
    { .values = { "1", "2", "3" } },
    { .values = { "99", "98", "97" } },
    { .values = { "a", "b", "c" } },
};

pausable void offer(struct coroutine *c)
{
    for (int i = 0; i < VALUES; i++) {
        c->offered = c->values[i];
        co4_yield();
    }
    c->offered = NULL;
}

static void observe(void *data, co4_task *task, co4_task_state state)
{
    struct coroutine *c = data;
    while (c->task != task)
        c++;
    if (state == CO4_TASK_RUNNING)
        return;
    if (state == CO4_TASK_STOPPED) {
        c->stopped++;
        c->faults += c->steps != VALUES || c->offered != NULL;
        return;
    }
    c->faults += state != CO4_TASK_READY || c->steps >= VALUES ||
                 strcmp(c->offered, c->values[c->steps]) != 0;
    c->steps++;
}

int main(void)
{
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){
        .workers = 3, .batch = 2, .observer = observe, .observer_data = coroutines });
    int err = rt ? CO4_OK : CO4_ENOMEM, faults = 0;
    for (int i = 0; i < COROUTINES && err == CO4_OK; i++) {
        coroutines[i].task = co4_task_create(offer(&coroutines[i]));
        err = coroutines[i].task ? co4_runtime_schedule(rt, coroutines[i].task) : CO4_ENOMEM;
    }
    if (rt && co4_runtime_start(rt) == CO4_OK)
        co4_runtime_join(rt);
    for (int i = 0; i < COROUTINES && err == CO4_OK; i++)
        err = co4_task_error(coroutines[i].task);
    if (err != CO4_OK) {
        fprintf(stderr, "four_coroutines: %s\n", co4_strerror(err));
        return 1;
    }
    for (int i = 0; i < COROUTINES; i++) {
        const struct coroutine *c = &coroutines[i];
        printf("%s %s %s: %d steps, stopped %d time, %d faults\n", c->values[0], c->values[1],
               c->values[2], c->steps, c->stopped, c->faults);
        faults += c->faults + (c->stopped != 1);
        co4_task_release(c->task);
    }
    return co4_runtime_destroy(rt) != CO4_OK || faults != 0;
}
