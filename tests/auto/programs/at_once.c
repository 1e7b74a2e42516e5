/* at_once.c - calls that the system answers at once, though poll() does not say that their
 * descriptor is ready: none of them waits. An alarm ends one that does, by EINTR. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void wake(int signo)
{
    (void)signo;
}

static void show(const char *name, long n, int error)
{
    printf("%s: %ld %s\n", name, n, n == -1 ? strerrorname_np(error) : "-");
}

/* SHOW: a call that fails by `errno`; RETURNS: one that returns an error number. */
#define SHOW(name, call)                                                                           \
    do {                                                                                           \
        alarm(20);                                                                                 \
        errno = 0;                                                                                 \
        long n_ = (long)(call);                                                                    \
        int error_ = errno;                                                                        \
        alarm(0);                                                                                  \
        show(name, n_, error_);                                                                    \
    } while (0)
#define RETURNS(name, call)                                                                        \
    do {                                                                                           \
        alarm(20);                                                                                 \
        int error_ = (call);                                                                       \
        alarm(0);                                                                                  \
        printf("%s: %s\n", name, error_ ? strerrorname_np(error_) : "-");                          \
    } while (0)

static char bytes[256];
static int ends[2], pair[2], dgrams[2];
static int closed = 200; /* no descriptor */
static struct iovec one = { bytes, 1 }, none = { bytes, 0 };
static struct msghdr message = { .msg_iov = &one, .msg_iovlen = 1 };
#define NOWHERE ((void *)8)
#ifndef IP_LOCAL_PORT_RANGE
#define IP_LOCAL_PORT_RANGE 51 /* since Linux 6.3; before, the calls succeed */
#endif

static int listening(int domain)
{
    struct sockaddr_in in = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    struct sockaddr_un un = { .sun_family = AF_UNIX, .sun_path = "listener" };
    int fd = socket(domain, SOCK_STREAM, 0);
    if (domain == AF_INET)
        bind(fd, (struct sockaddr *)&in, sizeof in);
    else
        bind(fd, (struct sockaddr *)&un, sizeof un);
    listen(fd, 1);
    return fd;
}

static struct sockaddr_in address_of(int fd)
{
    struct sockaddr_in a;
    socklen_t n = sizeof a;
    getsockname(fd, (struct sockaddr *)&a, &n);
    return a;
}

static int signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, 0);
}

static int full_eventfd(void)
{
    int fd = eventfd(0, 0);
    uint64_t most = UINT64_MAX - 1;
    write(fd, &most, sizeof most);
    return fd;
}

/* These wait: for a byte that another process sends later. */
static void waits_with(const char *name, const int ends_of[2], int flags)
{
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        usleep(5000);
        _exit(send(ends_of[1], "w", 1, 0) != 1);
    }
    SHOW(name, recv(ends_of[0], bytes, 1, flags));
    waitpid(pid, NULL, 0);
}

