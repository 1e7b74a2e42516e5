/* interrupted.c - EINTR: which calls a handler of signals ends, with SA_RESTART and without; what
 * programs see of their handlers; handlers that jump. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "waiting.h"

static volatile sig_atomic_t *handled; /* shared with the child */
static int one[2], two[2], dgrams[2];  /* a pipe, and pairs of sockets */
static int udp;
static int listening, unix_listening, file_fd;
static sem_t *sem;
static FILE *stream;
static char big[1000000], small_text[16];
static pid_t child;

static void on_alarm(int signo)
{
    (void)signo;
    ++*handled;
    errno = EDOM; /* no call may give it to the program */
}

static void on_alarm_with_info(int signo, siginfo_t *info, void *context)
{
    *handled += info->si_signo == signo && context != NULL;
}

static void alarm_in(long ms)
{
    struct itimerval at = { { 0, 0 }, { ms / 1000, ms % 1000 * 1000 } };
    setitimer(ITIMER_REAL, &at, NULL);
}

/* ---- calls ---- */

static long do_read(void)
{
    return read(one[0], small_text, 8);
}
static long do_readv(void)
{
    struct iovec v[] = { { small_text, 4 }, { small_text + 4, 4 } };
    return readv(one[0], v, 2);
}
static long do_recv(void)
{
    return recv(two[0], small_text, 8, 0);
}
static long do_recv_all(void)
{
    return recv(two[0], small_text, 4, MSG_WAITALL);
}
/* Begun, and then interrupted. */
static long do_recv_rest(void)
{
    if (write(two[1], "ab", 2) != 2)
        exit(2);
    return recv(two[0], small_text, 6, MSG_WAITALL);
}
static long do_recvfrom_all(void)
{
    struct sockaddr_storage from;
    socklen_t length = sizeof from;
    return recvfrom(two[0], small_text, 4, MSG_WAITALL, (struct sockaddr *)&from, &length);
}
static long recv_parts(size_t first, size_t second)
{
    struct iovec v[] = { { small_text, first }, { small_text + 8, second } };
    struct msghdr m = { .msg_iov = v, .msg_iovlen = 2 };
    return recvmsg(two[0], &m, MSG_WAITALL);
}
static long do_recvmsg_all(void)
{
    return recv_parts(1, 3);
}
static long do_recvmsg_rest(void)
{
    if (write(two[1], "ab", 2) != 2)
        exit(2);
    return recv_parts(3, 3);
}
static long do_datagram_all(void)
{
    return recv(dgrams[0], small_text, 4, MSG_WAITALL);
}
static long do_peek_all(void)
{
    return recv(dgrams[0], small_text, 4, MSG_WAITALL | MSG_PEEK);
}
static long do_recv_urgent(void)
{
    return recv(udp, small_text, 4, MSG_OOB); /* it does not look at the flag */
}
static long do_send_nothing(void)
{
    while (send(dgrams[1], "x", 1, MSG_DONTWAIT) == 1) {
    }
    return send(dgrams[1], small_text, 0, 0);
}
static long do_recvmsg(void)
{
    struct iovec v = { small_text, 8 };
    struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1 };
    return recvmsg(two[0], &m, 0);
}
static long do_recv_timed(void)
{
    struct timeval limit = { 50, 0 };
    setsockopt(two[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    long n = recv(two[0], small_text, 8, 0);
    limit.tv_sec = 0;
    int was = errno;
    setsockopt(two[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    errno = was;
    return n;
}
static void fill(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    fcntl(fd, F_SETFL, flags | O_NONBLOCK);
    while (write(fd, big, 65536) > 0 || write(fd, big, 1) > 0) {
    }
    fcntl(fd, F_SETFL, flags);
}
static long do_write(void)
{
    fill(one[1]);
    return write(one[1], "x", 1);
}
/* Begun, and then interrupted: what has been written counts. */
static long do_write_big(void)
{
    long n = write(one[1], big, sizeof big);
    return n > 0 && n < (long)sizeof big ? 2 : n == (long)sizeof big ? 3 : n;
}
static long do_writev_big(void)
{
    struct iovec v[] = { { big, 10 }, { big, sizeof big - 10 } };
    long n = writev(two[1], v, 2);
    return n > 10 && n < (long)sizeof big ? 2 : n == (long)sizeof big ? 3 : n;
}
static long do_send(void)
{
    fill(two[1]);
    return send(two[1], "x", 1, 0);
}
static long do_sendmsg_big(void)
{
    struct iovec v[] = { { big, 10 }, { big, sizeof big - 10 } };
    struct msghdr m = { .msg_iov = v, .msg_iovlen = 2 };
    long n = sendmsg(two[1], &m, 0);
    return n > 10 && n < (long)sizeof big ? 2 : n == (long)sizeof big ? 3 : n;
}
static long do_accept(void)
{
    int fd = accept(listening, NULL, NULL), was = errno;
    if (fd >= 0)
        close(fd);
    errno = was;
    return fd >= 0 ? 1 : -1;
}
static struct sockaddr_in address_of(int fd)
{
    struct sockaddr_in at;
    socklen_t length = sizeof at;
    getsockname(fd, (struct sockaddr *)&at, &length);
    return at;
}
static int connection(int flags)
{
    struct sockaddr_in at = address_of(listening);
    int fd = socket(AF_INET, SOCK_STREAM | flags, 0);
    return connect(fd, (struct sockaddr *)&at, sizeof at) == 0 || flags ? fd : -1;
}
/* Its queue is full, so no answer comes. */
static long do_connect(void)
{
    int fds[] = { connection(SOCK_NONBLOCK), connection(SOCK_NONBLOCK), -1 };
    usleep(1000);
    fds[2] = connection(0);
    int was = errno, n = fds[2] < 0 ? -1 : 0;
    for (int i = 0; i < 3; i++)
        close(fds[i]);
    errno = was;
    return n;
}
/* The call is made again, and goes on to wait. */
static long do_connect_again(void)
{
    struct sockaddr_in at = address_of(listening);
    int first = connection(SOCK_NONBLOCK), second = connection(SOCK_NONBLOCK), n, was;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    usleep(1000);
    while ((n = connect(fd, (struct sockaddr *)&at, sizeof at)) < 0 && errno == EINTR) {
    }
    was = errno;
    close(fd);
    close(first);
    close(second);
    errno = was;
    return n;
}
/* No event says when there is room. */
static long do_connect_unix(void)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    socklen_t length = sizeof at;
    getsockname(unix_listening, (struct sockaddr *)&at, &length);
    int first = socket(AF_UNIX, SOCK_STREAM, 0), second = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(first, (struct sockaddr *)&at, length) != 0)
        exit(4);
    int n = connect(second, (struct sockaddr *)&at, length), was = errno;
    close(first);
    close(second);
    errno = was;
    return n;
}
static long do_poll(void)
{
    struct pollfd p[] = { { one[0], POLLIN, 0 }, { two[0], POLLIN, 0 } };
    return poll(p, 2, 5000);
}
static long do_poll_nothing(void)
{
    return poll(NULL, 0, 50000);
}
static long do_ppoll(void)
{
    struct pollfd p = { one[0], POLLIN, 0 };
    struct timespec limit = { 50, 0 };
    return ppoll(&p, 1, &limit, NULL);
}
static long do_select(void)
{
    fd_set set;
    FD_ZERO(&set);
    FD_SET(one[0], &set);
    return select(one[0] + 1, &set, NULL, NULL, NULL);
}
static long do_select_timed(void)
{
    struct timeval limit = { 50, 0 };
    long n = select(0, NULL, NULL, NULL, &limit);
    return n < 0 && limit.tv_sec < 1 ? -9 : n;
}
static long do_epoll(void)
{
    struct epoll_event e = { .events = EPOLLIN };
    int fd = epoll_create1(0);
    epoll_ctl(fd, EPOLL_CTL_ADD, one[0], &e);
    long n = epoll_wait(fd, &e, 1, -1);
    int was = errno;
    close(fd);
    errno = was;
    return n;
}
static long do_nanosleep(void)
{
    struct timespec t = { 50, 0 }, rest = { 0, 0 };
    long n = nanosleep(&t, &rest);
    return n < 0 && rest.tv_sec < 1 ? -9 : n;
}
static long do_clock_nanosleep(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += 50;
    errno = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
    return errno ? -1 : 0;
}
static long do_usleep(void)
{
    return usleep(20000000);
}
static long do_sleep(void)
{
    errno = 0;
    return sleep(50) > 10;
}
static long do_wait(void)
{
    pid_t pid = wait(NULL);
    return pid == child ? 1 : pid;
}
static long do_waitpid(void)
{
    return waitpid(child, NULL, 0) == child ? 1 : -1;
}
static long do_waitid(void)
{
    siginfo_t info;
    return waitid(P_PID, (id_t)child, &info, WEXITED);
}
static long do_flock(void)
{
    int fd = open("locked", O_RDWR | O_CREAT, 0600);
    long n = flock(fd, LOCK_EX);
    int was = errno;
    close(fd);
    errno = was;
    return n;
}
static long do_fcntl(void)
{
    struct flock all = { .l_type = F_WRLCK };
    long n = fcntl(file_fd, F_SETLKW, &all);
    all.l_type = F_UNLCK;
    int was = errno;
    fcntl(file_fd, F_SETLK, &all);
    errno = was;
    return n;
}
static long do_sem_wait(void)
{
    return sem_wait(sem);
}
static long do_sem_timedwait(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec += 50;
    return sem_timedwait(sem, &t);
}
static long do_getc(void)
{
    int c = getc(stream);
    clearerr(stream);
    return c == EOF ? -1 : c;
}
static long do_fgets(void)
{
    char *line = fgets(small_text, sizeof small_text, stream);
    int was = errno;
    clearerr(stream);
    errno = was;
    return line ? 1 : -1;
}
static long do_fread(void)
{
    size_t n = fread(small_text, 1, 3, stream);
    int was = errno;
    clearerr(stream);
    errno = was;
    return n > 0 ? (long)n : -1;
}
static long do_fflush(void)
{
    FILE *to = fdopen(dup(one[1]), "w");
    fputs("text", to);
    fill(one[1]);
    long n = fflush(to);
    int was = errno;
    __fpurge(to);
    fclose(to);
    errno = was;
    return n;
}

/* ---- what ends them: by the child, later ---- */

static void drain(int fd)
{
    char bytes[65536];
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    struct timespec ms = { 0, 1000000 };
    for (int i = 0; i < 100; i++, nanosleep(&ms, NULL))
        while (read(fd, bytes, sizeof bytes) > 0) {
        }
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
}

static void put_one(void)
{
    if (write(one[1], "abc\n", 4) != 4)
        _exit(1);
}
static void put_two(void)
{
    if (write(two[1], "abc\n", 4) != 4)
        _exit(1);
}
static void drain_one(void)
{
    drain(one[0]);
}
static void drain_two(void)
{
    drain(two[0]);
}
static void put_dgram(void)
{
    if (send(dgrams[1], "abc\n", 4, 0) != 4)
        _exit(1);
}
static void take_dgrams(void)
{
    while (recv(dgrams[0], small_text, 4, MSG_DONTWAIT) >= 0) {
    }
}
static void put_udp(void)
{
    struct sockaddr_in to;
    socklen_t length = sizeof to;
    getsockname(udp, (struct sockaddr *)&to, &length);
    if (sendto(udp, "abc\n", 4, 0, (struct sockaddr *)&to, length) != 4)
        _exit(1);
}
static void nothing(void) {}
static void connect_it(void)
{
    close(connection(0));
}
static void accept_it(void)
{
    for (int i = 0; i < 3; i++)
        close(accept(listening, NULL, NULL));
}
static void accept_unix(void)
{
    close(accept(unix_listening, NULL, NULL));
    close(accept(unix_listening, NULL, NULL));
}
static void post(void)
{
    sem_post(sem);
}

static const struct test {
    const char *name;
    long (*call)(void);
    void (*release)(void);
    char lock; /* of the file, which the child has until it ends */
} tests[] = {
    { "read", do_read, put_one, 0 },
    { "readv", do_readv, put_one, 0 },
    { "recv", do_recv, put_two, 0 },
    { "recv all", do_recv_all, put_two, 0 },
    { "recv the rest", do_recv_rest, put_two, 0 },
    { "recvfrom all", do_recvfrom_all, put_two, 0 },
    { "recvmsg all", do_recvmsg_all, put_two, 0 },
    { "recvmsg the rest", do_recvmsg_rest, put_two, 0 },
    { "recv a datagram", do_datagram_all, put_dgram, 0 },
    { "peek all", do_peek_all, put_dgram, 0 },
    { "recv urgent, UDP", do_recv_urgent, put_udp, 0 },
    { "send nothing", do_send_nothing, take_dgrams, 0 },
    { "recvmsg", do_recvmsg, put_two, 0 },
    { "recv with a limit", do_recv_timed, put_two, 0 },
    { "write", do_write, drain_one, 0 },
    { "write much", do_write_big, drain_one, 0 },
    { "writev much", do_writev_big, drain_two, 0 },
    { "send", do_send, drain_two, 0 },
    { "sendmsg much", do_sendmsg_big, drain_two, 0 },
    { "accept", do_accept, connect_it, 0 },
    { "connect", do_connect, accept_it, 0 },
    { "connect again", do_connect_again, accept_it, 0 },
    { "connect of Unix", do_connect_unix, accept_unix, 0 },
    { "poll", do_poll, put_one, 0 },
    { "poll of nothing", do_poll_nothing, nothing, 0 },
    { "ppoll", do_ppoll, put_one, 0 },
    { "select", do_select, put_one, 0 },
    { "select of nothing", do_select_timed, nothing, 0 },
    { "epoll_wait", do_epoll, put_one, 0 },
    { "nanosleep", do_nanosleep, nothing, 0 },
    { "clock_nanosleep", do_clock_nanosleep, nothing, 0 },
    { "usleep", do_usleep, nothing, 0 },
    { "sleep", do_sleep, nothing, 0 },
    { "wait", do_wait, nothing, 0 },
    { "waitpid", do_waitpid, nothing, 0 },
    { "waitid", do_waitid, nothing, 0 },
    { "flock", do_flock, nothing, 'f' },
    { "fcntl", do_fcntl, nothing, 'p' },
    { "sem_wait", do_sem_wait, post, 0 },
    { "sem_timedwait", do_sem_timedwait, post, 0 },
    { "getc", do_getc, put_one, 0 },
    { "fgets", do_fgets, put_one, 0 },
    { "fread", do_fread, put_one, 0 },
    { "fflush", do_fflush, drain_one, 0 },
};

/* The child of a test: interrupts the call in which the parent waits, and then ends what it waits
 * for, if the parent waits again. */
static void be_child(const struct test *t, int ready)
{
    int fd = open("locked", O_RDWR | O_CREAT, 0600);
    struct flock all = { .l_type = F_WRLCK };
    if (t->lock == 'f')
        flock(fd, LOCK_EX);
    if (t->lock == 'p')
        fcntl(fd, F_SETLK, &all);
    if (write(ready, "", 1) != 1)
        _exit(1);
    until_parent_waits();
    kill(getppid(), SIGALRM);
    while (*handled == 0)
        usleep(1000);
    until_parent_waits();
    t->release();
    _exit(0);
}

static void open_all(void)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    sa_family_t family = AF_UNIX;
    if (pipe(one) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, two) != 0 ||
        socketpair(AF_UNIX, SOCK_DGRAM, 0, dgrams) != 0)
        exit(2);
    udp = socket(AF_INET, SOCK_DGRAM, 0);
    bind(udp, (struct sockaddr *)&at, sizeof at);
    listening = socket(AF_INET, SOCK_STREAM, 0);
    bind(listening, (struct sockaddr *)&at, sizeof at);
    listen(listening, 0);
    unix_listening = socket(AF_UNIX, SOCK_STREAM, 0);
    bind(unix_listening, (struct sockaddr *)&family, sizeof family); /* gets a name */
    listen(unix_listening, 0);
    file_fd = open("locked", O_RDWR | O_CREAT, 0600);
    stream = fdopen(dup(one[0]), "r");
    sem_init(sem, 1, 0);
}

