/* kinds.c - small programs of threads, each with a known kind of mistake; with -DRIGHT they are
 * right. -DKIND=NAME chooses one. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#ifdef RIGHT
enum { RIGHT_FORM = 1 };
#else
enum { RIGHT_FORM = 0 };
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void together(int count, void *(*run)(void *))
{
    pthread_t ids[8];
    for (intptr_t i = 0; i < count; i++)
        assert(pthread_create(&ids[i], NULL, run, (void *)i) == 0);
    for (int i = 0; i < count; i++)
        assert(pthread_join(ids[i], NULL) == 0);
}

/* ---- a read and a write under the lock each, not both together ---- */

static int balance;

static void *pay(void *arg)
{
    pthread_mutex_lock(&lock);
    int before = balance;
    if (!RIGHT_FORM) {
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
    }
    balance = before + 1;
    pthread_mutex_unlock(&lock);
    return arg;
}

static int update(void)
{
    together(3, pay);
    return balance == 3;
}

/* ---- two locks in two orders ---- */

static pthread_mutex_t others[3] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                     PTHREAD_MUTEX_INITIALIZER };

static void *take_two(void *arg)
{
    int turned = !RIGHT_FORM && (intptr_t)arg == 1;
    pthread_mutex_lock(&others[turned]);
    pthread_mutex_lock(&others[!turned]);
    pthread_mutex_unlock(&others[!turned]);
    pthread_mutex_unlock(&others[turned]);
    return arg;
}

static int order(void)
{
    together(2, take_two);
    return 1;
}

/* ---- a ring of locks ---- */

static void *eat(void *arg)
{
    int left = (int)(intptr_t)arg, right = (left + 1) % 3;
    if (RIGHT_FORM && right < left) {
        right = left;
        left = 0;
    }
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&others[left]);
        pthread_mutex_lock(&others[right]);
        pthread_mutex_unlock(&others[right]);
        pthread_mutex_unlock(&others[left]);
    }
    return arg;
}

static int philosophers(void)
{
    together(3, eat);
    return 1;
}

/* ---- a look at a semaphore's value, and then a wait ---- */

static sem_t slots;

static void *take_slot(void *arg)
{
    int value;
    if (RIGHT_FORM) {
        if (sem_trywait(&slots) == 0)
            sem_post(&slots);
        return arg;
    }
    sem_getvalue(&slots, &value);
    if (value > 0)
        sem_wait(&slots); /* for ever, if another one has taken it */
    return arg;
}

static int semaphore(void)
{
    sem_init(&slots, 0, 1);
    together(2, take_slot);
    return 1;
}

/* ---- a semaphore as a lock, which one hands back twice; several wait for it ---- */

static int inside, together_inside;

static void count_inside(int more)
{
    pthread_mutex_lock(&lock);
    inside += more;
    together_inside += inside > 1;
    pthread_mutex_unlock(&lock);
}

static void *take_turn(void *arg)
{
    sem_wait(&slots);
    count_inside(1);
    count_inside(-1);
    if (!RIGHT_FORM && arg)
        sem_post(&slots);
    sem_post(&slots);
    return arg;
}

static int turns(void)
{
    sem_init(&slots, 0, 1);
    together(4, take_turn);
    return together_inside == 0;
}

/* ---- a beginning that is made twice ---- */

static pthread_once_t begun = PTHREAD_ONCE_INIT;
static int beginnings;

static void begin(void)
{
    pthread_mutex_lock(&lock);
    beginnings++;
    pthread_mutex_unlock(&lock);
}

static void *begin_lazily(void *arg)
{
    if (RIGHT_FORM)
        pthread_once(&begun, begin);
    else if (beginnings == 0)
        begin();
    return arg;
}

static int once(void)
{
    together(2, begin_lazily);
    return beginnings == 1;
}

/* ---- a sum that is read before all have added to it ---- */

static pthread_barrier_t barrier;
static int sum, seen_wrong;

static void *add_and_read(void *arg)
{
    pthread_mutex_lock(&lock);
    sum++;
    pthread_mutex_unlock(&lock);
    if (RIGHT_FORM)
        pthread_barrier_wait(&barrier);
    pthread_mutex_lock(&lock);
    seen_wrong += sum != 3;
    pthread_mutex_unlock(&lock);
    return arg;
}

static int all_added(void)
{
    pthread_barrier_init(&barrier, NULL, 3);
    together(3, add_and_read);
    return seen_wrong == 0;
}
#define barrier all_added

/* ---- a wait by looks at the clock, which is too short where the other comes late ---- */

static void *come(void *arg)
{
    usleep(1000);
    pthread_mutex_lock(&lock);
    sum = 1;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *look(void *arg)
{
    struct timespec now, begin;
    int64_t ns;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        pthread_mutex_lock(&lock);
        int there = sum;
        pthread_mutex_unlock(&lock);
        if (there)
            return arg;
        clock_gettime(CLOCK_MONOTONIC, &now);
        ns = (now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec;
    } while (ns < (RIGHT_FORM ? 1000000000 : 1002000));
    seen_wrong = 1;
    return arg;
}

static void *one_of_two(void *arg)
{
    return arg ? look(arg) : come(arg);
}

static int busy(void)
{
    together(2, one_of_two);
    return !seen_wrong;
}

static int endless(void)
{
    for (volatile int forever = 1; forever;)
        ;
    return 1;
}

int main(void)
{
    static int (*const all[])(void) = { update, order,     philosophers, semaphore, turns,
                                        once,   all_added, busy,         endless };
    (void)all;
    assert(KIND());
    puts("right");
    return 0;
}