static void reads(void)
{
    SHOW("read: none", read(closed, bytes, 1));
    SHOW("read: end for writing", read(ends[1], bytes, 1));
    SHOW("read: nothing, end for writing", read(ends[1], bytes, 0));
    SHOW("readv: end for writing", readv(ends[1], &one, 1));
    SHOW("readv: nothing", readv(ends[0], &none, 1));
    SHOW("readv: a negative count", readv(ends[0], &one, -1));
    SHOW("readv: no parts", readv(ends[0], NULL, 1));
    SHOW("readv: too many", readv(ends[0], &one, 1025));
    SHOW("read: eventfd, 4", read(eventfd(0, 0), bytes, 4));
    SHOW("readv: eventfd, 4", readv(eventfd(0, 0), &(struct iovec){ bytes, 4 }, 1));
    SHOW("read: timerfd, 4", read(timerfd_create(CLOCK_MONOTONIC, 0), bytes, 4));
    SHOW("read: signalfd, 127", read(signals(), bytes, 127));
    SHOW("read: epoll", read(epoll_create1(0), bytes, 8));
    SHOW("read: a listener", read(listening(AF_INET), bytes, 1));
    SHOW("read: for writing only", read(open("/dev/null", O_WRONLY), bytes, 1));
    SHOW("read: a terminal, for writing only",
         read(open("/dev/ptmx", O_WRONLY | O_NOCTTY), bytes, 1));
    SHOW("read: a path", read(open("/", O_PATH), bytes, 1));
    SHOW("read: a folder", read(open("/", O_RDONLY), bytes, 1));
    SHOW("recv: none", recv(closed, bytes, 1, 0));
    SHOW("recv: a pipe", recv(ends[0], bytes, 1, 0));
    SHOW("recv: a listener", recv(listening(AF_INET), bytes, 1, 0));
    SHOW("recv: not connected", recv(socket(AF_INET, SOCK_STREAM, 0), bytes, 1, 0));
    SHOW("recv: all, not connected", recv(socket(AF_INET, SOCK_STREAM, 0), bytes, 9, MSG_WAITALL));
    SHOW("recv: errors", recv(socket(AF_INET, SOCK_DGRAM, 0), bytes, 1, MSG_ERRQUEUE));
    SHOW("recvfrom: errors",
         recvfrom(socket(AF_INET6, SOCK_DGRAM, 0), bytes, 1, MSG_ERRQUEUE, NULL, NULL));
    SHOW("recvmsg: errors", recvmsg(socket(AF_INET, SOCK_STREAM, 0), &message, MSG_ERRQUEUE));
    waits_with("recv: errors, pair", pair, MSG_ERRQUEUE);
    waits_with("recv: errors, datagrams", dgrams, MSG_ERRQUEUE);
    SHOW("recv: urgent, pair", recv(pair[0], bytes, 1, MSG_OOB));
    SHOW("recv: urgent, datagrams", recv(dgrams[0], bytes, 1, MSG_OOB));
    SHOW("recv: MSG_DONTWAIT", recv(pair[0], bytes, 1, MSG_DONTWAIT));
    SHOW("recvmsg: a pipe", recvmsg(ends[0], &message, 0));
    SHOW("recvmsg: all, none", recvmsg(pair[0], NULL, MSG_WAITALL));
    SHOW("recvmsg: nowhere", recvmsg(pair[0], NOWHERE, MSG_CMSG_CLOEXEC));
}

/* Urgent data that is announced, but not there: EAGAIN. */
static void urgent(void)
{
    int fd = listening(AF_INET), to = socket(AF_INET, SOCK_STREAM, 0), from;
    struct sockaddr_in a = address_of(fd);
    connect(to, (struct sockaddr *)&a, sizeof a);
    from = accept(fd, NULL, NULL);
    SHOW("recv: no urgent data", recv(from, bytes, 1, MSG_OOB));
    send(to, "u", 1, MSG_OOB);
    struct pollfd p = { .fd = from, .events = POLLPRI };
    poll(&p, 1, 20000);
    SHOW("recv: urgent data", recv(from, bytes, 1, MSG_OOB));
    SHOW("recv: urgent data again", recv(from, bytes, 1, MSG_OOB));
    SHOW("recvmsg: urgent data again", recvmsg(from, &message, MSG_OOB));
}

