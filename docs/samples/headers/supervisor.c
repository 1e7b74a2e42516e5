/* supervisor.c - the lead example of co4/supervisor.h.
 * modes: woven forced
 * expect: 3 jobs, the log has 1 line: no error */
#include <co4.h>
#include <stdio.h>

static int lines, jobs;

static pausable int log_lines(void)
{
    lines++;
    return CO4_OK;
}

static pausable int worker(int *todo)
{
    co4_sleep(CO4_MS);
    ++*todo;
    return *todo < 3 ? CO4_EINVAL : CO4_OK; /* fails, and is started again */
}

static int start_log(co4_child *child, void *arg)
{
    (void)arg;
    return co4_child_spawn(child, log_lines());
}

static int start_worker(co4_child *child, void *arg)
{
    return co4_child_spawn(child, worker(arg));
}

static pausable int work(void)
{
    const co4_child_spec children[] = {
        { .name = "log", .start = start_log, .restart = CO4_TEMPORARY },
        { .name = "worker", .start = start_worker, .arg = &jobs, .restart = CO4_TRANSIENT },
    };
    int err = co4_supervise(&(co4_supervision){ .restarts = 5, .within = 10 * CO4_SEC }, children,
                            2);
    printf("%d jobs, the log has %d line: %s\n", jobs, lines, co4_strerror(err));
    return err;
}

int main(void)
{
    return co4_run(work());
}
