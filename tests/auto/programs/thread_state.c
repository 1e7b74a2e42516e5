/* thread_state.c - what belongs to a thread belongs to a task: specific values, identities, names,
 * locks by pthread_self(), locks and sleeps of C11, and spin locks that are held over a wait. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "job.h"

enum { MANY = 40 };

static pthread_key_t key, again_key, many[MANY];
static tss_t c11_key;
static int ended, again;

static void end_value(void *value)
{
    __atomic_fetch_add(&ended, (int)(intptr_t)value, __ATOMIC_RELAXED);
}

/* A value that comes back in each round: as often as the system lets it. */
static void end_again(void *value)
{
    __atomic_fetch_add(&again, 1, __ATOMIC_RELAXED);
    pthread_setspecific(again_key, value);
}

static int specific(int i)
{
    void *mine = (void *)(intptr_t)(i + 1);
    if (pthread_getspecific(key) != NULL || tss_get(c11_key) != NULL)
        return 1;
    if (pthread_setspecific(key, mine) != 0 || tss_set(c11_key, mine) != thrd_success)
        return 2;
    usleep(2000);
    if (pthread_getspecific(key) != mine || tss_get(c11_key) != mine)
        return 4;
    for (int k = 0; k < MANY; k++)
        if (pthread_setspecific(many[k], (char *)mine + k) != 0)
            return 8;
    usleep(1000);
    for (int k = 0; k < MANY; k++)
        if (pthread_getspecific(many[k]) != (char *)mine + k)
            return 16;
    if (i == 0)
        pthread_setspecific(again_key, mine);
    return pthread_setspecific(key, NULL) == 0 && pthread_getspecific(key) == NULL &&
                   pthread_setspecific(key, mine) == 0
               ? 0
               : 32;
}

/* A number that is given again has no values of the key before. */
static int reused(int i)
{
    pthread_key_t first, second;
    (void)i;
    if (pthread_key_create(&first, NULL) != 0)
        return 1;
    pthread_setspecific(first, &first);
    usleep(1000);
    pthread_key_delete(first);
    if (pthread_key_create(&second, NULL) != 0)
        return 2;
    int r = pthread_getspecific(second) == NULL ? 0 : 4;
    pthread_key_delete(second);
    return r;
}

static pthread_t all[64];

static int identity(int i)
{
    char name[16] = "?", wanted[16];
    pthread_t self = pthread_self();
    all[i] = self;
    snprintf(wanted, sizeof wanted, "job %d", i);
    if (pthread_setname_np(self, wanted) != 0 || pthread_kill(self, 0) != 0)
        return 1;
    for (int n = 0; n < 20; n++) {
        usleep(200);
        if (!pthread_equal(self, pthread_self()) || !thrd_equal(thrd_current(), self))
            return 2;
    }
    for (int k = 0; k < i; k++) /* those before have begun */
        if (pthread_equal(all[k], self))
            return 4;
    if (pthread_join(self, NULL) != EDEADLK)
        return 8;
    return pthread_getname_np(self, name, sizeof name) == 0 && strcmp(name, wanted) == 0 ? 0 : 16;
}