static void close_all(void)
{
    for (int i = 0; i < 2; i++) {
        close(one[i]);
        close(two[i]);
        close(dgrams[i]);
    }
    close(udp);
    close(listening);
    close(unix_listening);
    close(file_fd);
    fclose(stream);
}

static void run(const struct test *t, int flags)
{
    int ready[2];
    char c;
    open_all();
    if (pipe(ready) != 0)
        exit(2);
    *handled = 0;
    fflush(stdout);
    child = fork();
    if (child == 0)
        be_child(t, ready[1]);
    if (read(ready[0], &c, 1) != 1)
        exit(3);
    errno = 0;
    long n = t->call();
    int error = errno;
    printf("%s, %s: %ld %s, handled %d\n", t->name, flags & SA_RESTART ? "restarts" : "ends", n,
           n < 0 ? strerrorname_np(error) : "", (int)*handled);
    kill(child, SIGKILL);
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
    close(ready[0]);
    close(ready[1]);
    close_all();
}

/* ---- what a program sees of its handlers ---- */

static bool interrupts_read(void)
{
    int fds[2];
    char c;
    if (pipe(fds) != 0)
        exit(2);
    *handled = 0;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        until_parent_waits();
        kill(getppid(), SIGALRM);
        while (*handled == 0)
            usleep(1000);
        until_parent_waits();
        _exit(write(fds[1], "x", 1) == 1 ? 0 : 1);
    }
    bool ends = read(fds[0], &c, 1) < 0 && errno == EINTR;
    kill(pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0) {
    }
    close(fds[0]);
    close(fds[1]);
    return ends;
}

