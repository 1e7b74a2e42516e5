/* stacks.c - threads with attributes, threads of constructors, and processors of threads. With
 * -DPLAIN: a part that is not woven, and begins threads. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <threads.h>
#include <unistd.h>

int begin_plainly(void *(*run)(void *));
int begin_own(void);

#ifdef PLAIN

static void *own(void *arg)
{
    return arg;
}

int begin_plainly(void *(*run)(void *))
{
    pthread_t id;
    return pthread_create(&id, NULL, run, NULL) == 0 ? pthread_join(id, NULL) : 1;
}

int begin_own(void)
{
    return begin_plainly(own);
}

#else

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t first;
static int order[64], count;

static void note(int n)
{
    pthread_mutex_lock(&lock);
    order[count++] = n;
    pthread_mutex_unlock(&lock);
    usleep(5);
}

static void *run(void *arg)
{
    char deep[4096];
    memset(deep, (int)(size_t)arg, sizeof deep);
    for (int i = 0; i < 3; i++)
        note(deep[100 * i]);
    return arg;
}

__attribute__((constructor)) static void begin_early(void)
{
    pthread_t second;
    assert(pthread_create(&first, NULL, run, (void *)1) == 0);
    assert(pthread_create(&second, NULL, run, (void *)2) == 0);
    note(3);
    assert(pthread_join(second, NULL) == 0);
}

static int run_late(void *arg)
{
    return run(arg) == arg;
}

static pthread_attr_t attributes[5];
static void *memory;

static void set_attributes(void)
{
    struct sched_param parameter = { .sched_priority = 0 };
    cpu_set_t set;
    for (int i = 0; i < 5; i++)
        assert(pthread_attr_init(&attributes[i]) == 0);
    assert(pthread_attr_setstacksize(&attributes[0], 64 << 20) == 0);
    assert(pthread_attr_setstacksize(&attributes[1], PTHREAD_STACK_MIN) == 0);
    memory = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(memory != MAP_FAILED);
    assert(pthread_attr_setstack(&attributes[2], memory, 1 << 20) == 0);
    assert(pthread_attr_setguardsize(&attributes[2], 0) == 0);
    assert(pthread_attr_setinheritsched(&attributes[3], PTHREAD_EXPLICIT_SCHED) == 0);
    assert(pthread_attr_setschedpolicy(&attributes[3], SCHED_OTHER) == 0);
    assert(pthread_attr_setschedparam(&attributes[3], &parameter) == 0);
    CPU_ZERO(&set);
    CPU_SET(0, &set);
    assert(pthread_attr_setaffinity_np(&attributes[4], sizeof set, &set) == 0);
}

static void *sees_one(void *arg)
{
    cpu_set_t set;
    assert(pthread_getaffinity_np(pthread_self(), sizeof set, &set) == 0);
    assert(CPU_COUNT(&set) == 1 && CPU_ISSET(0, &set) && sched_getcpu() == 0);
    return run(arg);
}

/* Of another thread. */
static void processors(void)
{
    cpu_set_t all, set;
    pthread_t id;
    assert(sched_getaffinity(0, sizeof all, &all) == 0);
    CPU_ZERO(&set);
    CPU_SET(0, &set);
    assert(sched_setaffinity(0, sizeof set, &set) == 0);
    assert(pthread_create(&id, NULL, sees_one, (void *)9) == 0); /* as this one */
    assert(sched_setaffinity(0, sizeof all, &all) == 0);
    assert(pthread_getaffinity_np(id, sizeof set, &set) == 0 && CPU_COUNT(&set) == 1);
    assert(pthread_join(id, NULL) == 0);
    assert(pthread_getaffinity_np(pthread_self(), sizeof set, &set) == 0 && CPU_EQUAL(&set, &all));
}

int main(int argc, char **argv)
{
    pthread_t ids[5];
    thrd_t late;
    assert(pthread_join(first, NULL) == 0);
    set_attributes();
    for (int i = 0; i < 5; i++)
        assert(pthread_create(&ids[i], &attributes[i], i == 4 ? sees_one : run,
                              (void *)(size_t)(4 + i)) == 0);
    for (int i = 0; i < 5; i++)
        assert(pthread_join(ids[i], NULL) == 0);
    processors();
    assert(thrd_create(&late, run_late, (void *)10) == thrd_success);
    assert(thrd_join(late, NULL) == thrd_success && count == 28);
    for (int i = 0; i < count; i++)
        printf("%d ", order[i]);
    puts("");
#ifdef WITH_PLAIN
    fflush(stdout);
    if (argc > 1)
        return begin_own();
    assert(begin_plainly(run) == 0);
#elif defined WITH_MASK
    sigset_t mask;
    sigemptyset(&mask);
    pthread_attr_setsigmask_np(&attributes[0], &mask);
    pthread_create(&ids[0], &attributes[0], run, NULL);
#endif
    return argc > 100 || argv == NULL;
}

#endif