static void writes(void)
{
    uint64_t zero = 0, most = UINT64_MAX;
    SHOW("write: none", write(closed, bytes, 1));
    SHOW("write: end for reading", write(ends[0], bytes, 1));
    SHOW("writev: end for reading", writev(ends[0], &one, 1));
    SHOW("writev: no parts", writev(ends[1], NULL, 1));
    SHOW("writev: a negative count", writev(ends[1], &one, -1));
    SHOW("write: eventfd, 4", write(eventfd(0, 0), bytes, 4));
    SHOW("write: full eventfd, 4", write(full_eventfd(), bytes, 4));
    SHOW("write: full eventfd, 0", write(full_eventfd(), &zero, 8));
    SHOW("write: full eventfd, too much", write(full_eventfd(), &most, 8));
    SHOW("write: eventfd, too much", write(eventfd(0, 0), &most, 8));
    SHOW("write: timerfd", write(timerfd_create(CLOCK_MONOTONIC, 0), bytes, 8));
    SHOW("write: signalfd", write(signals(), bytes, 8));
    SHOW("write: epoll", write(epoll_create1(0), bytes, 8));
    SHOW("write: inotify", write(inotify_init(), bytes, 8));
    SHOW("write: a file for reading", write(open("/dev/zero", O_RDONLY), bytes, 1));
    SHOW("send: none", send(closed, bytes, 1, 0));
    SHOW("send: a pipe", send(ends[1], bytes, 1, 0));
    SHOW("send: a listener", send(listening(AF_INET), bytes, 1, MSG_NOSIGNAL));
    SHOW("send: not connected", send(socket(AF_INET, SOCK_STREAM, 0), bytes, 1, MSG_NOSIGNAL));
    SHOW("send: to nobody", send(socket(AF_INET, SOCK_DGRAM, 0), bytes, 1, 0));
    SHOW("sendto: another family",
         sendto(socket(AF_INET, SOCK_DGRAM, 0), bytes, 1, 0, &(struct sockaddr){ .sa_family = 77 },
                sizeof(struct sockaddr)));
    static char big[1 << 20];
    SHOW("send: too long", send(dgrams[0], big, sizeof big, 0));
    SHOW("sendmsg: a pipe", sendmsg(ends[1], &message, 0));
    SHOW("sendmsg: nowhere", sendmsg(pair[0], NOWHERE, MSG_DONTWAIT));
}

static void accepts(void)
{
    int fd = listening(AF_INET), un = listening(AF_UNIX);
    SHOW("accept: none", accept(closed, NULL, NULL));
    SHOW("accept: a pipe", accept(ends[0], NULL, NULL));
    SHOW("accept: a file", accept(open("/dev/null", O_RDWR), NULL, NULL));
    SHOW("accept: a pair", accept(pair[0], NULL, NULL));
    SHOW("accept: datagrams", accept(socket(AF_INET, SOCK_DGRAM, 0), NULL, NULL));
    SHOW("accept: datagrams, unix", accept(dgrams[0], NULL, NULL));
    SHOW("accept: not listening", accept(socket(AF_INET, SOCK_STREAM, 0), NULL, NULL));
    SHOW("accept: not listening, unix", accept(socket(AF_UNIX, SOCK_STREAM, 0), NULL, NULL));
    SHOW("accept4: wrong flags", accept4(fd, NULL, NULL, 1 << 30));
    SHOW("accept4: wrong flags, unix", accept4(un, NULL, NULL, 1));
    fcntl(fd, F_SETFL, O_NONBLOCK);
    SHOW("accept: O_NONBLOCK", accept(fd, NULL, NULL));
    SHOW("its mode", fcntl(fd, F_GETFL));
    fcntl(fd, F_SETFL, 0);
    struct timeval limit = { .tv_usec = 1000 };
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    SHOW("accept: SO_RCVTIMEO", accept(fd, NULL, NULL));
    struct sockaddr_in a = address_of(fd);
    int to = socket(AF_INET, SOCK_STREAM, 0);
    connect(to, (struct sockaddr *)&a, sizeof a);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){ .tv_sec = 20 }, sizeof limit);
    int got = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
    SHOW("mode of the listener", fcntl(fd, F_GETFL));
    SHOW("mode of the accepted", fcntl(got, F_GETFL));
    SHOW("FD_CLOEXEC of the accepted", fcntl(got, F_GETFD));
}