/* ---- locks ---- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_t owner;
static int depth, inside;

static void lock(void)
{
    if (__atomic_load_n(&depth, __ATOMIC_ACQUIRE) && pthread_equal(owner, pthread_self())) {
        depth++;
        return;
    }
    pthread_mutex_lock(&mutex);
    owner = pthread_self();
    __atomic_store_n(&depth, 1, __ATOMIC_RELEASE);
}

static void unlock(void)
{
    if (__atomic_sub_fetch(&depth, 1, __ATOMIC_RELEASE) == 0)
        pthread_mutex_unlock(&mutex);
}

static int own_lock(int i)
{
    (void)i;
    lock();
    lock();
    int r = inside++;
    usleep(500);
    inside--;
    unlock();
    unlock();
    return r;
}

static pthread_spinlock_t spin;

static int spins(int i)
{
    (void)i;
    pthread_spin_lock(&spin);
    int r = inside++;
    usleep(500);
    inside--;
    pthread_spin_unlock(&spin);
    return r;
}

static int turn;

static int yields(int i)
{
    while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != i)
        if (i % 2)
            sched_yield();
        else
            thrd_yield();
    usleep(200);
    __atomic_store_n(&turn, i + 1, __ATOMIC_RELEASE);
    return 0;
}

static mtx_t plain, counts;
static cnd_t come;
static int here, inside_counts;

static int of_c11(int i)
{
    struct timespec past = { 1, 0 }, ms = { 0, 1000000 };
    mtx_lock(&plain);
    int r = inside++;
    thrd_sleep(&ms, NULL);
    inside--;
    mtx_unlock(&plain);
    mtx_lock(&counts);
    mtx_lock(&counts);
    r |= inside_counts++ ? 2 : 0;
    thrd_sleep(&ms, NULL);
    inside_counts--;
    mtx_unlock(&counts);
    mtx_unlock(&counts);
    mtx_lock(&plain);
    if (cnd_timedwait(&come, &plain, &past) != thrd_timedout)
        r |= 4;
    if (++here == 8)
        cnd_broadcast(&come);
    while (here < 8)
        cnd_wait(&come, &plain);
    if (i == 0 && mtx_trylock(&counts) == thrd_success)
        mtx_unlock(&counts);
    mtx_unlock(&plain);
    return r;
}

enum { ROUNDS = 5, AT_BARRIER = 8 };

static pthread_barrier_t barrier;
static int serials, rounds_seen;

static int barriers(int i)
{
    (void)i;
    for (int k = 0; k < ROUNDS; k++) {
        int r = pthread_barrier_wait(&barrier);
        if (r == PTHREAD_BARRIER_SERIAL_THREAD)
            __atomic_fetch_add(&serials, 1, __ATOMIC_RELAXED);
        else if (r != 0)
            return 1;
        __atomic_fetch_add(&rounds_seen, 1, __ATOMIC_RELAXED);
        if (__atomic_load_n(&rounds_seen, __ATOMIC_RELAXED) > (k + 2) * AT_BARRIER)
            return 2; /* one is two rounds ahead */
        usleep(100);
    }
    /* whoever is last in the last round may destroy it at once */
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
        return pthread_barrier_destroy(&barrier) == 0 ? 0 : 4;
    return 0;
}

static pid_t system_ids[MOST_AT_ONCE];
static pthread_barrier_t all_have_ids;

static int by_number(const void *a, const void *b)
{
    pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;
    return (x > y) - (x < y);
}

/* All are there at once. */
static int system_id(int i)
{
    pid_t id = gettid();
    system_ids[i] = id;
    pthread_barrier_wait(&all_have_ids);
    return gettid() != id || (pid_t)syscall(SYS_gettid) != id || id == getpid();
}

static int same_ids(void)
{
    int same = 0;
    qsort(system_ids, MOST_AT_ONCE, sizeof system_ids[0], by_number);
    for (int i = 1; i < MOST_AT_ONCE; i++)
        same += system_ids[i] == system_ids[i - 1];
    return same;
}

const struct job jobs[] = { { "specific", specific, 16, NULL },
                            { "reused", reused, 8, NULL },
                            { "identity", identity, 16, NULL },
                            { "own_lock", own_lock, 16, NULL },
                            { "spins", spins, 16, NULL },
                            { "yields", yields, 8, NULL },
                            { "of_c11", of_c11, 8, NULL },
                            { "barriers", barriers, AT_BARRIER, NULL },
                            { "system_id", system_id, MOST_AT_ONCE, NULL },
                            { 0 } };

void begin_job(const struct job *job)
{
    static bool begun;
    (void)job;
    if (begun)
        return;
    begun = true;
    if (pthread_key_create(&key, end_value) != 0 ||
        pthread_key_create(&again_key, end_again) != 0 ||
        tss_create(&c11_key, NULL) != thrd_success || pthread_spin_init(&spin, 0) != 0 ||
        mtx_init(&plain, mtx_timed) != thrd_success ||
        mtx_init(&counts, mtx_plain | mtx_recursive) != thrd_success ||
        cnd_init(&come) != thrd_success || pthread_barrier_init(&barrier, NULL, 0) != EINVAL ||
        pthread_barrier_init(&barrier, NULL, AT_BARRIER) != 0 ||
        pthread_barrier_init(&all_have_ids, NULL, MOST_AT_ONCE) != 0)
        abort();
    for (int k = 0; k < MANY; k++)
        if (pthread_key_create(&many[k], NULL) != 0)
            abort();
}

void end_job(const struct job *job, int result)
{
    printf("%s: %d", job->name, result);
    if (strcmp(job->name, "specific") == 0)
        printf(", ended %d, again %d", ended, again);
    if (strcmp(job->name, "barriers") == 0)
        printf(", serial %d", serials);
    if (strcmp(job->name, "system_id") == 0)
        printf(", same %d", same_ids());
    printf("\n");
}
