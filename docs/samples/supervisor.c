/* supervisor - a worker that fails now and then, and is started again.
 * modes: woven forced
 * expect: 1 2 a worker has failed
 * expect: 4 5 a worker has failed
 * expect: 7 8 the work is done: no error */
#include <co4.h>
#include <stdio.h>

struct work {
    int next, count;
};

static pausable int worker(struct work *w)
{
    while (w->next <= w->count) {
        int n = w->next++;
        co4_sleep(CO4_MS);
        if (n % 3 == 0)
            return CO4_EINVAL;
        printf("%d ", n);
    }
    return CO4_OK;
}

static int start_worker(co4_child *child, void *arg)
{
    struct work *w = arg;
    return co4_child_spawn(child, worker(w));
}

static void tell(void *arg, const co4_child_spec *child, int code)
{
    (void)arg;
    if (code < 0)
        printf("a %s has failed\n", child->name);
}

static pausable int supervise(struct work *w)
{
    const co4_child_spec children[] = {
        { .name = "worker", .start = start_worker, .arg = w, .restart = CO4_TRANSIENT },
    };
    const co4_supervision how = {
        .strategy = CO4_ONE_FOR_ONE, .restarts = 5, .within = 10 * CO4_SEC, .ended = tell
    };
    return co4_supervise(&how, children, 1);
}

int main(void)
{
    struct work w = { 1, 8 };
    int err = co4_run(supervise(&w));
    printf("the work is done: %s\n", co4_strerror(err));
    return err != CO4_OK;
}
