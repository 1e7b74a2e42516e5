/* left.c - a handler jumps out of calls at any time, again and again: what the library has in hand
 * just then, memory, locks and queues, is whole afterwards. Only calls that POSIX lets a handler
 * leave. */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static sigjmp_buf limit;
static int pair[2], ends[2];

static void on_alarm(int signo)
{
    (void)signo;
    siglongjmp(limit, 1);
}

static void alarm_in(long us)
{
    struct itimerval at = { { 0, 0 }, { 0, us } };
    setitimer(ITIMER_REAL, &at, NULL);
}

static __attribute__((noinline)) int nap(void)
{
    struct timespec none = { 0, 1 };
    return nanosleep(&none, NULL);
}

/* Frames of one size after another. */
static __attribute__((noinline)) int deep(int n)
{
    volatile int at = n;
    return (n == 0 ? nap() : deep(n - 1)) + (at != n);
}

/* A frame that comes from malloc(). */
static __attribute__((noinline)) int large(void)
{
    char text[9000];
    memset(text, 'a', sizeof text);
    return nap() + (text[8999] != 'a');
}

static __attribute__((noinline)) int computed(int n)
{
    char text[n];
    text[n - 1] = 'a';
    return nap() + (text[n - 1] != 'a');
}

static __attribute__((noinline)) int variable(int n, ...)
{
    va_list more;
    int sum = 0;
    va_start(more, n);
    for (int i = 0; i < n; i++)
        sum += va_arg(more, int) + nap();
    va_end(more);
    return sum;
}

static void frames(int i)
{
    deep(i % 40);
}

static void large_frames(int i)
{
    (void)i;
    large();
}

static void arrays(int i)
{
    computed(1 + i % 30 * 400);
}

static void arguments(int i)
{
    variable(3, i, i, i);
}

static void bytes(int i)
{
    char c = (char)i;
    if (write(ends[1], &c, 1) == 1 && read(ends[0], &c, 1) != 1)
        abort();
}

static void messages(int i)
{
    char text[8] = "";
    struct iovec part = { text, sizeof text };
    struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1 };
    (void)i;
    if (sendmsg(pair[1], &m, MSG_DONTWAIT) > 0)
        recvmsg(pair[0], &m, MSG_DONTWAIT);
}

static void polls(int i)
{
    struct pollfd some[] = { { .fd = pair[0], .events = POLLIN },
                             { .fd = ends[0], .events = POLLIN } };
    poll(some, 2, i % 2);
}

static void selects(int i)
{
    fd_set to_read;
    struct timeval time = { 0, i % 2 };
    FD_ZERO(&to_read);
    FD_SET(pair[0], &to_read);
    select(pair[0] + 1, &to_read, NULL, NULL, &time);
}

static void children(int i)
{
    (void)i;
    waitpid(-1, NULL, WNOHANG);
    usleep(0);
}

static void heap_is_whole(void)
{
    void *some[64];
    for (size_t i = 0; i < 64; i++)
        some[i] = malloc(1 + i * i * 37);
    for (size_t i = 0; i < 64; i++)
        free(some[i]);
}

static void repeat(void (*volatile kind)(int), const char *name)
{
    for (volatile int i = 0; i < 400; i++) {
        if (sigsetjmp(limit, 1) == 0) {
            alarm_in(20 + i % 150);
            for (int k = 0;; k++)
                kind(i + k);
        }
        if (i % 16 == 0)
            heap_is_whole();
    }
    puts(name);
}

int main(void)
{
    signal(SIGALRM, on_alarm);
    if (pipe(ends) != 0 || socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) != 0)
        return 1;
    repeat(frames, "frames");
    repeat(large_frames, "large frames");
    repeat(arrays, "arrays");
    repeat(arguments, "arguments");
    repeat(bytes, "bytes");
    repeat(messages, "messages");
    repeat(polls, "polls");
    repeat(selects, "selects");
    repeat(children, "children");
    return 0;
}
