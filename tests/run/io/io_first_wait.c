/* io_first_wait.c - the first wait of a runtime for a descriptor, and then a step that does not end
 * on the same worker, which has never slept since: the other worker serves the descriptor.
 * needs: descriptors threads workers
 * modes: woven forced
 * expect: 20 of 20 answers beside a step that does not end */
#include <co4.h>
#include <co4/io.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static atomic_bool computing, over;

static pausable void echo(int fd)
{
    char c;
    while (co4_read(fd, &c, 1) == 1)
        co4_write(fd, &c, 1);
}

static pausable void computes(void)
{
    computing = true;
    while (!over)
        ;
}

/* It begins on worker 0, and may go on where a worker is free. Behind it, worker 0 computes. */
static pausable void serve(int fd)
{
    co4_task *t = co4_task_create(computes());
    co4_task_pin(t, 0);
    co4_runtime_schedule(NULL, t);
    co4_task_release(t);
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
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 2 });
    co4_runtime_start(rt);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0 || co4_fd_attach(fds[0], 0) != CO4_OK)
        return 1;
    usleep(20000); /* both workers sleep, without a reactor */
    co4_task *t = co4_task_create(serve(fds[0]));
    co4_task_pin(t, 0);
    co4_runtime_schedule(rt, t);
    co4_task_release(t);
    while (!computing) /* behind it: so it waits */
        usleep(1000);
    usleep(20000);
    while (got < 20 && answers(fds[1]))
        got++;
    printf("%d of 20 answers beside a step that does not end\n", got);
    over = true;
    close(fds[1]);
    co4_runtime_join(rt);
    co4_close(fds[0]);
    return co4_runtime_destroy(rt);
}
