/* points_more.c - points.c, for calls that wait for other ends: of connections and datagrams, for
 * children, threads, locks of files, streams that are full or empty. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "points.h"

static int empty[2], full[2], pair[2], datagrams[2], locked;
static struct sockaddr_un busy = { .sun_family = AF_UNIX };
static char big[1 << 20];
static sem_t sem;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, held = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static mtx_t c11_m;
static cnd_t c11_c;
static FILE *in, *out;
static pthread_t other;
static thrd_t c11_other;

static const struct timespec *in_ms(clockid_t clock, long ms)
{
    static _Thread_local struct timespec t;
    clock_gettime(clock, &t);
    t.tv_nsec += ms % 1000 * 1000000;
    t.tv_sec += ms / 1000 + t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return &t;
}

static void unlock(void *x)
{
    printf("(%d)", pthread_mutex_unlock(x));
}

static void c11_unlock(void *x)
{
    printf("(%d)", mtx_unlock(x));
}

static void print_all(const char *format, ...)
{
    va_list more;
    va_start(more, format);
    vdprintf(full[1], format, more);
    va_end(more);
}

/* ---- the calls ---- */

static void f_connect(void)
{
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    connect(fd, (void *)&busy, sizeof busy);
}

static void f_sendto(void)
{
    sendto(datagrams[1], big, 1000, 0, NULL, 0);
}

static void f_sendmsg(void)
{
    struct iovec v = { big, 1000 };
    struct msghdr h = { .msg_iov = &v, .msg_iovlen = 1 };
    sendmsg(datagrams[1], &h, 0);
}

static void f_recvmmsg(void)
{
    struct iovec v = { big, 1000 };
    struct mmsghdr h = { .msg_hdr = { .msg_iov = &v, .msg_iovlen = 1 } };
    recvmmsg(pair[0], &h, 1, 0, NULL);
}

static void f_sendmmsg(void)
{
    struct iovec v = { big, 1000 };
    struct mmsghdr h = { .msg_hdr = { .msg_iov = &v, .msg_iovlen = 1 } };
    sendmmsg(datagrams[1], &h, 1, 0);
}

static void f_dprintf(void)
{
    dprintf(full[1], "%s", big);
}

static void f_vdprintf(void)
{
    print_all("%s", big);
}

static void f_timedjoin(void)
{
    pthread_timedjoin_np(other, NULL, in_ms(CLOCK_REALTIME, 100000));
}

static void f_thrd_join(void)
{
    thrd_join(c11_other, NULL);
}

static void f_wait(void)
{
    wait(NULL);
}

static void f_wait3(void)
{
    wait3(NULL, 0, NULL);
}

static void f_wait4(void)
{
    wait4(-1, NULL, 0, NULL);
}

static void f_fcntl(void)
{
    struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1 };
    fcntl(locked, F_SETLKW, &l);
}

static void f_fcntl_ofd(void)
{
    struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1 };
    fcntl(locked, F_OFD_SETLKW, &l);
}

static void f_lockf(void)
{
    lockf(locked, F_LOCK, 1);
}

static void f_thrd_sleep(void)
{
    thrd_sleep(&(struct timespec){ 100, 0 }, NULL);
}

static void f_sem_clockwait(void)
{
    sem_clockwait(&sem, CLOCK_MONOTONIC, in_ms(CLOCK_MONOTONIC, 100000));
}

static void f_cond_clockwait(void)
{
    pthread_mutex_lock(&m);
    pthread_cleanup_push(unlock, &m);
    for (;;)
        pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, in_ms(CLOCK_MONOTONIC, 100000));
    pthread_cleanup_pop(1);
}

static void f_cnd_wait(void)
{
    mtx_lock(&c11_m);
    pthread_cleanup_push(c11_unlock, &c11_m);
    for (;;)
        cnd_wait(&c11_c, &c11_m);
    pthread_cleanup_pop(1);
}

static void f_cnd_timedwait(void)
{
    mtx_lock(&c11_m);
    pthread_cleanup_push(c11_unlock, &c11_m);
    for (;;)
        cnd_timedwait(&c11_c, &c11_m, in_ms(CLOCK_REALTIME, 100000));
    pthread_cleanup_pop(1);
}

static void f_epoll_pwait(void)
{
    struct epoll_event e;
    epoll_pwait(epoll_create1(0), &e, 1, -1, NULL);
}

static void f_getc(void)
{
    getc(in);
}

static void f_fread(void)
{
    char b[10];
    (void)!fread(b, 1, sizeof b, in);
}

static void f_getline(void)
{
    char *line = NULL;
    size_t bytes = 0;
    (void)!getline(&line, &bytes, in);
}

static void f_fscanf(void)
{
    int n;
    (void)!fscanf(in, "%d", &n);
}

static void f_fwrite(void)
{
    (void)!fwrite(big, 1, sizeof big, out);
}

static void f_fputs(void)
{
    fputs(big, out);
}

static void f_fprintf(void)
{
    fprintf(out, "%s", big);
}

static void f_fputc(void)
{
    for (;;)
        fputc('x', out);
}

static void f_fclose(void)
{
    FILE *f = fdopen(dup(full[1]), "w");
    fputc('x', f);
    fclose(f);
}

