/* dump_signal_off.c - a handler that runs late, when dumps at a signal are off, writes into no
 * file.
 * needs: signals posix
 * modes: woven
 * expect: files: 0 bytes
 * expect: dumps again: no error, then a late one: 0 bytes */
#include <co4.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES = 8 };

static int into_nothing(void *data, const char *text, size_t bytes)
{
    (void)data, (void)text, (void)bytes;
    return CO4_OK;
}

static int on(void)
{
    return co4_dump_on_signal(SIGUSR1, into_nothing, NULL);
}

/* The library's, as another thread may have begun to run it. */
static void (*handler(void))(int)
{
    struct sigaction a;
    sigaction(SIGUSR1, NULL, &a);
    return a.sa_handler;
}

/* Files get the lowest descriptors, which something else may just have closed. */
static long written_late(void (*late)(int))
{
    char path[] = "/tmp/co4-late-XXXXXX";
    struct stat s;
    int first = mkstemp(path), fds[FILES] = { first };
    for (int i = 1; i < FILES; i++)
        fds[i] = open(path, O_WRONLY | O_APPEND);
    late(SIGUSR1);
    long bytes = first < 0 || fstat(first, &s) != 0 ? -1 : (long)s.st_size;
    for (int i = 0; i < FILES; i++)
        close(fds[i]);
    unlink(path);
    return bytes;
}

int main(void)
{
    if (on() != CO4_OK)
        return 1;
    void (*late)(int) = handler();
    co4_dump_on_signal(SIGUSR1, NULL, NULL);
    printf("files: %ld bytes\n", written_late(late));
    printf("dumps again: %s", co4_strerror(on()));
    co4_dump_on_signal(SIGUSR1, NULL, NULL);
    printf(", then a late one: %ld bytes\n", written_late(late));
    return 0;
}
