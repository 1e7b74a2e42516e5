/* retry_cancelled - a task that is cancelled between two attempts makes no other; one that sees it
 * within an attempt does not, either; inside a generator a pause is not possible.
 * modes: woven forced
 * expect: between: the task was cancelled, 1 attempt
 * expect: within: the task was cancelled, 1 attempt
 * expect: inside a generator: not possible in this state */
#include <co4.h>
#include <stdio.h>

static int attempts;

static pausable int fail(void *arg, int n)
{
    (void)n;
    attempts++;
    return arg ? co4_sleep(60 * CO4_SEC) : CO4_EFULL;
}

static pausable int try_often(void *arg)
{
    co4_retry often = { .delay = 60 * CO4_SEC };
    return co4_retry_run(&often, fail(arg, co4_attempt));
}

static pausable void cancel_one(const char *where, void *arg)
{
    attempts = 0;
    int err = CO4_OK;
    co4_task *t = co4_task_create(try_often(arg));
    co4_future *f = co4_future_of(co4_task_retain(t));
    co4_future_start(f);
    while (co4_task_state_of(t) != CO4_TASK_PAUSED)
        co4_yield();
    co4_future_cancel(f, 0);
    co4_future_await(f, &err);
    printf("%s: %s, %d attempt\n", where, co4_strerror(err), attempts);
    co4_future_release(f);
    co4_task_release(t);
}

static pausable void generator(void)
{
    int err = try_often(NULL);
    co4_gen_yield(&err);
}

int main(void)
{
    int err = 0;
    co4_run(cancel_one("between", NULL));
    co4_run(cancel_one("within", &err));
    co4_gen *g = co4_generate(generator());
    co4_gen_next(g, &err);
    printf("inside a generator: %s\n", co4_strerror(err));
    co4_gen_destroy(g);
    return 0;
}
