/* io_plain.c - calls of sources that are built plain: a read after a short one, and after a wait.
 * needs: descriptors
 * modes: plain woven
 * expect: 3 3 3
 * expect: deadline: yes
 * expect: ready, and 2 */
#include <co4.h>
#include <co4/io.h>
#include <errno.h>
#include <stdio.h>

static pausable int all(void)
{
    int fds[2];
    char bytes[100];
    if (co4_socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
        return 1;
    for (int i = 0; i < 3; i++) { /* each read is short */
        co4_write(fds[0], "abc", 3);
        printf("%d%c", (int)co4_read(fds[1], bytes, sizeof bytes), i < 2 ? ' ' : '\n');
    }
    ssize_t n = co4_read_until(fds[1], bytes, sizeof bytes, co4_now() + CO4_MS);
    printf("deadline: %s\n", n < 0 && errno == ETIMEDOUT ? "yes" : "no");
    co4_write(fds[0], "ab", 2);
    int ready = co4_fd_wait(fds[1], POLLIN);
    n = co4_recv(fds[1], bytes, sizeof bytes, MSG_DONTWAIT);
    printf("%s, and %d\n", ready == 0 ? "ready" : "failed", (int)n);
    co4_close(fds[0]);
    co4_close(fds[1]);
    return 0;
}

int main(void)
{
    return co4_run(all());
}
