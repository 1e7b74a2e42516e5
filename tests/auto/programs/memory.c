/* memory.c - threads that are tasks, on one worker, where each allocation of a call fails in turn:
 * the call says so, and nothing is lost. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fenv.h>
#include <locale.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 100, MANY = 5000, TURNS = 4, DEEP = 20 };

long co4_test_fail_alloc(long n); /* the n-th fails; -1: all do. Returns what it was */
long long co4_test_alloc_live(void);
int until_told(const void *a, const void *b); /* these stay plain */
int for_a_while(const void *a, const void *b);
void *joins_plainly(void *arg);

static atomic_int go_on, held, have_run;
static __thread int mine = 5;
static pthread_key_t key;

static long ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* In plain code, which holds the worker. */
int until_told(const void *a, const void *b)
{
    (void)a;
    (void)b;
    held = 1;
    while (!atomic_load(&go_on))
        ;
    return 0;
}

int for_a_while(const void *a, const void *b)
{
    (void)a;
    (void)b;
    held = 1;
    for (long end = ns() + 20000000; ns() < end;)
        ;
    return 0;
}

static void *holds_worker(void *how)
{
    int two[2] = { 1, 2 };
    qsort(two, 2, sizeof two[0], how ? for_a_while : until_told);
    return (void *)6;
}

/* Returns when it has the worker, and takes no memory any more. */
static void hold_worker(pthread_t *holder, void *how)
{
    atomic_store(&go_on, 0);
    atomic_store(&held, 0);
    pthread_create(holder, NULL, holds_worker, how);
    while (!held)
        usleep(100);
}

static void *uses_all(void *arg)
{
    sigset_t none;
    sigemptyset(&none);
    mine++;
    usleep(1);
    pthread_sigmask(SIG_BLOCK, &none, NULL);
    uselocale(LC_GLOBAL_LOCALE);
    fesetround(FE_TONEAREST);
    atomic_fetch_add(&have_run, mine == 6);
    return arg;
}

static void creations(int detached)
{
    pthread_attr_t attributes;
    pthread_t holder, ids[MOST];
    int begun = 0, others = 0, errors = 0;
    pthread_attr_init(&attributes);
    if (detached)
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    atomic_store(&have_run, 0);
    hold_worker(&holder, NULL);
    for (long n = 1, left = 0; left == 0 && n < MOST; n++) {
        co4_test_fail_alloc(n);
        int err = pthread_create(&ids[begun], &attributes, uses_all, NULL);
        left = co4_test_fail_alloc(0);
        begun += err == 0;
        errors += err == EAGAIN;
        others += err != 0 && err != EAGAIN;
    }
    atomic_store(&go_on, 1);
    pthread_join(holder, NULL);
    for (int i = 0; i < begun && !detached; i++)
        pthread_join(ids[i], NULL);
    while (atomic_load(&have_run) < begun)
        usleep(1000);
    printf("create: begun %d, several errors %d, others %d\n", begun, errors > 3, others);
}

void *joins_plainly(void *arg)
{
    void *value = NULL;
    int err = pthread_join(*(pthread_t *)arg, &value);
    return err == 0 ? value : NULL;
}

static void joins(void)
{
    pthread_t id;
    hold_worker(&id, &go_on);
    co4_test_fail_alloc(-1);
    intptr_t value = (intptr_t)joins_plainly(&id);
    co4_test_fail_alloc(0);
    printf("join: %d\n", (int)value);
}

/* ---- many ---- */

static void *counts(void *arg)
{
    mine++;
    atomic_fetch_add(&have_run, mine == 6);
    return arg;
}

/* Of each thread another allocation fails. Nothing is lost: the last turns take what the first ones
 * have taken. */
static void many(void)
{
    static pthread_t ids[MANY];
    int begun = 0, errors = 0, others = 0, lost = 0;
    long long live = 0;
    atomic_store(&have_run, 0);
    for (int turn = 0; turn < TURNS; turn++) {
        pthread_t holder;
        int here = 0;
        hold_worker(&holder, NULL);
        for (int i = 0; i < MANY; i++) {
            co4_test_fail_alloc(1 + i % DEEP);
            int err = pthread_create(&ids[here], NULL, counts, &ids[here]);
            co4_test_fail_alloc(0);
            here += err == 0;
            errors += err == EAGAIN;
            others += err != 0 && err != EAGAIN;
        }
        atomic_store(&go_on, 1);
        pthread_join(holder, NULL);
        for (int i = 0; i < here; i++) {
            void *value = NULL;
            lost += pthread_join(ids[i], &value) != 0 || value != &ids[i];
        }
        begun += here;
        if (turn == 1)
            live = co4_test_alloc_live();
    }
    printf("many: several errors %d, others %d, lost %d, all have run %d, more live %d\n",
           errors > TURNS * MANY / DEEP, others, lost, atomic_load(&have_run) == begun,
           (int)(co4_test_alloc_live() - live));
}

