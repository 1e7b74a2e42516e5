/* others.c - times, child processes, locks of files, descriptors that end in other ways. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "job.h"

static char path[] = "/tmp/co4-others.XXXXXX";
static int gate[2], inside, wrong;

static void say(const char *what, long n)
{
    printf("%s %ld %s\n", what, n, n < 0 ? strerror(errno) : "");
}

static long ms_since(const struct timespec *begun)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (now.tv_sec - begun->tv_sec) * 1000 + (now.tv_nsec - begun->tv_nsec) / 1000000;
}

/* ---- times ---- */

static struct timespec after(long ms, clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    t.tv_nsec += ms * 1000000;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

static int times(int i)
{
    struct timespec begun, ten = { 0, 10000000 }, none = { 0, 0 }, bad = { 0, 1000000000 };
    struct timespec at;
    struct pollfd one = { gate[0], POLLIN, 0 };
    struct epoll_event event = { .events = EPOLLIN };
    sigset_t all;
    fd_set set;
    int e = epoll_create1(0);
    clock_gettime(CLOCK_MONOTONIC, &begun);
    say("relative", clock_nanosleep(CLOCK_MONOTONIC, 0, &ten, NULL));
    say("took", ms_since(&begun) >= 10);
    at = after(10, CLOCK_REALTIME);
    say("absolute", clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &at, NULL));
    say("took", ms_since(&begun) >= 20);
    at = after(10, CLOCK_MONOTONIC);
    say("absolute", clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL));
    say("took", ms_since(&begun) >= 30);
    say("gone", clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &ten, NULL));
    say("bad", clock_nanosleep(CLOCK_REALTIME, 0, &bad, NULL));
    say("no clock", clock_nanosleep(77, 0, &ten, NULL));
    say("ppoll", ppoll(&one, 1, &ten, NULL));
    say("ppoll", ppoll(&one, 1, &bad, NULL));
    FD_ZERO(&set);
    FD_SET(gate[0], &set);
    say("pselect", pselect(gate[0] + 1, &set, NULL, NULL, &ten, NULL));
    say("pselect", pselect(-1, NULL, NULL, NULL, &none, NULL));
    say("pselect", pselect(0, NULL, NULL, NULL, &bad, NULL));
    sigfillset(&all);
    say("with a mask", ppoll(&one, 1, &none, &all));
    say("with a mask", pselect(0, NULL, NULL, NULL, &none, &all));
    say("with a mask", epoll_pwait(e, &event, 1, 0, &all));
    epoll_ctl(e, EPOLL_CTL_ADD, gate[0], &event);
    say("epoll_pwait", epoll_pwait(e, &event, 1, 5, NULL));
    say("write", write(gate[1], "x", 1));
    say("epoll_pwait", epoll_pwait(e, &event, 1, -1, NULL));
    say("ppoll", ppoll(&one, 1, NULL, NULL));
    FD_SET(gate[0], &set);
    say("pselect", pselect(gate[0] + 1, &set, NULL, NULL, NULL, NULL));
    close(e);
    return i;
}

/* ---- child processes ---- */

static pid_t child(int ms, int code)
{
    pid_t pid = fork();
    if (pid == 0) {
        struct timespec t = { 0, ms * 1000000 };
        struct timespec begun;
        clock_gettime(CLOCK_MONOTONIC, &begun);
        while (ms_since(&begun) < t.tv_nsec / 1000000)
            ;
        _exit(code);
    }
    return pid;
}

static int one_child(int i)
{
    int status = 0;
    struct rusage usage;
    siginfo_t info;
    pid_t pid = child(5, i);
    if (i % 3 == 0 && (waitpid(pid, &status, 0) != pid || WEXITSTATUS(status) != i))
        wrong++;
    if (i % 3 == 1 && (wait4(pid, &status, 0, &usage) != pid || WEXITSTATUS(status) != i))
        wrong++;
    if (i % 3 == 2 && (waitid(P_PID, (id_t)pid, &info, WEXITED) != 0 || info.si_pid != pid ||
                       info.si_status != i))
        wrong++;
    return 0;
}

static int any_child(int i)
{
    int status, sum = 0;
    siginfo_t info = { 0 };
    pid_t stopped;
    for (int n = 1; n <= 4; n++)
        child(3 * n, n);
    for (int n = 0; n < 2; n++)
        sum += wait(&status) > 0 ? WEXITSTATUS(status) : 100;
    sum += wait3(&status, 0, NULL) > 0 ? WEXITSTATUS(status) : 100;
    sum += waitid(P_ALL, 0, &info, WEXITED) == 0 ? info.si_status : 100;
    say("children", sum);
    say("none", wait(&status));
    say("none", waitpid(1, &status, 0));
    say("none", waitid(P_ALL, 0, &info, WEXITED));
    say("bad", waitid(P_ALL, 0, &info, 0));
    stopped = child(30000, 0);
    say("not yet", waitpid(stopped, &status, WNOHANG));
    kill(stopped, SIGSTOP);
    say("stops", waitpid(stopped, &status, WUNTRACED) == stopped && WIFSTOPPED(status));
    kill(stopped, SIGCONT);
    say("goes on", waitpid(stopped, &status, WCONTINUED) == stopped && WIFCONTINUED(status));
    kill(stopped, SIGKILL);
    say("killed", waitpid(stopped, &status, 0) == stopped && WTERMSIG(status) == SIGKILL);
    say("system", system("exit 3"));
    say("system", system(NULL) != 0);
    return i;
}

/* ---- locks of files ---- */