static void show(const char *what)
{
    struct sigaction now;
    sigaction(SIGALRM, NULL, &now);
    printf("%s: %s, %s, %s\n", what,
           now.sa_flags & SA_SIGINFO
               ? now.sa_sigaction == on_alarm_with_info ? "with information" : "wrong"
           : now.sa_handler == on_alarm ? "ours"
           : now.sa_handler == SIG_DFL  ? "default"
                                        : "wrong",
           now.sa_flags & SA_RESTART ? "restarts" : "ends",
           now.sa_flags & SA_RESETHAND ? "once" : "stays");
}

static void show_handlers(void)
{
    struct sigaction a = { .sa_handler = on_alarm }, before;
    sigaction(SIGALRM, &a, NULL);
    show("sigaction");
    printf("read ends: %d\n", interrupts_read());
    a.sa_sigaction = on_alarm_with_info;
    a.sa_flags = SA_SIGINFO;
    sigaction(SIGALRM, &a, &before);
    printf("it was ours: %d\n", before.sa_handler == on_alarm);
    show("with information");
    *handled = 0;
    raise(SIGALRM);
    printf("handled %d\n", (int)*handled);
    printf("read ends: %d\n", interrupts_read());
    printf("signal() gives it back: %d\n",
           (void *)signal(SIGALRM, on_alarm) == (void *)on_alarm_with_info);
    show("signal");
    printf("read ends: %d\n", interrupts_read());
    siginterrupt(SIGALRM, 1);
    show("siginterrupt");
    printf("read ends: %d\n", interrupts_read());
    printf("signal() gives it back: %d\n", signal(SIGALRM, SIG_IGN) == on_alarm);
    printf("it was ignored: %d\n", sigset(SIGALRM, SIG_DFL) == SIG_IGN);
    siginterrupt(SIGALRM, 0);
    a.sa_handler = on_alarm;
    a.sa_flags = (int)(SA_RESETHAND | SA_NODEFER);
    sigaction(SIGALRM, &a, NULL);
    show("once");
    raise(SIGALRM);
    show("afterwards");
    printf("no such signal: %d %d %d\n", sigaction(0, &a, NULL), sigaction(SIGKILL, &a, NULL),
           signal(NSIG + 3, on_alarm) == SIG_ERR);
    __sysv_signal(SIGALRM, on_alarm);
    show("of System V");
    signal(SIGALRM, SIG_DFL);
    printf("it was default: %d\n", sigset(SIGALRM, on_alarm) == SIG_DFL);
    show("sigset");
    printf("read ends: %d\n", interrupts_read());
    printf("sigset() gives it back: %d\n", sigset(SIGALRM, SIG_HOLD) == on_alarm);
    printf("it is held: %d\n", sigset(SIGALRM, on_alarm) == SIG_HOLD);
}

