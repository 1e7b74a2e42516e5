/* threads.c - a program that knows threads alone: it prints the same where these are tasks. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

enum { FEW = 8, MANY = 500 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t come = PTHREAD_COND_INITIALIZER;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t done;
static __thread int mine = 5;
static atomic_int flag, ended, begun;
static int count;

static void check(int err, const char *what)
{
    if (err != 0) {
        printf("%s: %s\n", what, strerrorname_np(err));
        exit(1);
    }
}

static pthread_t begin(void *(*start)(void *), void *arg)
{
    pthread_t id;
    check(pthread_create(&id, NULL, start, arg), "create");
    return id;
}

static void *end(pthread_t id)
{
    void *value = NULL;
    check(pthread_join(id, &value), "join");
    return value;
}

/* ---- values, and who is who ---- */

static void *square(void *arg)
{
    usleep(1000);
    return (void *)((intptr_t)arg * (intptr_t)arg);
}

static void *never_waits(void *arg)
{
    return (char *)arg + mine;
}

static void *says_who(void *arg)
{
    pthread_t *id = arg;
    while (!atomic_load(&flag))
        usleep(100);
    return pthread_equal(*id, pthread_self()) ? arg : NULL;
}

static void values(void)
{
    pthread_t ids[MANY];
    intptr_t sum = 0, same = 0;
    for (int i = 0; i < MANY; i++)
        ids[i] = begin(i % 2 ? square : never_waits, (void *)(intptr_t)i);
    for (int i = 0; i < MANY; i++)
        sum += (intptr_t)end(ids[i]);
    for (int i = 0; i < FEW; i++)
        ids[i] = begin(says_who, &ids[i]);
    flag = 1;
    for (int i = 0; i < FEW; i++)
        same += end(ids[i]) == &ids[i];
    printf("values %ld, same %ld, main %d\n", (long)sum, (long)same,
           pthread_equal(pthread_self(), ids[0]) != 0);
}

/* ---- ends ---- */

static void end_value(void *value)
{
    atomic_fetch_add(&ended, (int)(intptr_t)value + (mine == 6));
}

static void leave(int depth, intptr_t value)
{
    usleep(100);
    if (depth > 0) {
        leave(depth - 1, value);
        printf("not reached\n");
    }
    pthread_exit((void *)value);
}

static void *exits(void *arg)
{
    pthread_setspecific(key, (void *)(intptr_t)1);
    mine++;
    leave((int)(intptr_t)arg, (intptr_t)arg + 7);
    return NULL;
}

static void *exits_at_once(void *arg)
{
    pthread_exit(arg);
}

static void ends(void)
{
    pthread_t ids[FEW];
    intptr_t sum = 0;
    for (int i = 0; i < FEW; i++)
        ids[i] = begin(i % 2 ? exits : exits_at_once, (void *)(intptr_t)i);
    for (int i = 0; i < FEW; i++)
        sum += (intptr_t)end(ids[i]);
    printf("ends %ld, at the end %d\n", (long)sum, atomic_load(&ended));
}

/* ---- detached threads ---- */

static void *posts(void *arg)
{
    if (arg)
        check(pthread_detach(pthread_self()), "detach");
    usleep(500);
    sem_post(&done);
    return NULL;
}

static void detached(void)
{
    pthread_attr_t attributes;
    pthread_t id;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    for (int i = 0; i < FEW; i++) {
        check(pthread_create(&id, i % 3 ? NULL : &attributes, posts, i % 3 == 1 ? &id : NULL),
              "create");
        if (i % 3 == 2)
            check(pthread_detach(id), "detach");
    }
    for (int i = 0; i < FEW; i++)
        while (sem_wait(&done) != 0)
            ;
    pthread_attr_destroy(&attributes);
    printf("detached\n");
}

/* ---- they wait for each other ---- */

