/* full_pipe.c - co4_write_fd waits until a pipe that is full has room, and loses nothing.
 * needs: posix pipes
 * modes: plain woven
 * expect: CO4_OK after 4 waits or more, all there
 * expect: CO4_ECLOSED */
#define _POSIX_C_SOURCE 200809L
#include <co4.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { BYTES = 300000 };

static int ends[2], waits;
static size_t got, wrong;

static void empty(void)
{
    char bytes[4096];
    ssize_t n;
    while ((n = read(ends[0], bytes, sizeof bytes)) > 0)
        for (ssize_t i = 0; i < n; i++, got++)
            wrong += bytes[i] != (char)(got % 127);
}

/* The library's calls come here. There is no other reader, so it makes room itself. */
int poll(struct pollfd *fds, nfds_t count, int timeout)
{
    struct pollfd *volatile asked = fds; /* the compiler takes fds for written only */
    waits++;
    if (count != 1 || asked->fd != ends[1] || asked->events != POLLOUT || timeout != -1)
        abort();
    empty();
    asked->revents = POLLOUT;
    return 1;
}

int main(void)
{
    char *text = malloc(BYTES);
    if (text == NULL || pipe(ends) != 0)
        return 1;
    for (size_t i = 0; i < BYTES; i++)
        text[i] = (char)(i % 127);
    for (int i = 0; i < 2; i++)
        if (fcntl(ends[i], F_SETFL, O_NONBLOCK) != 0)
            return 1;
    int code = co4_write_fd((void *)(intptr_t)ends[1], text, BYTES);
    empty();
    printf("%s after %s, %s there\n", co4_errname(code), waits >= 4 ? "4 waits or more" : "less",
           got == BYTES && wrong == 0 ? "all" : "not all");
    close(ends[0]);
    signal(SIGPIPE, SIG_IGN);
    printf("%s\n", co4_errname(co4_write_fd((void *)(intptr_t)ends[1], text, 1)));
    close(ends[1]);
    free(text);
    return 0;
}
