/* os_events.c - descriptors of Linux whose reads are events: an eventfd, a timerfd, inotify, a
 * pidfd. Those that block when they are made do not block a worker.
 * needs: descriptors processes threads workers
 * modes: woven forced
 * flags: -Wno-co4-blocking
 * expect: eventfd: 7, then ETIMEDOUT, ECANCELED, and 5 that came during the wait
 * expect: eventfd that blocks: 7, then ETIMEDOUT, ECANCELED, and 5 that came during the wait
 * expect: full eventfd: ETIMEDOUT, ECANCELED, then 8 bytes when there is room
 * expect: full eventfd that blocks: ETIMEDOUT, ECANCELED, then 8 bytes when there is room
 * expect: nearly full eventfd: ETIMEDOUT, ECANCELED, then 8 bytes when there is room
 * expect: nearly full eventfd that blocks: ETIMEDOUT, ECANCELED, then 8 bytes when there is room
 * expect: eventfd: EINVAL for 4 bytes
 * expect: timerfd: ETIMEDOUT, ECANCELED, then 1 expiration
 * expect: timerfd that blocks: ETIMEDOUT, ECANCELED, then 1 expiration
 * expect: inotify: ETIMEDOUT, ECANCELED, then the name of a new file
 * expect: inotify that blocks: ETIMEDOUT, ECANCELED, then the name of a new file
 * expect: pidfd: CO4_ETIMEDOUT, CO4_ECANCELED, then the end of the child, also by poll and a select */
#define _GNU_SOURCE
#include <co4.h>
#include <co4/io.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>

static const char *said(ssize_t n)
{
    static char text[4][32];
    static int at;
    char *to = text[at++ % 4];
    snprintf(to, sizeof text[0], "%d", (int)n);
    return n >= 0               ? to
           : errno == ETIMEDOUT ? "ETIMEDOUT"
           : errno == ECANCELED ? "ECANCELED"
           : errno == EINVAL    ? "EINVAL"
                                : strerror(errno);
}

static char got[4096];

/* What a read gives, or a write if `bytes` is negative: a negative error number. */
static pausable int transfer(int fd, int bytes, uint64_t value)
{
    ssize_t n = bytes < 0 ? co4_write_until(fd, &value, sizeof value, CO4_NEVER)
                          : co4_read_until(fd, got, (size_t)bytes, CO4_NEVER);
    return n < 0 ? -errno : (int)n;
}

static pausable const char *cancelled(int fd, int bytes, uint64_t value)
{
    int result;
    co4_task *t = co4_spawn(transfer(fd, bytes, value));
    co4_sleep(3 * CO4_MS);
    co4_task_cancel(t, CO4_ECANCELED);
    co4_join(t, &result);
    errno = -result;
    return said(result < 0 ? -1 : result);
}

static int64_t soon(void)
{
    return co4_now() + 3 * CO4_MS;
}

static uint64_t value_got(void)
{
    uint64_t value;
    memcpy(&value, got, sizeof value);
    return value;
}

static pausable void count_events(const char *what, int flags)
{
    uint64_t value = 7, first, late = 5;
    int fd = eventfd(0, flags), result;
    co4_write(fd, &value, sizeof value);
    co4_read(fd, got, 8);
    first = value_got();
    const char *times_out = said(co4_read_until(fd, got, 8, soon()));
    const char *is_cancelled = cancelled(fd, 8, 0);
    co4_task *t = co4_spawn(transfer(fd, 8, 0));
    co4_sleep(CO4_MS);
    co4_write(fd, &late, sizeof late);
    co4_join(t, &result);
    printf("%s: %d, then %s, %s, and %d that came during the wait\n", what, (int)first, times_out,
           is_cancelled, result == 8 ? (int)value_got() : result);
    co4_close(fd);
}

/* Then `value` does not fit. */
static pausable void fill_events(const char *what, int flags, uint64_t held, uint64_t value)
{
    int fd = eventfd(0, flags), result;
    co4_write(fd, &held, sizeof held);
    const char *times_out = said(co4_write_until(fd, &value, sizeof value, soon()));
    const char *is_cancelled = cancelled(fd, -1, value);
    co4_task *t = co4_spawn(transfer(fd, -1, value));
    co4_sleep(3 * CO4_MS); /* the only worker is free meanwhile */
    co4_read(fd, got, 8);
    uint64_t before = value_got();
    co4_join(t, &result);
    co4_read(fd, got, 8);
    printf("%s: %s, %s, then %s bytes when there is room\n", what, times_out, is_cancelled,
           before == held && value_got() == value ? said(result) : "?");
    co4_close(fd);
}