static void *counts(void *arg)
{
    for (int i = 0; i < 200; i++) {
        pthread_mutex_lock(&mutex);
        while (count % FEW != (int)(intptr_t)arg)
            pthread_cond_wait(&come, &mutex);
        count++;
        pthread_cond_broadcast(&come);
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

static void *begins_others(void *arg)
{
    intptr_t depth = (intptr_t)arg;
    if (depth == 0)
        return (void *)1;
    pthread_t one = begin(begins_others, (void *)(depth - 1));
    pthread_t other = begin(begins_others, (void *)(depth - 1));
    return (void *)((intptr_t)end(one) + (intptr_t)end(other) + 1);
}

/* It waits in a loop that calls nothing. */
static void *spins(void *arg)
{
    atomic_fetch_add(&begun, 1);
    while (atomic_load(&begun) < FEW)
        ;
    return arg;
}

/* A lock whose holders sleep, and a loop of jumps. */
static struct {
    atomic_uint next, now;
} ticket;

static void take_ticket(unsigned *ours)
{
    *ours = atomic_fetch_add(&ticket.next, 1);
    while (atomic_load(&ticket.now) != *ours)
        ;
}

static void *holds_tickets(void *arg)
{
    unsigned ours;
    for (int i = 0; i < 20; i++) {
        take_ticket(&ours);
        count++;
        usleep(10);
        atomic_fetch_add(&ticket.now, 1);
    }
    return arg;
}

/* A lock of one word, by exchanges. */
static atomic_int word;

static void *holds_a_word(void *arg)
{
    for (int i = 0; i < 20; i++) {
        int free;
        do
            free = 0;
        while (!atomic_compare_exchange_weak(&word, &free, 1));
        count++;
        usleep(10);
        atomic_store(&word, 0);
    }
    return arg;
}

static void *jumps(void *arg)
{
again:
    if (!atomic_load(&ended))
        goto again;
    return arg;
}

static void *stops(void *arg)
{
    usleep(1000);
    atomic_store(&ended, 1);
    return arg;
}

static void *is_masked(void *arg)
{
    sigset_t set;
    usleep(100);
    pthread_sigmask(SIG_SETMASK, NULL, &set);
    intptr_t was = sigismember(&set, SIGWINCH);
    if (arg) {
        sigaddset(&set, SIGWINCH);
        pthread_sigmask(SIG_SETMASK, &set, NULL);
        usleep(2000);
        pthread_sigmask(SIG_SETMASK, NULL, &set);
        was = was * 10 + sigismember(&set, SIGWINCH);
    }
    return (void *)was;
}

static void spins_and_masks(void)
{
    pthread_t ids[FEW], jumper;
    long masked = 0;
    atomic_store(&ended, 0);
    count = 0;
    jumper = begin(jumps, NULL);
    for (int i = 0; i < FEW; i++)
        ids[i] = begin(i ? holds_tickets : stops, NULL);
    for (int i = 0; i < FEW; i++)
        end(ids[i]);
    end(jumper);
    for (int i = 0; i < FEW; i++)
        ids[i] = begin(holds_a_word, NULL);
    for (int i = 0; i < FEW; i++)
        end(ids[i]);
    for (int i = 0; i < FEW; i++)
        ids[i] = begin(is_masked, i % 2 ? &ids : NULL);
    for (int i = 0; i < FEW; i++)
        masked = masked * 10 + (long)(intptr_t)end(ids[i]);
    printf("tickets %d, masked %ld\n", count, masked);
}

static void *late(void *arg)
{
    usleep(30000);
    return arg;
}

static void waits(void)
{
    pthread_t ids[FEW];
    struct timespec soon;
    for (int i = 0; i < FEW; i++)
        ids[i] = begin(counts, (void *)(intptr_t)i);
    for (int i = 0; i < FEW; i++)
        end(ids[i]);
    printf("count %d, tree %ld\n", count, (long)(intptr_t)end(begin(begins_others, (void *)7)));
    for (int i = 0; i < FEW; i++)
        ids[i] = begin(spins, NULL);
    for (int i = 0; i < FEW; i++)
        end(ids[i]);
    pthread_t id = begin(late, NULL);
    clock_gettime(CLOCK_REALTIME, &soon);
    int busy = pthread_tryjoin_np(id, NULL), early = pthread_timedjoin_np(id, NULL, &soon);
    soon.tv_sec += 20;
    int joined = pthread_timedjoin_np(id, NULL, &soon);
    printf("joins %d %d %d\n", busy == EBUSY, early == ETIMEDOUT, joined);
}

/* ---- calls of another thread ---- */

static void *waits_for_post(void *arg)
{
    sem_t *sem = arg;
    while (sem_wait(&sem[0]) != 0)
        ;
    sem_post(&sem[1]);
    return arg;
}

static void of_another(void)
{
    static sem_t sem[2];
    char name[16] = "", other[16] = "";
    sem_init(&sem[0], 0, 0);
    sem_init(&sem[1], 0, 0);
    pthread_t id = begin(waits_for_post, sem);
    int lives = pthread_kill(id, 0), named = pthread_setname_np(id, "another");
    int got = pthread_getname_np(id, name, sizeof name);
    sem_post(&sem[0]);
    while (sem_wait(&sem[1]) != 0)
        ;
    usleep(10000);
    int ended = pthread_kill(id, 0);
    printf("another %d %d %d %s %d %d", lives, named, got, name, ended, end(id) == sem);
    id = begin(waits_for_post, sem);
    check(pthread_detach(id), "detach");
    named = pthread_setname_np(id, "detached");
    got = pthread_getname_np(id, other, sizeof other);
    sem_post(&sem[0]);
    printf(", detached %d %d %s\n", named, got, other);
    while (sem_wait(&sem[1]) != 0)
        ;
}

/* ---- C11, names, forks, sockets ---- */

static int of_c11(void *arg)
{
    thrd_yield();
    if (arg)
        thrd_exit(42);
    return -3;
}

static void begin_once(void)
{
    usleep(1000);
    printf("once\n");
}

static void *others(void *arg)
{
    char name[16] = "";
    pthread_once(&once, begin_once);
    check(pthread_setname_np(pthread_self(), "worker"), "name");
    check(pthread_getname_np(pthread_self(), name, sizeof name), "name");
    errno = 77;
    usleep(1000);
    if (errno != 77 || strcmp(name, "worker") != 0)
        return NULL;
    pid_t child = fork();
    if (child == 0) {
        mine += 30;
        usleep(100);
        _exit(mine + (int)(intptr_t)end(begin(square, (void *)2)));
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 39 ? arg : NULL;
}

static void *echoes(void *arg)
{
    int fd = (int)(intptr_t)arg;
    char text[64];
    for (ssize_t n; (n = read(fd, text, sizeof text)) > 0;)
        if (write(fd, text, (size_t)n) != n)
            break;
    close(fd);
    return NULL;
}

static void the_rest(void)
{
    thrd_t one, other;
    int codes[2] = { 0, 0 }, ends[2], good = 0;
    char text[8];
    if (thrd_create(&one, of_c11, NULL) != thrd_success ||
        thrd_create(&other, of_c11, &one) != thrd_success ||
        thrd_join(one, &codes[0]) != thrd_success || thrd_join(other, &codes[1]) != thrd_success)
        exit(1);
    printf("C11 %d %d\n", codes[0], codes[1]);
    pthread_t ids[3];
    for (int i = 0; i < 3; i++)
        ids[i] = begin(others, &good);
    for (int i = 0; i < 3; i++)
        good += end(ids[i]) == &good;
    for (int i = 0; i < 20; i++) {
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
            exit(1);
        pthread_t id = begin(echoes, (void *)(intptr_t)ends[1]);
        good += write(ends[0], "hello", 5) == 5 && read(ends[0], text, sizeof text) == 5;
        close(ends[0]);
        end(id);
    }
    printf("good %d\n", good);
}

/* ---- calls of several bytes or messages ---- */

enum { BYTES = 300000 };

static void *drains(void *arg)
{
    static char all[FEW][BYTES];
    const int *from = arg;
    intptr_t sum = 0, got = 0;
    char *text = all[*from % FEW];
    for (ssize_t n; (n = read(*from, text + got, (size_t)(BYTES - got))) > 0; got += n)
        usleep(50);
    for (intptr_t i = 0; i < got; i++)
        sum = (sum * 31 + (unsigned char)text[i]) % 1000003;
    close(*from);
    return (void *)(sum * 10 + (got == BYTES));
}

static void *sends_a_file(void *arg)
{
    FILE *file = tmpfile();
    off_t at = 0;
    for (int i = 0; i < BYTES; i++)
        putc(i * 7 % 251, file);
    fflush(file);
    ssize_t n = sendfile(*(int *)arg, fileno(file), &at, BYTES);
    fclose(file);
    return (void *)(intptr_t)(n == BYTES && at == BYTES);
}

static void *prints(void *arg)
{
    return (void *)(intptr_t)dprintf(*(int *)arg, "%*d", BYTES, 5);
}

static void *exchanges(void *arg)
{
    int *ends = arg;
    char in[4][8] = { "" }, out[4][8] = { "one", "two", "three", "four" };
    struct iovec parts[4], others[4];
    struct mmsghdr sent[4] = { { .msg_len = 0 } }, got[4] = { { .msg_len = 0 } };
    for (int i = 0; i < 4; i++) {
        parts[i] = (struct iovec){ out[i], strlen(out[i]) };
        others[i] = (struct iovec){ in[i], sizeof in[i] };
        sent[i].msg_hdr = (struct msghdr){ .msg_iov = &parts[i], .msg_iovlen = 1 };
        got[i].msg_hdr = (struct msghdr){ .msg_iov = &others[i], .msg_iovlen = 1 };
    }
    int one = sendmmsg(ends[0], sent, 3, 0),
        first = recvmmsg(ends[1], got, 4, MSG_WAITFORONE, NULL);
    int other = sendmmsg(ends[0], &sent[3], 1, 0), last = recvmmsg(ends[1], &got[3], 1, 0, NULL);
    printf("messages %d %d %d %d: %s %u %s %u\n", one, first, other, last, in[2], got[2].msg_len,
           in[3], got[3].msg_len);
    return arg;
}

static void several(void)
{
    int ends[2];
    void *(*const sending[])(void *) = { sends_a_file, prints };
    for (int i = 0; i < 2; i++) {
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
            exit(1);
        pthread_t other = begin(drains, &ends[0]), one = begin(sending[i], &ends[1]);
        long sent = (long)(intptr_t)end(one);
        shutdown(ends[1], SHUT_WR);
        printf("several %ld %ld\n", sent, (long)(intptr_t)end(other));
        close(ends[1]);
    }
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) != 0 || end(begin(exchanges, ends)) != ends)
        exit(1);
    close(ends[0]);
    close(ends[1]);
}

/* A thread for signals, as servers have one. */
static void *hears(void *arg)
{
    sigset_t *set = arg;
    struct timespec soon = { 0, 1000000 };
    intptr_t heard = 0;
    int signo;
    if (sigtimedwait(set, NULL, &soon) != -1 || errno != EAGAIN)
        return NULL;
    for (sem_post(&done); sigwait(set, &signo) == 0; sem_post(&done)) {
        heard = heard * 10 + (signo == SIGUSR1 ? 1 : 2);
        if (signo == SIGUSR2)
            break;
    }
    return (void *)heard;
}

static void signals(sigset_t *set)
{
    pthread_t id = begin(hears, set);
    while (sem_wait(&done) != 0)
        ;
    for (int i = 0; i < 3; i++) {
        kill(getpid(), SIGUSR1);
        while (sem_wait(&done) != 0)
            ;
    }
    kill(getpid(), SIGUSR2);
    printf("heard %ld\n", (long)(intptr_t)end(id));
}

/* The process goes on until this has ended. */
static void *is_last(void *arg)
{
    (void)arg;
    usleep(20000);
    printf("last\n");
    fflush(stdout);
    return NULL;
}

int main(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    setvbuf(stdout, NULL, _IOLBF, 0);
    check(pthread_key_create(&key, end_value), "key");
    sem_init(&done, 0, 0);
    values();
    ends();
    detached();
    waits();
    spins_and_masks();
    of_another();
    the_rest();
    several();
    signals(&set);
    printf("main %d\n", mine);
    begin(is_last, NULL);
    pthread_exit(NULL);
}
