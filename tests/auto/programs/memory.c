/* memory.c - threads that are tasks, on one worker, where each allocation of a call fails in turn:
 * the call says so, and nothing is lost. */
#define _GNU_SOURCE
#include <errno.h>
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 100 };

long co4_test_fail_alloc(long n); /* the n-th fails; -1: all do. Returns what it was */
void *joins_plainly(void *arg);   /* stays plain */

static atomic_int go_on, have_run;
static __thread int mine = 5;
static pthread_key_t key;

static long ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* In plain code, which holds the worker. */
static int until_told(const void *a, const void *b)
{
    (void)a;
    (void)b;
    while (!atomic_load(&go_on))
        ;
    return 0;
}

static int for_a_while(const void *a, const void *b)
{
    (void)a;
    (void)b;
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
    atomic_store(&go_on, 0);
    atomic_store(&have_run, 0);
    pthread_create(&holder, NULL, holds_worker, NULL);
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
    pthread_create(&id, NULL, holds_worker, &go_on);
    usleep(1000);
    co4_test_fail_alloc(-1);
    intptr_t value = (intptr_t)joins_plainly(&id);
    co4_test_fail_alloc(0);
    printf("join: %d\n", (int)value);
}

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
    return arg;
}

int main(void)
{
    pthread_t id;
    pthread_key_create(&key, NULL);
    creations(0);
    creations(1);
    joins();
    pthread_create(&id, NULL, calls, NULL);
    pthread_join(id, NULL);
    return 0;
}