static void connects(void)
{
    int fd = listening(AF_INET), to = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in a = address_of(fd), refused;
    struct sockaddr *at = (struct sockaddr *)&a;
    SHOW("connect", connect(to, at, sizeof a));
    SHOW("connect: connected", connect(to, at, sizeof a));
    SHOW("its mode", fcntl(to, F_GETFL));
    SHOW("connect: none", connect(closed, at, sizeof a));
    SHOW("connect: a pipe", connect(ends[0], at, sizeof a));
    SHOW("connect: a short address", connect(socket(AF_INET, SOCK_STREAM, 0), at, 1));
    SHOW("connect: another family",
         connect(socket(AF_INET, SOCK_STREAM, 0), &(struct sockaddr){ .sa_family = 77 }, 16));
    SHOW("connect: a listener", connect(fd, at, sizeof a));
    SHOW("connect: nowhere", connect(socket(AF_INET, SOCK_STREAM, 0), NOWHERE, sizeof a));
    SHOW("connect: unix, nobody", connect(socket(AF_UNIX, SOCK_STREAM, 0),
                                          (struct sockaddr *)&(struct sockaddr_un){
                                              .sun_family = AF_UNIX, .sun_path = "nobody" },
                                          sizeof(struct sockaddr_un)));
    int bound = socket(AF_INET, SOCK_STREAM, 0), again = socket(AF_INET, SOCK_STREAM, 0);
    refused = a;
    refused.sin_port = 0;
    bind(bound, (struct sockaddr *)&refused, sizeof refused);
    refused = address_of(bound);
    SHOW("connect: refused", connect(again, (struct sockaddr *)&refused, sizeof refused));
    SHOW("connect: refused again", connect(again, (struct sockaddr *)&refused, sizeof refused));
    SHOW("SO_ERROR", recv(again, bytes, 1, 0));
    SHOW("connect: after that", connect(again, at, sizeof a));
    SHOW("connect: connected after that", connect(again, at, sizeof a));
    /* One port, which is taken. */
    int taken = socket(AF_INET, SOCK_DGRAM, 0);
    bind(taken, (struct sockaddr *)&(struct sockaddr_in){ .sin_family = AF_INET }, sizeof a);
    uint32_t port = ntohs(address_of(taken).sin_port), range = port << 16 | port;
    int late = socket(AF_INET, SOCK_DGRAM, 0);
    setsockopt(late, IPPROTO_IP, IP_LOCAL_PORT_RANGE, &range, sizeof range);
    SHOW("connect: no port is left", connect(late, at, sizeof a));
    SHOW("sendto: no port is left", sendto(late, bytes, 1, 0, at, sizeof a));
    SHOW("send: no port is left",
         sendmsg(late,
                 &(struct msghdr){
                     .msg_name = at, .msg_namelen = sizeof a, .msg_iov = &one, .msg_iovlen = 1 },
                 0));
}

/* With a limit of time, which comes. */
static void late_connects(void)
{
    struct sockaddr_un un = { .sun_family = AF_UNIX, .sun_path = "full" };
    struct timeval limit = { 0, 50000 };
    int full = socket(AF_UNIX, SOCK_STREAM, 0);
    bind(full, (struct sockaddr *)&un, sizeof un);
    listen(full, 0);
    for (int i = 0; i < 2; i++) {
        int fd = socket(AF_UNIX, SOCK_STREAM, 0);
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
        SHOW("connect: a full listener", connect(fd, (struct sockaddr *)&un, sizeof un));
    }
    int listener = socket(AF_INET, SOCK_STREAM, 0), fd = -1;
    struct sockaddr_in in = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    bind(listener, (struct sockaddr *)&in, sizeof in);
    listen(listener, 0);
    in = address_of(listener);
    for (int i = 0; i < 3; i++) {
        fd = socket(AF_INET, SOCK_STREAM, 0);
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
        SHOW("connect: a full listener, TCP", connect(fd, (struct sockaddr *)&in, sizeof in));
    }
    SHOW("connect: once more", connect(fd, (struct sockaddr *)&in, sizeof in));
}