/* ---- cancellations ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t never;
static int empty[2];
static pthread_t other;
static pthread_key_t ended_key;
static int handled, ended;

static void end_value(void *value)
{
    ended += value == &ended;
}

static void unlock(void *arg)
{
    handled += pthread_mutex_unlock(arg) == 0;
}

static void *waits(void *kind)
{
    char c;
    struct pollfd p = { empty[0], POLLIN, 0 };
    pthread_setspecific(ended_key, &ended);
    pthread_mutex_lock(&lock);
    pthread_cleanup_push(unlock, &lock);
    switch ((intptr_t)kind) {
    case 0:
        pthread_cond_wait(&condition, &lock);
        break;
    case 1:
        (void)!read(empty[0], &c, 1);
        break;
    case 2:
        sleep(1000);
        break;
    case 3:
        sem_wait(&never);
        break;
    case 4:
        poll(&p, 1, -1);
        break;
    case 5:
        pthread_join(other, NULL);
        break;
    case 6:
        pthread_testcancel(), usleep(900000000);
        break;
    }
    pthread_cleanup_pop(0);
    return NULL;
}

static void *sleeps(void *arg)
{
    for (;;)
        sleep(1000);
    return arg;
}

/* It waits when the next one has the worker. Then each allocation fails in turn, or all do. */
static void cancellations(void)
{
    int cancelled = 0, errors = 0, runs = 0;
    sem_init(&never, 0, 0);
    pthread_key_create(&ended_key, end_value);
    if (pipe(empty) != 0)
        return;
    pthread_create(&other, NULL, sleeps, NULL);
    for (intptr_t kind = 0; kind < 7; kind++)
        for (long n = -1; n < 10; n++, runs++) {
            pthread_t id, holder;
            pthread_create(&id, NULL, waits, (void *)kind);
            hold_worker(&holder, NULL);
            co4_test_fail_alloc(n);
            errors += pthread_cancel(id) != 0;
            atomic_store(&go_on, 1);
            cancelled += joins_plainly(&id) == PTHREAD_CANCELED;
            co4_test_fail_alloc(0);
            pthread_join(holder, NULL);
        }
    printf("cancel: all %d, errors %d, handlers %d, destructors %d\n", cancelled == runs, errors,
           handled == runs, ended == runs);
}

/* ---- calls ---- */

static int set_value(void)
{
    return pthread_setspecific(key, &key);
}

static int make_barrier(void)
{
    pthread_barrier_t barrier;
    int err = pthread_barrier_init(&barrier, NULL, 2);
    return err != 0 ? err : pthread_barrier_destroy(&barrier);
}

static void *calls(void *arg)
{
    static int (*const all[])(void) = { set_value, make_barrier };
    for (int i = 0; i < 2; i++) {
        int errors = 0, others = 0, well = 0;
        for (long n = 1, left = 0; left == 0 && n < MOST; n++) {
            co4_test_fail_alloc(n);
            int err = all[i]();
            left = co4_test_fail_alloc(0);
            errors += err == ENOMEM;
            others += err != 0 && err != ENOMEM;
            well += err == 0;
        }
        printf("call %d: some errors %d, others %d, well %d\n", i, errors > 0, others, well);
    }
    printf("value %d\n", pthread_getspecific(key) == &key);

    /* The buffer is the thread's. */
    co4_test_fail_alloc(-1);
    const char *text = inet_ntoa((struct in_addr){ htonl(INADDR_LOOPBACK) });
    int wrong = strcmp(text, "127.0.0.1") != 0;
    wrong += strcmp(strerror(12345), "Unknown error 12345") != 0;
    co4_test_fail_alloc(0);
    printf("texts: wrong %d\n", wrong);
    return arg;
}

int main(void)
{
    pthread_t id;
    pthread_key_create(&key, NULL);
    creations(0);
    creations(1);
    joins();
    many();
    cancellations();
    pthread_create(&id, NULL, calls, NULL);
    pthread_join(id, NULL);
    return 0;
}
