/* ends.c - what runs at the end of a thread runs in it: destructors of specific values. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <unistd.h>

enum { THREADS = 6, OTHERS = 20 };

/* What a destructor of a thread has found. */
struct found {
    pthread_t self;
    pthread_mutex_t checks, counts, *last;
    char name[16];
    int same, named, unlocked[3], rounds, others, others_seen, of_c11, mine;
};

static pthread_key_t key, late_key, others[OTHERS];
static tss_t c11_key;
static __thread int mine = 5;

static void end_value(void *value)
{
    struct found *f = value;
    char name[16] = "";
    f->same += pthread_equal(f->self, pthread_self()) && thrd_equal(f->self, thrd_current());
    f->named += pthread_getname_np(pthread_self(), name, sizeof name) == 0 &&
                strcmp(name, f->name) == 0;
    f->mine = mine;
    usleep(100);
    if (f->rounds == 0) {
        f->unlocked[0] = pthread_mutex_unlock(&f->checks);
        f->unlocked[1] = pthread_mutex_unlock(&f->counts);
        f->unlocked[2] = pthread_mutex_lock(f->last); /* it has it */
        for (int i = 0; i < OTHERS; i++)
            pthread_setspecific(others[i], f);
        f->others_seen = pthread_getspecific(others[OTHERS - 1]) == f;
        pthread_setspecific(late_key, f);
    }
    f->rounds++;
    if (f->rounds < 3)
        pthread_setspecific(key, f);
}

static void end_late(void *value)
{
    struct found *f = value;
    f->unlocked[2] = f->unlocked[2] * 1000 + pthread_mutex_unlock(f->last);
}

static void end_other(void *value)
{
    struct found *f = value;
    f->others += pthread_equal(f->self, pthread_self()) != 0;
}

static void end_c11(void *value)
{
    struct found *f = value;
    f->of_c11 += thrd_equal(f->self, thrd_current()) != 0;
    if (f->of_c11 == 1)
        tss_set(c11_key, f);
}

static void leave(void)
{
    usleep(100);
    pthread_exit(NULL);
}

static void *begin(void *arg)
{
    struct found *f = arg;
    pthread_mutexattr_t attributes;
    f->self = pthread_self();
    snprintf(f->name, sizeof f->name, "%p", arg);
    f->name[15] = '\0';
    pthread_setname_np(f->self, f->name);
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&f->checks, &attributes);
    pthread_mutex_init(f->last, &attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&f->counts, &attributes);
    pthread_mutex_lock(&f->checks);
    pthread_mutex_lock(&f->counts);
    pthread_mutex_lock(f->last);
    pthread_setspecific(key, f);
    tss_set(c11_key, f);
    mine = 7;
    usleep(1000);
    if (f->last == &f[1].checks)
        leave();
    return NULL;
}

/* ---- the last thread: the process ends when its destructors have run ---- */

static pthread_key_t last_key;

static void end_last(void *value)
{
    int *rounds = value;
    usleep(1000);
    printf("round %d\n", ++*rounds);
    fflush(stdout);
    if (*rounds < 3)
        pthread_setspecific(last_key, rounds);
}

/* A stack of the program's own, and one that is larger than usual: these are the thread's. */
static char own_stack[1 << 20] __attribute__((aligned(4096)));

static __attribute__((noinline)) char *stack_here(void)
{
    return __builtin_frame_address(0);
}

static void *is_on_own_stack(void *arg)
{
    (void)arg;
    return stack_here() > own_stack && stack_here() < own_stack + sizeof own_stack ? own_stack
                                                                                   : NULL;
}

static int fills(int depth)
{
    volatile char room[65536];
    room[depth % 65536] = 1;
    return depth > 0 ? fills(depth - 1) + room[depth % 65536] : 0;
}

static void *uses_large_stack(void *arg)
{
    return fills(400) == 400 ? arg : NULL; /* 25 MB */
}

static void *nothing(void *arg)
{
    return arg;
}

static void *ends_last(void *main_thread)
{
    static int rounds;
    pthread_join(*(pthread_t *)main_thread, NULL);
    pthread_setspecific(last_key, &rounds);
    return NULL;
}

int main(void)
{
    static pthread_t self;
    static struct found found[2 * THREADS];
    static pthread_mutex_t last[THREADS];
    pthread_t ids[THREADS];
    pthread_key_create(&key, end_value);
    for (int i = 0; i < OTHERS; i++)
        pthread_key_create(&others[i], end_other);
    pthread_key_create(&late_key, end_late);
    tss_create(&c11_key, end_c11);
    for (int i = 0; i < THREADS; i++) {
        found[2 * i].last = i % 2 ? &found[2 * i + 1].checks : &last[i];
        pthread_create(&ids[i], NULL, begin, &found[2 * i]);
    }
    for (int i = 0; i < THREADS; i++) {
        const struct found *f = &found[2 * i];
        pthread_join(ids[i], NULL);
        printf(
            "%d: same %d, named %d, unlocked %d %d %d, rounds %d, others %d %d, C11 %d, mine %d\n",
            i, f->same, f->named, f->unlocked[0], f->unlocked[1], f->unlocked[2], f->rounds,
            f->others, f->others_seen, f->of_c11, f->mine);
    }
    pthread_attr_t large; /* as a task has none */
    pthread_attr_init(&large);
    pthread_attr_setstacksize(&large, (size_t)64 << 20);
    pthread_create(&ids[0], &large, nothing, NULL);
    pthread_join(ids[0], NULL);
    pthread_attr_t own;
    void *values[2];
    pthread_attr_init(&own);
    pthread_attr_setstack(&own, own_stack, sizeof own_stack);
    pthread_create(&ids[0], &own, is_on_own_stack, NULL);
    pthread_create(&ids[1], &large, uses_large_stack, found);
    pthread_join(ids[0], &values[0]);
    pthread_join(ids[1], &values[1]);
    printf("own stack %d, large %d\n", values[0] == own_stack, values[1] == found);
    pthread_key_create(&last_key, end_last); /* behind any key that knows of ends */
    self = pthread_self();
    pthread_create(&ids[0], &large, ends_last, &self);
    pthread_exit(NULL);
}