static void sets(void)
{
    struct pollfd p = { .fd = closed, .events = POLLIN };
    struct epoll_event event;
    fd_set set;
    FD_ZERO(&set);
    FD_SET(closed, &set);
    SHOW("poll: none", poll(&p, 1, -1));
    SHOW("poll: too many", poll(&p, (nfds_t)1 << 30, -1));
    SHOW("poll: nowhere", poll(NOWHERE, 1, -1));
    SHOW("ppoll: a negative time", ppoll(&p, 1, &(struct timespec){ -1, 0 }, NULL));
    SHOW("ppoll: too many ns", ppoll(&p, 1, &(struct timespec){ 0, 1000000000 }, NULL));
    SHOW("select: none", select(closed + 1, &set, NULL, NULL, NULL));
    SHOW("select: a negative count", select(-1, NULL, NULL, NULL, NULL));
    SHOW("select: a negative time", select(0, NULL, NULL, NULL, &(struct timeval){ .tv_sec = -1 }));
    SHOW("pselect: a negative time",
         pselect(0, NULL, NULL, NULL, &(struct timespec){ -1, 0 }, NULL));
    SHOW("pselect: too many ns",
         pselect(0, NULL, NULL, NULL, &(struct timespec){ 0, 1000000000 }, NULL));
    SHOW("epoll_wait: none", epoll_wait(closed, &event, 1, -1));
    SHOW("epoll_wait: a pipe", epoll_wait(ends[0], &event, 1, -1));
    SHOW("epoll_wait: no room", epoll_wait(epoll_create1(0), &event, 0, -1));
    SHOW("epoll_pwait: no room", epoll_pwait(epoll_create1(0), &event, -1, -1, NULL));
}

static void times(void)
{
    struct timespec negative = { -1, 0 }, many = { 0, 1000000000 }, past = { 1, 0 };
    SHOW("nanosleep: none", nanosleep(NULL, NULL));
    RETURNS("clock_nanosleep: none", clock_nanosleep(CLOCK_MONOTONIC, 0, NULL, NULL));
    SHOW("nanosleep: negative", nanosleep(&negative, NULL));
    SHOW("nanosleep: too many ns", nanosleep(&many, NULL));
    SHOW("nanosleep: negative ns", nanosleep(&(struct timespec){ 1, -1 }, NULL));
    RETURNS("clock_nanosleep: negative", clock_nanosleep(CLOCK_REALTIME, 0, &negative, NULL));
    RETURNS("clock_nanosleep: until before",
            clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &past, NULL));
    RETURNS("clock_nanosleep: no clock", clock_nanosleep(77, 0, &past, NULL));
    RETURNS("clock_nanosleep: the thread's clock",
            clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &past, NULL));
}

static void children(void)
{
    int status;
    siginfo_t info;
    SHOW("wait: no child", wait(&status));
    SHOW("waitpid: no child", waitpid(-1, &status, 0));
    SHOW("waitpid: not mine", waitpid(1, &status, 0));
    SHOW("waitpid: no such group", waitpid(-77777777, &status, 0));
    SHOW("waitpid: wrong options", waitpid(-1, &status, 1 << 20));
    SHOW("wait3: no child", wait3(&status, 0, NULL));
    SHOW("wait4: no child", wait4(-1, &status, 0, NULL));
    SHOW("waitid: no child", waitid(P_ALL, 0, &info, WEXITED));
    SHOW("waitid: no options", waitid(P_ALL, 0, &info, 0));
    SHOW("waitid: no such type", waitid((idtype_t)77, 0, &info, WEXITED));
    SHOW("system: is there a shell", system(NULL) != 0);
}

static void files(void)
{
    int file = open("file", O_RDWR | O_CREAT, 0600), reader = open("file", O_RDONLY);
    struct flock part = { .l_type = F_WRLCK }, wrong = { .l_type = 77 };
    SHOW("flock: none", flock(closed, LOCK_EX));
    SHOW("flock: nothing", flock(file, 0));
    SHOW("flock: both", flock(file, LOCK_SH | LOCK_EX));
    SHOW("fcntl: none", fcntl(closed, F_SETLKW, &part));
    SHOW("fcntl: for reading only", fcntl(reader, F_SETLKW, &part));
    SHOW("fcntl: wrong type", fcntl(file, F_SETLKW, &wrong));
    SHOW("fcntl: nowhere", fcntl(file, F_SETLKW, NOWHERE));
    SHOW("fcntl: no command", fcntl(file, 7777, 0));
    part.l_pid = 1;
    SHOW("fcntl: a pid", fcntl(file, F_OFD_SETLKW, &part));
    SHOW("lockf: none", lockf(closed, F_LOCK, 0));
    SHOW("lockf: for reading only", lockf(reader, F_LOCK, 0));
    SHOW("lockf: no command", lockf(file, 77, 0));
    SHOW("fsync: none", fsync(closed));
    SHOW("fsync: a pipe", fsync(ends[0]));
    SHOW("fdatasync: none", fdatasync(closed));
    SHOW("fdatasync: a pair", fdatasync(pair[0]));
}

