/* io_rescue_busy.c - the descriptors of a worker whose step does not end are served by a worker
 * that never sleeps, without the monitor.
 *
 * A task waits on worker 0, so its descriptor is registered there. Then worker 0 computes, and on
 * worker 1 two tasks yield to each other.
 * needs: descriptors threads workers
 * modes: woven forced
 * expect: 20 of 20 answers between two busy workers */
#include <co4.h>
#include <co4/io.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static atomic_bool over;

static pausable void computes(void)
{
    while (!over)
        ;
}

static pausable void yields(void)
{
    while (!over)
        co4_yield();
}

static pausable void echo(int fd)
{
    char c;
    while (co4_read(fd, &c, 1) == 1)
        co4_write(fd, &c, 1);
}

static void start(co4_runtime *rt, co4_task *t, int worker)
{
    co4_task_pin(t, worker);
    co4_runtime_schedule(rt, t);
    co4_task_release(t);
}

static pausable void serve(int fd)
{
    start(NULL, co4_task_create(computes()), 0);
    co4_task_pin(co4_self(), -1);
    echo(fd);
}

/* With a limit, so that a test that fails ends. */
static int answers(int fd)
{
    struct pollfd p = { .fd = fd, .events = POLLIN };
    char c = 'x', back = 0;
    return write(fd, &c, 1) == 1 && poll(&p, 1, 10000) == 1 && read(fd, &back, 1) == 1 && back == c;
}

int main(void)
{
    int fds[2], got = 0;
    co4_runtime *rt = co4_runtime_create(
        &(co4_runtime_options){ .workers = 2, .rescue_after = 1000 * CO4_SEC });
    co4_runtime_start(rt);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0 || co4_fd_attach(fds[0], 0) != CO4_OK)
        return 1;
    for (int i = 0; i < 2; i++)
        start(rt, co4_task_create(yields()), 1);
    start(rt, co4_task_create(serve(fds[0])), 0);
    usleep(20000);
    while (got < 20 && answers(fds[1]))
        got++;
    printf("%d of 20 answers between two busy workers\n", got);
    over = true;
    close(fds[1]);
    co4_runtime_join(rt);
    co4_close(fds[0]);
    return co4_runtime_destroy(rt);
}