/* No points, though they wait: the sleep that follows is one. */
static void f_locks(void)
{
    int a = pthread_mutex_timedlock(&held, in_ms(CLOCK_REALTIME, 30));
    int b = pthread_rwlock_timedwrlock(&rw, in_ms(CLOCK_REALTIME, 1));
    int d = pthread_rwlock_timedrdlock(&rw, in_ms(CLOCK_REALTIME, 1));
    printf("(locks %d)", a == b && b == d);
    usleep(1);
}

/* ---- calls that do not wait: a thread that makes nothing else ends, too ---- */

static const char nowhere[] = "/nowhere/at all";
static int none = -1;

/* clang-format off */
#define ENDLESSLY(name, call) static void f_##name(void) { char b[8] = ""; \
    struct iovec v = { b, 8 }; for (;;) if ((call) == 1234) printf("%p", (void *)&v); }
ENDLESSLY(open, open(nowhere, O_RDONLY))
ENDLESSLY(open_made, open(nowhere, O_RDWR | O_CREAT, 0600))
ENDLESSLY(openat, openat(AT_FDCWD, nowhere, O_RDONLY))
ENDLESSLY(creat, creat(nowhere, 0600))
ENDLESSLY(close, close(none))
ENDLESSLY(pread, pread(locked, b, sizeof b, 0))
ENDLESSLY(pwrite, pwrite(none, b, sizeof b, 0))
ENDLESSLY(preadv, preadv(locked, &v, 1, 0))
ENDLESSLY(pwritev, pwritev(none, &v, 1, 0))
ENDLESSLY(msync, msync(NULL, 0, MS_ASYNC))
ENDLESSLY(tcdrain, tcdrain(none))
/* clang-format on */

/* Many loops call what calls a point. */
static int descriptor_of(const char *name)
{
    return open(name, O_RDONLY | O_CLOEXEC);
}

static void f_deeper(void)
{
    while (descriptor_of(nowhere) < 0)
        ;
}

static const struct point all[] = {
/* clang-format off */
#define X(n) { #n, f_##n }
    X(connect), X(sendto), X(sendmsg), X(recvmmsg), X(sendmmsg), X(dprintf), X(vdprintf),
    X(timedjoin), X(thrd_join), X(wait), X(wait3), X(wait4), X(fcntl), X(fcntl_ofd), X(lockf),
    X(thrd_sleep), X(sem_clockwait), X(cond_clockwait), X(cnd_wait), X(cnd_timedwait),
    X(epoll_pwait), X(getc), X(fread), X(getline), X(fscanf), X(fwrite), X(fputs), X(fprintf),
    X(fputc), X(fclose), X(locks),
    X(open), X(open_made), X(openat), X(creat), X(close), X(pread), X(pwrite), X(preadv),
    X(pwritev), X(msync), X(tcdrain), X(deeper),
    /* clang-format on */
};

/* ---- the threads ---- */

static int c11_forever(void *x)
{
    return forever(x) != NULL;
}

static void fill(int fd, size_t bytes, int has_messages)
{
    fcntl(fd, F_SETFL, O_NONBLOCK);
    while ((has_messages ? send(fd, big, bytes, 0) : write(fd, big, bytes)) > 0)
        ;
    fcntl(fd, F_SETFL, 0);
}

/* A listener whose connections nobody accepts. */
static int make_busy(void)
{
    int fd, listener = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(busy.sun_path + 1, sizeof busy.sun_path - 1, "co4-points-%ld", (long)getpid());
    if (bind(listener, (void *)&busy, sizeof busy) != 0 || listen(listener, 0) != 0)
        return 1;
    do
        fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    while (connect(fd, (void *)&busy, sizeof busy) == 0);
    return 0;
}

/* A child that has locked the file, and waits. */
static pid_t begin_child(void)
{
    char name[] = "lockedXXXXXX", c;
    int ready[2];
    locked = mkstemp(name);
    pid_t child = pipe(ready) == 0 ? fork() : -1;
    if (child == 0) {
        int fd = open(name, O_RDWR);
        if (lockf(fd, F_LOCK, 0) == 0 && write(ready[1], "x", 1) == 1)
            for (;;)
                pause();
        _exit(1);
    }
    if (read(ready[0], &c, 1) != 1)
        child = -1;
    unlink(name);
    return child;
}

int main(void)
{
    memset(big, 'x', sizeof big - 1);
    if (pipe(empty) || pipe(full) || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) ||
        socketpair(AF_UNIX, SOCK_DGRAM, 0, datagrams) || make_busy())
        return 1;
    pid_t child = begin_child();
    fill(full[1], 4096, 0);
    fill(datagrams[1], 1000, 1);
    sem_init(&sem, 0, 0);
    mtx_init(&c11_m, mtx_plain);
    cnd_init(&c11_c);
    pthread_mutex_lock(&held);
    pthread_rwlock_wrlock(&rw);
    in = fdopen(dup(empty[0]), "r");
    out = fdopen(dup(full[1]), "w");
    pthread_create(&other, NULL, forever, NULL);
    thrd_create(&c11_other, c11_forever, NULL);
    cancel_in_each(all, sizeof all / sizeof *all);
    kill(child, SIGKILL);
    pthread_cancel(other);
    printf("%d\n", pthread_join(other, NULL));
    fflush(stdout);
    _exit(0); /* the streams are full */
}