static void locks(void)
{
    struct timespec past = { 1, 0 }, many = { 1, 1000000000 }, negative = { 1, -1 };
    pthread_mutexattr_t kind;
    pthread_mutex_t checked, plain = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
    pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
    sem_t sem;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&checked, &kind);
    sem_init(&sem, 0, 0);
    pthread_mutex_lock(&checked);
    pthread_mutex_lock(&plain);
    RETURNS("mutex: mine", pthread_mutex_lock(&checked));
    RETURNS("mutex: mine, until", pthread_mutex_timedlock(&checked, &past));
    RETURNS("mutex: until before", pthread_mutex_timedlock(&plain, &past));
    RETURNS("mutex: too many ns", pthread_mutex_timedlock(&plain, &many));
    RETURNS("condition: until before", pthread_cond_timedwait(&cond, &plain, &past));
    RETURNS("condition: too many ns", pthread_cond_timedwait(&cond, &plain, &many));
    RETURNS("condition: negative ns", pthread_cond_timedwait(&cond, &plain, &negative));
    pthread_mutex_unlock(&checked);
    RETURNS("condition: not mine", pthread_cond_wait(&cond, &checked));
    pthread_rwlock_wrlock(&rw);
    RETURNS("read lock: I write", pthread_rwlock_rdlock(&rw));
    RETURNS("write lock: I write", pthread_rwlock_wrlock(&rw));
    RETURNS("read lock: I write, until", pthread_rwlock_timedrdlock(&rw, &past));
    RETURNS("write lock: I write, until", pthread_rwlock_timedwrlock(&rw, &past));
    SHOW("sem: until before", sem_timedwait(&sem, &past));
    SHOW("sem: too many ns", sem_timedwait(&sem, &many));
    RETURNS("join: itself", pthread_join(pthread_self(), NULL));
    RETURNS("join: itself, until", pthread_timedjoin_np(pthread_self(), NULL, &past));
}

/* A read of a terminal in the background, whose signal is ignored. */
static void background(void)
{
    int status, end = posix_openpt(O_RDWR | O_NOCTTY);
    if (end < 0 || grantpt(end) != 0 || unlockpt(end) != 0)
        return;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        setsid();
        int terminal = open(ptsname(end), O_RDWR), bad;
        signal(SIGTTIN, SIG_IGN);
        pid = fork();
        if (pid == 0) {
            setpgid(0, 0);
            alarm(20);
            _exit(read(terminal, bytes, 1) < 0 ? errno : 0);
        }
        bad = waitpid(pid, &status, 0) != pid;
        _exit(bad ? 255 : WEXITSTATUS(status));
    }
    waitpid(pid, &status, 0);
    printf("read: in the background: %s\n", strerrorname_np(WEXITSTATUS(status)));
}

static FILE *stream_at(const char *mode)
{
    FILE *f = fdopen(socket(AF_INET, SOCK_STREAM, 0), mode);
    setvbuf(f, NULL, _IONBF, 0);
    return f;
}