/* ---- handlers that jump ---- */

static sigjmp_buf before, inner;
static volatile int jumps;

static void jump(int signo)
{
    (void)signo;
    siglongjmp(before, ++jumps);
}

static void jump_inside(int signo)
{
    (void)signo;
    siglongjmp(inner, 5);
}

static void wait_for_ever(int how)
{
    char c;
    if (how == 0)
        read(one[0], &c, 1);
    else if (how == 1)
        sleep(20);
    else if (how == 2)
        wait(NULL); /* for a child that lives on */
    else if (how == 3)
        getc(stream);
    else
        for (volatile int i = 0;; i++) {
        }
}

static void wait_inside(int how)
{
    volatile int kept = how + 10;
    signal(SIGALRM, jump_inside);
    int got = sigsetjmp(inner, 1);
    if (got == 0) {
        alarm_in(30);
        wait_for_ever(how);
    }
    printf("inside: %d, %d\n", got, kept);
    signal(SIGALRM, jump);
    alarm_in(30);
    wait_for_ever(how);
}

static void show_jumps(void)
{
    sigset_t mask;
    open_all();
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        usleep(20000000);
        _exit(0);
    }
    for (volatile int how = 0; how < 5; how++) {
        volatile int changed = how;
        int got = sigsetjmp(before, 1);
        if (got == 0) {
            usleep(10);
            changed = how * 2;
            wait_inside(how);
        }
        sigprocmask(SIG_BLOCK, NULL, &mask);
        printf("outside: %d, %d, blocked %d\n", got, changed, sigismember(&mask, SIGALRM));
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    close_all();
}

int main(void)
{
    sem = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    handled = (volatile sig_atomic_t *)(sem + 1);
    for (int flags = 0; flags <= SA_RESTART; flags += SA_RESTART) {
        struct sigaction a = { .sa_handler = on_alarm, .sa_flags = flags };
        sigaction(SIGALRM, &a, NULL);
        for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
            run(&tests[i], flags);
    }
    show_handlers();
    show_jumps();
    return 0;
}
