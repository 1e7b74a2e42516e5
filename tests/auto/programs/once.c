/* once.c - pthread_once() and call_once() of functions that wait. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

enum { THREADS = 8, ROUNDS = 20 };

static pthread_once_t once, others, nested, left;
static once_flag flag = ONCE_FLAG_INIT;
static pthread_attr_t large;
static atomic_int ran, seen, ready;
static int made;

static void waits(void)
{
    usleep(2000);
    atomic_fetch_add(&ran, 1);
    made = 7; /* all others see it */
}

static void does_not_wait(void)
{
    atomic_fetch_add(&ran, 100);
}

static void inner(void)
{
    usleep(100);
    atomic_fetch_add(&ran, 10);
}

static void outer(void)
{
    pthread_once(&nested, inner);
    usleep(100);
}

static void (*volatile by_pointer)(void) = waits;

static void *begin(void *arg)
{
    atomic_fetch_add(&ready, 1);
    while (atomic_load(&ready) < THREADS)
        usleep(50);
    if (arg)
        call_once(&flag, waits);
    else
        pthread_once(&once, by_pointer);
    atomic_fetch_add(&seen, made == 7);
    pthread_once(&others, outer);
    return NULL;
}

/* Tasks, and with `threads` also threads, of which the other kind may be the first. */
static void show(const char *what, void *c11, int threads)
{
    pthread_t ids[THREADS];
    int first = 0, all = 0;
    for (int round = 0; round < ROUNDS; round++) {
        once = others = nested = PTHREAD_ONCE_INIT;
        flag = (once_flag)ONCE_FLAG_INIT;
        made = 0;
        ran = 0;
        seen = 0;
        ready = 0;
        for (int i = 0; i < THREADS; i++)
            pthread_create(&ids[i], threads && (i + round) % 2 ? &large : NULL, begin, c11);
        for (int i = 0; i < THREADS; i++)
            pthread_join(ids[i], NULL);
        first += ran;
        all += seen;
    }
    printf("%s: ran %d, seen %d\n", what, first, all);
}

/* A function that is given up runs again. */
static void leaves(void)
{
    usleep(1000);
    if (atomic_fetch_add(&ran, 1) == 0)
        pthread_exit(NULL);
}

static void *left_once(void *arg)
{
    pthread_once(&left, leaves);
    atomic_fetch_add(&seen, 1);
    return arg;
}

/* A child begins anew what another thread had begun. */
static atomic_int in_it, has_forked;

static void long_one(void)
{
    if (atomic_fetch_add(&in_it, 1) == 0)
        while (!atomic_load(&has_forked))
            usleep(100);
}

static void *long_once(void *arg)
{
    static pthread_once_t word = PTHREAD_ONCE_INIT;
    if (arg)
        while (!atomic_load(&in_it))
            usleep(50);
    pid_t pid = arg ? fork() : 1;
    int status = 0;
    if (arg && pid != 0)
        waitpid(pid, &status, 0);
    atomic_store(&has_forked, arg && pid != 0);
    pthread_once(&word, long_one);
    if (pid == 0)
        _exit(atomic_load(&in_it));
    return (void *)(intptr_t)WEXITSTATUS(status);
}

/* Given as a void pointer, it waits until another thread sets a flag: on one worker for ever, if it
 * were called as a plain function. */
static atomic_int is_set, has_waited;

static void waits_for_flag(void)
{
    while (!atomic_load(&is_set))
        usleep(100);
    atomic_store(&has_waited, 1);
}

static void *begins_by_void(void *arg)
{
    static pthread_once_t word = PTHREAD_ONCE_INIT;
    pthread_once(&word, (void *)waits_for_flag);
    return arg;
}

static void *sets_flag(void *arg)
{
    usleep(1000);
    atomic_store(&is_set, 1);
    return arg;
}

int main(void)
{
    pthread_t ids[THREADS];
    void *value = NULL;
    pthread_attr_init(&large);
    pthread_attr_setstacksize(&large, (size_t)64 << 20);
    show("once", NULL, 0);
    show("C11", &flag, 0);
    show("with threads", NULL, 1);
    pthread_once(&once, does_not_wait); /* done */
    ran = 0;
    seen = 0;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&ids[i], NULL, left_once, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(ids[i], NULL);
    printf("left: ran %d, went on %d\n", ran, seen);
    pthread_create(&ids[0], NULL, long_once, NULL);
    pthread_create(&ids[1], NULL, long_once, &value);
    pthread_join(ids[0], NULL);
    pthread_join(ids[1], &value);
    printf("child %d, here %d\n", (int)(intptr_t)value, in_it);
    pthread_create(&ids[0], NULL, begins_by_void, NULL);
    pthread_create(&ids[1], NULL, sets_flag, NULL);
    pthread_join(ids[0], NULL);
    pthread_join(ids[1], NULL);
    printf("as a void pointer: waited %d\n", has_waited);
    return 0;
}