static void streams(void)
{
    char *line = NULL;
    size_t n = 0;
    int value;
    SHOW("fgetc: for writing", fgetc(fopen("/dev/null", "w")));
    SHOW("fgetc: not connected", fgetc(stream_at("r")));
    SHOW("fgets: not connected", fgets(bytes, 10, stream_at("r")) ? 0 : -1);
    SHOW("fread: not connected", fread(bytes, 1, 10, stream_at("r")) == 0 ? -1 : 0);
    SHOW("fscanf: not connected", fscanf(stream_at("r"), "%d", &value));
    SHOW("getline: a folder", getline(&line, &n, fopen("/", "r")));
    SHOW("fputc: for reading", fputc('a', fopen("/dev/zero", "r")));
    SHOW("fprintf: for reading", fprintf(fopen("/dev/zero", "r"), "text"));
    SHOW("fputs: not connected", fputs("text", stream_at("w")));
    SHOW("fwrite: not connected", fwrite("text", 4, 1, stream_at("w")) == 0 ? -1 : 0);
    SHOW("fprintf: not connected", fprintf(stream_at("w"), "text"));
    FILE *f = fdopen(socket(AF_INET, SOCK_STREAM, 0), "w");
    fputs("text", f);
    SHOW("fflush: not connected", fflush(f));
    SHOW("fclose: not connected", fclose(f));
    int fd[2];
    if (pipe(fd) != 0)
        exit(1);
    fcntl(fd[0], F_SETFL, O_NONBLOCK);
    f = fdopen(fd[0], "r");
    SHOW("fgetc: nothing is there", fgetc(f));
    write(fd[1], "a\nb\n", 4);
    SHOW("getline: after an error", getline(&line, &n, f));
    SHOW("fgetc: after an error", fgetc(f));
    clearerr(f);
    SHOW("getline: after that", getline(&line, &n, f));
    SHOW("puts", puts("four"));
    free(line);
}

/* What is shut down for reading ends at once, though poll() says that it is ready. */
static void shut_down(void)
{
    int type[] = { SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET }, fd[2], end;
    struct sockaddr_in nobody = address_of(listening(AF_INET));
    for (int i = 0; i < 3; i++) {
        end = socketpair(AF_UNIX, type[i], 0, fd) ? -1 : fd[0];
        shutdown(end, SHUT_RD);
        SHOW("recv: shut down", recv(end, bytes, 1, 0));
        SHOW("read: shut down", read(end, bytes, 1));
        SHOW("recvmsg: shut down",
             recvmsg(end, &(struct msghdr){ .msg_iov = &one, .msg_iovlen = 1 }, 0));
        send(fd[1], "x", 1, MSG_NOSIGNAL);
    }
    end = socket(AF_INET, SOCK_DGRAM, 0);
    connect(end, (struct sockaddr *)&nobody, sizeof nobody);
    shutdown(end, SHUT_RD);
    SHOW("recv: shut down, UDP", recv(end, bytes, 1, 0));
    for (int how = SHUT_RD; how <= SHUT_RDWR; how += 2) {
        unlink("listener");
        SHOW("accept: shut down",
             (end = listening(AF_UNIX), shutdown(end, how), accept(end, NULL, NULL)));
        SHOW("accept: shut down, TCP",
             (end = listening(AF_INET), shutdown(end, how), accept(end, NULL, NULL)));
    }
}

/* Two messages, each with a descriptor: MSG_WAITALL loses none of these. */
static void passed(void)
{
    int fd[2];
    socketpair(AF_UNIX, SOCK_STREAM, 0, fd);
    for (int i = 0; i < 4; i++) {
        union {
            struct cmsghdr head;
            char bytes[CMSG_SPACE(sizeof(int))];
        } control = { .bytes = { 0 } };
        struct iovec part = { bytes, i < 2 ? 2 : 4 };
        struct msghdr m = { .msg_iov = &part,
                            .msg_iovlen = 1,
                            .msg_control = &control,
                            .msg_controllen = sizeof control };
        if (i >= 2) {
            SHOW("recvmsg: all, with descriptors", recvmsg(fd[1], &m, MSG_WAITALL));
            printf("a descriptor comes: %d\n", m.msg_controllen > 0);
            if (i == 2)
                shutdown(fd[0], SHUT_WR);
            continue;
        }
        control.head = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof(int)),
                                         .cmsg_level = SOL_SOCKET,
                                         .cmsg_type = SCM_RIGHTS };
        memcpy(CMSG_DATA(&control.head), &fd[0], sizeof(int));
        sendmsg(fd[0], &m, 0);
    }
}

