/* io_closed_behind.c - a plain close() between a try that found nothing and the wait: EBADF.
 *
 * needs: descriptors posix
 * modes: woven forced
 * expect: a read: EBADF */
#define _GNU_SOURCE
#include <co4.h>
#include <co4/io.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

pausable void read_what_is_closed(void)
{
    int fds[2];
    char c;
    if (co4_socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
        return;
    /* From now on the library knows that there is nothing to read, and waits without a try. */
    if (co4_recv_until(fds[0], &c, 1, 0, CO4_NOW) != -1 || errno != EAGAIN)
        puts("there is something");
    close(fds[0]);
    ssize_t n = co4_read_until(fds[0], &c, 1, co4_now() + CO4_SEC);
    printf("a read: %s\n", n == -1 && errno == EBADF ? "EBADF" : strerror(errno));
    co4_close(fds[1]);
}

int main(void)
{
    co4_run(read_what_is_closed());
    return 0;
}
