/* os_files_waiting.c - calls that wait on threads of the pool: other tasks run meanwhile, and a
 * cancelled call goes on to its end.
 * needs: descriptors posix threads workers
 * modes: woven forced
 * expect: fifo: 3 bytes through both ends, other tasks ran
 * expect: cancelled: the open gave a descriptor, then ECANCELED
 * expect: another file under the same number: EBADF
 * expect: many: 200 files written and read
 * expect: descriptors: as many as before */
#define _GNU_SOURCE
#include <co4.h>
#include <co4/file.h>
#include <co4/io.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64], fifo[80];
static int ticks;

static int descriptors(void)
{
    int n = 0;
    DIR *d = opendir("/proc/self/fd");
    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    return n;
}

pausable void write_to_fifo(void)
{
    int from = ticks;
    while (ticks < from + 5)
        co4_sleep(CO4_MS / 4);
    int fd = co4_open(fifo, O_WRONLY | O_CLOEXEC);
    co4_write(fd, "abc", 3);
    co4_close(fd);
}

pausable void tick(void)
{
    for (;;) {
        ticks++;
        if (co4_sleep(CO4_MS / 4) != CO4_OK)
            return;
    }
}

pausable void through_fifo(void)
{
    char text[8];
    int from = ticks;
    co4_task *t = co4_spawn(write_to_fifo());
    int fd = co4_open(fifo, O_RDONLY | O_CLOEXEC);
    int n = (int)co4_read(fd, text, sizeof text);
    co4_join(t, NULL);
    co4_close(fd);
    printf("fifo: %d bytes through both ends, other tasks %s\n", n,
           ticks - from >= 5 ? "ran" : "stopped");
}

static int opened, err_then;

pausable void open_fifo(void)
{
    opened = co4_open(fifo, O_RDONLY | O_CLOEXEC);
    if (co4_fsync(opened) < 0)
        err_then = errno;
    co4_close(opened);
}

pausable void cancelled(void)
{
    co4_task *t = co4_spawn(open_fifo());
    co4_sleep(2 * CO4_MS);
    co4_task_cancel(t, 0);
    co4_sleep(2 * CO4_MS);
    int fd = open(fifo, O_WRONLY | O_CLOEXEC); /* waits for a moment at most */
    co4_join(t, NULL);
    printf("cancelled: the open gave %s, then %s\n", opened >= 0 ? "a descriptor" : "nothing",
           err_then == ECANCELED ? "ECANCELED" : strerror(err_then));
    close(fd);
}

static int number;

pausable void read_it(int *err)
{
    char *text = malloc(1 << 20); /* so many bytes are read by the pool */
    *err = co4_pread(number, text, 1 << 20, 0) < 0 ? errno : 0;
    free(text);
}

/* The pool's one thread is busy while a queued call loses its descriptor. */
pausable void same_number(void)
{
    int err = 0;
    char path[100];
    snprintf(path, sizeof path, "%s/file", folder);
    number = co4_open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    co4_blocking_limit(1);
    co4_task *t = co4_spawn(open_fifo()), *u = co4_spawn(read_it(&err));
    co4_sleep(2 * CO4_MS);
    co4_close(number);
    int again = open(path, O_RDWR | O_CLOEXEC);
    co4_fd_attach(again, 0);
    int fd = open(fifo, O_WRONLY | O_CLOEXEC); /* waits for a moment at most */
    co4_join(t, NULL);
    co4_join(u, NULL);
    printf("another file under the same number: %s\n", again != number ? "?"
                                                       : err == EBADF  ? "EBADF"
                                                                       : "it is read");
    co4_blocking_limit(CO4_BLOCKING_THREADS);
    co4_close(again);
    close(fd);
    unlink(path);
}

pausable int write_and_read(int i)
{
    char path[100], text[5000], got[5000];
    snprintf(path, sizeof path, "%s/%d", folder, i);
    memset(text, 'a' + i % 26, sizeof text);
    int fd = co4_open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    int ok = co4_pwrite(fd, text, sizeof text, i) == (ssize_t)sizeof text &&
             co4_fdatasync(fd) == 0 && co4_pread(fd, got, sizeof got, i) == (ssize_t)sizeof got &&
             memcmp(text, got, sizeof got) == 0;
    co4_close(fd);
    return co4_unlink(path) == 0 ? ok : 0;
}

pausable void many(void)
{
    co4_task *t[200];
    int sum = 0, n;
    for (int i = 0; i < 200; i++)
        t[i] = co4_spawn(write_and_read(i));
    for (int i = 0; i < 200; i++) {
        co4_join(t[i], &n);
        sum += n;
    }
    printf("many: %d files written and read\n", sum);
}

pausable void all(void)
{
    co4_task *t = co4_spawn(tick());
    through_fifo();
    cancelled();
    same_number();
    many();
    co4_task_cancel(t, 0);
    co4_join(t, NULL);
}

int main(void)
{
    int before = descriptors();
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.40s/co4-files.XXXXXX", base ? base : "/tmp");
    if (!mkdtemp(folder))
        return 1;
    snprintf(fifo, sizeof fifo, "%s/fifo", folder);
    if (mkfifo(fifo, 0600) != 0)
        return 1;
    co4_run(all());
    co4_blocking_stop();
    unlink(fifo);
    if (rmdir(folder) != 0)
        perror(folder);
    printf("descriptors: %s\n", descriptors() == before ? "as many as before" : "more");
    return 0;
}