static pausable void timer(const char *what, int flags)
{
    int fd = timerfd_create(CLOCK_MONOTONIC, flags);
    struct itimerspec at = { .it_value = { 0, 10 * CO4_MS } };
    const char *times_out = said(co4_read_until(fd, got, 8, soon()));
    const char *is_cancelled = cancelled(fd, 8, 0);
    timerfd_settime(fd, 0, &at, NULL);
    ssize_t n = co4_read_until(fd, got, 8, co4_now() + 20 * CO4_SEC);
    printf("%s: %s, %s, then %d expiration\n", what, times_out, is_cancelled,
           n == 8 ? (int)value_got() : -1);
    co4_close(fd);
}

static pausable void make_later(const char *path)
{
    co4_sleep(3 * CO4_MS);
    close(open(path, O_CREAT | O_WRONLY, 0600));
}

static pausable void names(const char *what, int flags)
{
    char folder[] = "/tmp/co4-os-events.XXXXXX", path[64];
    int fd = inotify_init1(flags);
    if (!mkdtemp(folder) || inotify_add_watch(fd, folder, IN_CREATE) < 0)
        return;
    snprintf(path, sizeof path, "%s/young", folder);
    const char *times_out = said(co4_read_until(fd, got, sizeof got, soon()));
    const char *is_cancelled = cancelled(fd, sizeof got, 0);
    co4_task *t = co4_spawn(make_later(path));
    ssize_t n = co4_read_until(fd, got, sizeof got, co4_now() + 20 * CO4_SEC);
    co4_join(t, NULL);
    const struct inotify_event *e = (const struct inotify_event *)(const void *)got;
    printf("%s: %s, %s, then the name of %s\n", what, times_out, is_cancelled,
           n > (ssize_t)sizeof *e && strcmp(e->name, "young") == 0 ? "a new file" : "?");
    co4_close(fd);
    unlink(path);
    rmdir(folder);
}

static pausable int wait_for(int fd)
{
    return co4_fd_wait(fd, POLLIN);
}

static pausable int await(int fd)
{
    co4_case c = CO4_CASE(co4_fd_readable(fd), NULL);
    return co4_select_until(&c, 1, 0, co4_now() + 20 * CO4_SEC);
}

static pid_t start_child(void)
{
    pid_t child = fork();
    if (child == 0) {
        pause();
        _exit(0);
    }
    return child;
}

static void reap(pid_t child)
{
    waitpid(child, NULL, 0);
}

static int open_pidfd(pid_t child)
{
#ifdef SYS_pidfd_open
    return (int)syscall(SYS_pidfd_open, child, 0);
#else
    (void)child;
    return -1;
#endif
}

static pausable void child_ends(void)
{
    int result, selected;
    pid_t child = start_child();
    int fd = open_pidfd(child);
    if (fd < 0) { /* before Linux 5.3 */
        puts("pidfd: CO4_ETIMEDOUT, CO4_ECANCELED, then the end of the child, also by poll and a "
             "select");
        kill(child, SIGKILL);
        reap(child);
        return;
    }
    const char *times_out = co4_errname(co4_fd_wait_until(fd, POLLIN, soon()));
    co4_task *t = co4_spawn(wait_for(fd));
    co4_sleep(3 * CO4_MS);
    co4_task_cancel(t, CO4_ECANCELED);
    co4_join(t, &result);
    const char *is_cancelled = co4_errname(result);
    t = co4_spawn(wait_for(fd));
    co4_task *other = co4_spawn(await(fd));
    co4_sleep(CO4_MS);
    kill(child, SIGKILL);
    struct pollfd p = { .fd = fd, .events = POLLIN };
    int polled = co4_poll(&p, 1, 20000);
    co4_join(t, &result);
    co4_join(other, &selected);
    printf("pidfd: %s, %s, then %s\n", times_out, is_cancelled,
           result == 0 && polled == 1 && selected == 0
               ? "the end of the child, also by poll and a select"
               : "?");
    reap(child);
    co4_close(fd);
}

pausable int all(void)
{
    const uint64_t most = UINT64_MAX - 1;
    uint64_t value = 1;
    count_events("eventfd", EFD_NONBLOCK);
    count_events("eventfd that blocks", 0);
    fill_events("full eventfd", EFD_NONBLOCK, most, 1);
    fill_events("full eventfd that blocks", 0, most, 1);
    fill_events("nearly full eventfd", EFD_NONBLOCK, most - 10, 100);
    fill_events("nearly full eventfd that blocks", 0, most - 10, 100);
    int fd = eventfd(0, 0);
    printf("eventfd: %s for 4 bytes\n", said(co4_write(fd, &value, 4)));
    co4_close(fd);
    timer("timerfd", TFD_NONBLOCK);
    timer("timerfd that blocks", 0);
    names("inotify", IN_NONBLOCK);
    names("inotify that blocks", 0);
    child_ends();
    return 0;
}

int main(void)
{
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 1 });
    if (!rt || co4_runtime_start(rt) != CO4_OK)
        return 1;
    co4_runtime_spawn(rt, all());
    co4_runtime_join(rt);
    co4_runtime_destroy(rt);
    return 0;
}

#else

int main(void)
{
    return 77;
}

#endif
