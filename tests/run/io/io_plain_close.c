/* io_plain_close.c - a plain close() of a descriptor at which tasks wait: the waits end with EBADF,
 * at once where the number is attached again, else when nothing has happened for a second. What is
 * open, or closed by co4_close(), is not touched. The message: io_plain_close_told.c.
 *
 * needs: threads descriptors posix workers
 * modes: woven forced
 * expect: a pipe, by another task: EBADF after a second
 * expect: a socket, by another thread: EBADF after a second
 * expect: a pipe that a copy keeps open: EBADF after a second
 * expect: a number that an eventfd has now: EBADF after a second
 * expect: a number that co4_pipe has now: EBADF at once
 * expect: a number that co4_fd_attach gets again: EBADF at once
 * expect: co4_close: EBADF at once
 * expect: a writer: EBADF after a second
 * expect: a poll: POLLNVAL
 * expect: an open pipe: 1 byte
 * expect: the next pipe of such a number: 1 byte
 * expect: with several workers: EBADF */
#define _GNU_SOURCE
#include <co4.h>
#include <co4/io.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { TASK, THREAD, COPY, EVENTFD, PIPE, ATTACHED, CO4_CLOSE, WRITER, POLL, OPEN, NEXT, CASES };

static const char *const names[] = { "a pipe, by another task",
                                     "a socket, by another thread",
                                     "a pipe that a copy keeps open",
                                     "a number that an eventfd has now",
                                     "a number that co4_pipe has now",
                                     "a number that co4_fd_attach gets again",
                                     "co4_close",
                                     "a writer",
                                     "a poll",
                                     "an open pipe",
                                     "the next pipe of such a number" };
static int ends[CASES][2];
static char results[CASES][64];
static int64_t closed_at;
static int waiting; /* tasks that have come to their wait */

static void note(int number, ssize_t n)
{
    int err = errno;
    int64_t after = co4_now() - closed_at;
    const char *when = after < 500 * CO4_MS  ? "at once"
                       : after < 5 * CO4_SEC ? "after a second"
                                             : "too late";
    snprintf(results[number], sizeof results[0], "%s %s",
             n >= 0         ? "bytes"
             : err == EBADF ? "EBADF"
                            : strerror(err),
             when);
}

static pausable void reads(int number)
{
    char c;
    waiting++;
    note(number, co4_read_until(ends[number][0], &c, 1, co4_now() + 10 * CO4_SEC));
}

static pausable void writes(int number)
{
    static char bytes[1 << 20];
    waiting++;
    if (co4_write_until(ends[number][1], bytes, sizeof bytes, CO4_NOW) > 0)
        note(number, co4_write_until(ends[number][1], bytes, 1, co4_now() + 10 * CO4_SEC));
}

static pausable void polls(int number)
{
    struct pollfd p = { .fd = ends[number][0], .events = POLLIN };
    waiting++;
    int n = co4_poll(&p, 1, 10000);
    strcpy(results[number], n == 1 && p.revents == POLLNVAL ? "POLLNVAL" : "something else");
}

static pausable void reads_open(int number)
{
    char c;
    waiting++;
    ssize_t n = co4_read_until(ends[number][0], &c, 1, co4_now() + 10 * CO4_SEC);
    strcpy(results[number], n == 1 ? "1 byte" : "no byte");
}

static pausable void writes_later(int fd)
{
    co4_sleep(20 * CO4_MS);
    if (co4_write(fd, "x", 1) != 1)
        exit(1);
}

/* The race with the thread that waits is what is tested: ThreadSanitizer does not see this. */
static void close_unseen(int fd)
{
    syscall(SYS_close, fd);
}

static void *closes(void *fd)
{
    usleep(50000);
    close_unseen((int)(intptr_t)fd);
    return NULL;
}

static pausable void lose(void)
{
    int more[2], fd, event;
    pthread_t thread;
    for (int i = 0; i < NEXT; i++)
        if ((i == THREAD ? co4_socketpair(AF_UNIX, SOCK_STREAM, 0, ends[i]) : co4_pipe(ends[i])) !=
            0)
            exit(1);
    co4_spawn(reads_open(OPEN));
    co4_spawn(polls(POLL));
    co4_spawn(writes(WRITER));
    for (int i = 0; i < WRITER; i++)
        co4_spawn(reads(i));
    while (waiting < WRITER + 3)
        co4_yield();
    co4_sleep(20 * CO4_MS);

    closed_at = co4_now();
    close(ends[PIPE][0]);
    if (co4_pipe(more) != 0 || more[0] != ends[PIPE][0])
        exit(1);
    pthread_create(&thread, NULL, closes, (void *)(intptr_t)ends[THREAD][0]);
    pthread_detach(thread);
    co4_sleep(100 * CO4_MS);
    fd = dup(ends[COPY][0]);
    event = eventfd(0, 0);
    dup2(event, ends[EVENTFD][0]);
    dup2(event, ends[ATTACHED][0]);
    co4_fd_attach(ends[ATTACHED][0], 0);
    co4_close(ends[CO4_CLOSE][0]);
    close(ends[TASK][0]);
    close(ends[COPY][0]);
    close(ends[WRITER][1]);
    close(ends[POLL][0]);
    co4_sleep(2500 * CO4_MS);
    co4_spawn(writes_later(ends[OPEN][1]));
    if (fd < 0 || co4_pipe(ends[NEXT]) != 0 || ends[NEXT][0] > ends[OPEN][0])
        exit(1);
    co4_spawn(writes_later(ends[NEXT][1]));
    reads_open(NEXT);
}

static pausable int reads_once(int fd)
{
    char c;
    return co4_read_until(fd, &c, 1, co4_now() + 10 * CO4_SEC) == -1 && errno == EBADF;
}

/* They are registered at several workers, all of which sleep then. */
static void with_workers(void)
{
    enum { TASKS = 200 };
    co4_task *tasks[TASKS];
    int fds[TASKS][2], n, all = 0;
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 4 });
    for (int i = 0; i < TASKS; i++) {
        if (co4_pipe(fds[i]) != 0)
            exit(1);
        tasks[i] = co4_runtime_spawn(rt, reads_once(fds[i][0]));
    }
    co4_runtime_start(rt);
    usleep(50000);
    for (int i = 0; i < TASKS; i++)
        close_unseen(fds[i][0]);
    co4_runtime_join(rt);
    for (int i = 0; i < TASKS; i++)
        if (co4_block(co4_join(tasks[i], &n)) == CO4_OK)
            all += n;
    printf("with several workers: %s\n", all == TASKS ? "EBADF" : "not all");
    co4_runtime_destroy(rt);
}

int main(void)
{
    co4_run(lose());
    for (int i = 0; i < CASES; i++)
        printf("%s: %s\n", names[i], results[i]);
    with_workers();
    return 0;
}
