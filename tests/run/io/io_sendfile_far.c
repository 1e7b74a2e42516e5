/* io_sendfile_far.c - a part of a file that is not in memory is fetched by the pool before it is
 * sent, so that no worker waits for the device. What is in memory is sent at once.
 * needs: descriptors threads workers
 * modes: woven forced
 * weave: -Wno-co4-blocking
 * expect: not in memory: 1000003 bytes, fetched by the pool
 * expect: in memory: 1000003 bytes, at once
 * expect: one byte, not in memory: 1, fetched by the pool
 * expect: beyond the end: 0, at once
 * expect: from the position, not in memory: 1000003 bytes, fetched by the pool
 * expect: of a connection, not in memory: 1000003 bytes, fetched by the pool
 * expect: of a connection, in memory: 1000003 bytes, at once
 * expect: not a file: EINVAL
 * expect: no descriptor: EBADF */
#define _GNU_SOURCE
#include <co4.h>
#include <co4/conn.h>
#include <co4/insight.h>
#include <co4/io.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#if defined(__linux__) && defined(RWF_NOWAIT)

enum { BYTES = 1000003 };

static char bytes[BYTES];
static int file;
static int wrong;
static int able; /* the system says what is in memory; some emulators do not */
static co4_runtime *runtime;

/* Returns whether the file is out of memory now: some file systems are in memory alone. */
static int forget(void)
{
    char c;
    struct iovec one = { &c, 1 };
    fsync(file);
    posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    return preadv2(file, &one, 1, BYTES - 1, RWF_NOWAIT) < 0 && errno == EAGAIN;
}

static pausable int check_all(int fd)
{
    static char got[65536];
    size_t at = 0;
    ssize_t n;
    while ((n = co4_read(fd, got, sizeof got)) > 0) {
        for (ssize_t i = 0; i < n; i++)
            wrong += got[i] != bytes[(at + (size_t)i) % BYTES];
        at += (size_t)n;
    }
    return (int)at;
}

static unsigned long long pool_calls(void)
{
    co4_stats s;
    return co4_stats_of(runtime, &s) == CO4_OK ? s.pool_calls : 0;
}

static void say(const char *what, ssize_t n, const char *unit, int far, unsigned long long before)
{
    int by_pool = pool_calls() > before;
    printf("%s: %d%s, %s\n", what, (int)n, unit,
           (far < 0 ? 1 : far) ? "fetched by the pool" : "at once");
    if (far >= 0 && able && by_pool != far)
        printf("%s: %s\n", what, by_pool ? "the pool was used" : "the pool was not used");
}

pausable int all(void)
{
    int fds[2], n = 0;
    off_t at = 0;
    char path[] = "co4-sendfile-far.XXXXXX";
    file = mkstemp(path);
    unlink(path);
    for (int i = 0; i < BYTES; i++)
        bytes[i] = (char)(i * 7 + i / 251);
    if (write(file, bytes, BYTES) != BYTES)
        return 1;
    char byte;
    able = preadv2(file, &(struct iovec){ &byte, 1 }, 1, 0, RWF_NOWAIT) == 1;
    co4_socketpair(AF_UNIX, SOCK_STREAM, 0, fds);
    co4_task *t = co4_spawn(check_all(fds[1]));

    int far = forget() ? 1 : -1; /* -1: either is right */
    unsigned long long before = pool_calls();
    say("not in memory", co4_sendfile(fds[0], file, &at, 2 * BYTES), " bytes", far, before);
    before = pool_calls();
    at = 0;
    say("in memory", co4_sendfile(fds[0], file, &at, BYTES), " bytes", 0, before);
    far = forget() ? 1 : -1;
    before = pool_calls();
    off_t first = 0;
    say("one byte, not in memory", co4_sendfile(fds[0], file, &first, 1), "", far, before);
    before = pool_calls();
    at = BYTES;
    say("beyond the end", co4_sendfile(fds[0], file, &at, 10), "", 0, before);
    at = 1;
    co4_sendfile(fds[0], file, &at, BYTES - 1); /* the reader is at 0 again */
    far = forget() ? 1 : -1;
    before = pool_calls();
    lseek(file, 0, SEEK_SET);
    say("from the position, not in memory", co4_sendfile(fds[0], file, NULL, BYTES), " bytes", far,
        before);

    co4_conn *c = co4_conn_create(fds[0]);
    far = forget() ? 1 : -1;
    before = pool_calls();
    at = 0;
    say("of a connection, not in memory", co4_conn_send_file(c, file, &at, BYTES), " bytes", far,
        before);
    before = pool_calls();
    at = 0;
    say("of a connection, in memory", co4_conn_send_file(c, file, &at, BYTES), " bytes", 0, before);
    co4_conn_close(c);
    co4_join(t, &n);
    co4_close(fds[1]);
    if (wrong > 0 || n != 6 * BYTES)
        printf("%d of %d bytes are wrong\n", wrong, n);

    int p[2];
    co4_pipe(p);
    co4_socketpair(AF_UNIX, SOCK_STREAM, 0, fds);
    ssize_t sent = co4_sendfile(fds[0], p[0], NULL, 10);
    printf("not a file: %s\n", sent < 0 && (errno == EINVAL || errno == ESPIPE) ? "EINVAL" : "?");
    co4_close(p[0]);
    at = 0;
    sent = co4_sendfile(fds[0], p[0], &at, 10);
    printf("no descriptor: %s\n", sent < 0 && errno == EBADF ? "EBADF" : "?");
    co4_close(p[1]);
    co4_close(fds[0]);
    co4_close(fds[1]);
    close(file);
    return 0;
}

int main(void)
{
    int result = 1;
    runtime = co4_runtime_create(NULL);
    co4_runtime_start(runtime);
    co4_block(co4_join(co4_runtime_spawn(runtime, all()), &result));
    co4_runtime_destroy(runtime);
    return result;
}

#else

int main(void)
{
    return 77;
}

#endif