static int with_flock(int i)
{
    int fd = open(path, O_RDWR);
    for (int n = 0; n < 10; n++) {
        if (flock(fd, LOCK_EX) != 0 || __atomic_fetch_add(&inside, 1, __ATOMIC_SEQ_CST) != 0)
            wrong++;
        usleep(200);
        if (__atomic_fetch_sub(&inside, 1, __ATOMIC_SEQ_CST) != 1 || flock(fd, LOCK_UN) != 0)
            wrong++;
    }
    close(fd);
    return i < 0;
}

static int with_part(int i)
{
    struct flock part = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1 };
    int fd = open(path, O_RDWR);
    for (int n = 0; n < 10; n++) {
        part.l_type = F_WRLCK;
        if (fcntl(fd, F_OFD_SETLKW, &part) != 0 ||
            __atomic_fetch_add(&inside, 1, __ATOMIC_SEQ_CST) != 0)
            wrong++;
        usleep(200);
        part.l_type = F_UNLCK;
        if (__atomic_fetch_sub(&inside, 1, __ATOMIC_SEQ_CST) != 1 ||
            fcntl(fd, F_OFD_SETLK, &part) != 0)
            wrong++;
    }
    close(fd);
    return i < 0;
}

static int files(int i)
{
    struct flock part = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    int fd = open(path, O_RDWR), other = open(path, O_RDONLY);
    say("flock", flock(fd, LOCK_EX));
    say("not now", flock(other, LOCK_SH | LOCK_NB));
    say("bad", flock(fd, 77));
    say("closed", flock(-1, LOCK_EX));
    flock(fd, LOCK_UN);
    say("part", fcntl(fd, F_SETLKW, &part));
    part.l_type = F_WRLCK;
    say("to read only", fcntl(other, F_SETLKW, &part));
    say("closed", fcntl(-1, F_SETLKW, &part));
    say("flags", fcntl(fd, F_GETFL) == (O_RDWR | O_LARGEFILE) || fcntl(fd, F_GETFL) == O_RDWR);
    say("flags", fcntl(fd, F_SETFD, FD_CLOEXEC));
    say("flags", fcntl(fd, F_GETFD));
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 100);
    say("a copy", copy >= 100);
    close(copy);
    say("lockf", lockf(fd, F_LOCK, 10));
    say("lockf", lockf(fd, F_ULOCK, 10));
    say("lockf", lockf(other, F_LOCK, 10));
    say("write", write(fd, "x", 1));
    say("fsync", fsync(fd));
    say("fdatasync", fdatasync(fd));
    say("closed", fsync(-1));
    say("a pipe", fdatasync(gate[0]));
    close(fd);
    close(other);
    return i;
}

/* ---- ends of descriptors ---- */

static int ends(int i)
{
    int p[2], q[2];
    char c = 0;
    struct timespec soon = { 0, 2000000 };
    for (int how = 0; how < 2; how++) {
        if (pipe(p) != 0 || pipe(q) != 0)
            return 1;
        struct pollfd f = { p[0], POLLIN, 0 };
        say("empty", ppoll(&f, 1, &soon, NULL));
        if (how == 0)
            say("close_range", close_range((unsigned)p[0], (unsigned)p[0], 0));
        else
            say("close_range", close_range((unsigned)p[0], (unsigned)q[1], 0));
        if (how == 1 && pipe(q) != 0)
            return 1;
        int again = how == 0 ? dup(q[0]) : q[0];
        say("the number again", again == p[0]);
        if (!fork()) {
            usleep(3000);
            _exit(write(q[1], "y", 1) != 1);
        }
        say("read", read(again, &c, 1));
        say("the byte", c);
        wait(NULL);
        if (how == 0) {
            close(again);
            close(q[0]);
            close(q[1]);
            close(p[1]);
        } else {
            close(q[0]);
            close(q[1]);
        }
    }
    say("bad", close_range(9, 5, 0));
    return i;
}

/* ---- one socket that all connect ---- */

static int to_connect;

static int connects(int i)
{
    struct sockaddr_in a = { .sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                             .sin_port = htons(9) };
    for (int n = 0; n < 3000; n++)
        if (connect(to_connect, (struct sockaddr *)&a, sizeof a) != 0)
            return 1;
    return i < 0;
}

/* O_NONBLOCK is not the program's: where it is seen, O_APPEND says so. */
static int look_at_mode(int i)
{
    for (int n = 0; n < 30000; n++)
        wrong += (fcntl(to_connect, F_GETFL) & (O_NONBLOCK | O_APPEND)) == O_NONBLOCK;
    return i;
}

const struct job jobs[] = {
    { "times", times, 1, NULL },
    { "one child", one_child, 9, NULL },
    { "any child", any_child, 1, NULL },
    { "flock", with_flock, 6, NULL },
    { "part", with_part, 6, NULL },
    { "files", files, 1, NULL },
    { "ends", ends, 1, NULL },
    { "connects", connects, 4, look_at_mode },
    { 0 },
};

void begin_job(const struct job *job)
{
    (void)job;
    fflush(stdout);
    if (gate[0] == 0 && (pipe(gate) != 0 || close(mkstemp(path)) != 0 ||
                         (to_connect = socket(AF_INET, SOCK_DGRAM, 0)) < 0))
        exit(9);
}

void end_job(const struct job *job, int result)
{
    printf("%s: %d, %d wrong\n", job->name, result, wrong);
    if (strcmp(job->name, "ends") == 0)
        unlink(path);
    if (strcmp(job->name, "connects") == 0)
        say("mode", fcntl(to_connect, F_GETFL) & (O_NONBLOCK | O_APPEND));
}