/* Calls of no bytes, and of parts. */
static void nothing(void)
{
    uint64_t full = UINT64_MAX - 1, one = 1;
    char three[3] = "", five[5] = "";
    struct iovec parts[] = { { three, 3 }, { five, 5 } }, ones[] = { { &one, 8 }, { &one, 8 } };
    struct iovec none[] = { { three, 0 }, { five, 0 } };
    int counter = eventfd(0, 0), stream = socket(AF_INET, SOCK_STREAM, 0), fd[2];
    sigset_t signals;
    sigemptyset(&signals);
    SHOW("read of nothing: eventfd", read(counter, bytes, 0));
    SHOW("read of nothing: timerfd", read(timerfd_create(CLOCK_MONOTONIC, 0), bytes, 0));
    SHOW("read of nothing: signalfd", read(signalfd(-1, &signals, 0), bytes, 0));
    SHOW("read of nothing: inotify", readv(inotify_init(), NULL, 0));
    SHOW("read of nothing: a folder", read(open(".", O_RDONLY), bytes, 0));
    SHOW("read of nothing: a pipe", read(ends[0], bytes, 0));
    SHOW("read of nothing: its other end", read(ends[1], bytes, 0));
    SHOW("read of nothing: a socket", read(pair[0], bytes, 0));
    SHOW("readv of nothing: eventfd", readv(counter, none, 2));
    SHOW("readv of nothing: a socket", readv(pair[0], none, 2));
    SHOW("write of nothing: eventfd", write(counter, bytes, 0));
    SHOW("write of nothing: a full device", write(open("/dev/full", O_WRONLY), bytes, 0));
    SHOW("write of nothing: a pipe", write(ends[1], bytes, 0));
    SHOW("write of nothing: its other end", write(ends[0], bytes, 0));
    SHOW("writev of nothing: eventfd", writev(counter, none, 0));
    SHOW("writev of nothing: no connection", writev(stream, NULL, 0));
    SHOW("recv of nothing: no connection", recv(stream, bytes, 0, MSG_WAITALL));
    SHOW("writev of parts: eventfd", writev(counter, parts, 2));
    SHOW("writev of two: eventfd", writev(counter, ones, 2));
    SHOW("read of two", (read(counter, &one, 8), one));
    write(counter, &full, 8);
    SHOW("writev of parts: a full eventfd", writev(counter, parts, 2));
    SHOW("writev of nothing: a full eventfd", writev(counter, none, 0));
    socketpair(AF_UNIX, SOCK_DGRAM, 0, fd);
    SHOW("writev of nothing: datagrams", writev(fd[0], none, 0));
    SHOW("none is there", recv(fd[1], bytes, 1, MSG_DONTWAIT));
    SHOW("write of nothing: datagrams", write(fd[0], bytes, 0));
    SHOW("one is there", recv(fd[1], bytes, 1, MSG_DONTWAIT));
    errno = ENOTTY;
    write(eventfd(0, 0), &one, 8);
    printf("errno after a write: %s\n", strerrorname_np(errno));
}

int main(void)
{
    struct sigaction a = { .sa_handler = wake };
    sigaction(SIGALRM, &a, NULL);
    signal(SIGPIPE, SIG_IGN);
    setvbuf(stdout, NULL, _IOLBF, 0);
    close(dup2(0, closed)); /* select() knows the number */
    if (pipe(ends) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0 ||
        socketpair(AF_UNIX, SOCK_DGRAM, 0, dgrams) != 0)
        return 1;
    reads();
    urgent();
    writes();
    accepts();
    shut_down();
    connects();
    late_connects();
    sets();
    times();
    children();
    files();
    locks();
    streams();
    background();
    nothing();
    passed();
    return 0;
}
