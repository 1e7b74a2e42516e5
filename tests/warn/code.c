/* code - codes of the library compared with what no call returns. */
#include <co4.h>
#include <co4/io.h>
#include <co4/net.h>
#include <errno.h>

extern int other(void);

pausable int compare(const char *host, int fd);
pausable int compare(const char *host, int fd)
{
    if (co4_sleep(CO4_MS) == -1)
        /* warning: 'co4_sleep' returns a code when it fails, and -1 is none: errno is not set */
        /* hint: compare with < 0; co4_strerror(code) says what it means */
        return 1;
    int socket = co4_tcp_connect(host, "7"), again;
    if (socket == -1) /* warning: 'co4_tcp_connect' returns a code when it fails, and -1 is none */
        return 2;
    if (-1 != (again = co4_accept_next(fd)))
        /* warning: 'co4_accept_next' returns a code when it fails, and -1 is none */
        return 3;
    int code = co4_sleep_until(CO4_NEVER);
    if (code == -ETIMEDOUT) /* warning: 'co4_sleep_until' never returns -ETIMEDOUT */
        /* hint: compare with CO4_ETIMEDOUT */
        return 4;
    if (code != -EWOULDBLOCK) /* warning: 'co4_sleep_until' never returns -E */
        return 5;
    if (code == -ENOENT || code == CO4_ECANCELED || code < 0) /* these it may return */
        return 6;
    int listener = -1; /* none yet */
    if (fd > 3)
        listener = co4_tcp_listen(host, "7", 0);
    if (listener == -1)
        return 7;
    int both = co4_sleep(CO4_MS);
    both = other();
    if (both == -1)
        return 8;
    char byte;
    return co4_read(fd, &byte, 1) == -1 && errno == EIO; /* as POSIX has it */
}
