/* io_sendfile_part.c - a peer goes while sendfile() is under way: the system returns what it has
 * sent, and raises SIGPIPE all the same. The program does not see it.
 *
 * Here the program's own sendfile() does so, as no program can choose that moment.
 * needs: descriptors posix
 * modes: woven
 * expect: 10, -1, EPIPE */
#define _GNU_SOURCE
#include <co4.h>
#include <co4/io.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/sendfile.h>

static int calls;

ssize_t sendfile(int out, int in, off_t *offset, size_t bytes)
{
    (void)out, (void)in, (void)bytes;
    raise(SIGPIPE);
    errno = EPIPE;
    if (calls++ > 0)
        return -1;
    *offset += 10;
    return 10;
}

static pausable void sends(void)
{
    int fds[2];
    off_t at = 0;
    if (co4_socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
        return;
    ssize_t part = co4_sendfile(fds[0], 0, &at, 100);
    ssize_t none = co4_sendfile(fds[0], 0, &at, 100);
    printf("%zd, %zd, %s\n", part, none, errno == EPIPE ? "EPIPE" : "?");
    co4_close(fds[0]);
    co4_close(fds[1]);
}

int main(void)
{
    co4_run(sends());
    return 0;
}
