/* callbacks.c - code that waits in a callback of plain code is still the thread around that. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4 };

static pthread_key_t key;
static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;
static __thread struct seen {
    pthread_mutex_t checks, counts;
    pthread_rwlock_t lock;
    pthread_t self;
    int errors[4], same, named, child;
} * seen;

static int in_callback(const void *a, const void *b)
{
    char name[16] = "";
    struct seen *s = seen;
    usleep(500);
    s->same = pthread_equal(pthread_self(), s->self) && pthread_getspecific(key) == s;
    s->named = pthread_getname_np(pthread_self(), name, sizeof name) == 0 ? name[0] : 0;
    s->errors[0] = pthread_mutex_lock(&s->checks);
    s->errors[1] = pthread_mutex_lock(&s->counts);
    s->errors[2] = pthread_rwlock_wrlock(&s->lock);
    pthread_setspecific(key, &s->child);
    pthread_setname_np(pthread_self(), "renamed");
    printf("in the callback\n");
    pthread_mutex_unlock(&s->checks); /* which it has locked outside of the callback */
    s->errors[3] = pthread_mutex_lock(&s->checks);
    return *(const int *)a - *(const int *)b;
}

static void *begin(void *arg)
{
    struct seen s = { .self = pthread_self() };
    int numbers[2] = { 2, 1 }, unlocked[4];
    char name[16] = "";
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&s.checks, &attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&s.counts, &attributes);
    pthread_rwlock_init(&s.lock, NULL);
    pthread_setspecific(key, &s);
    pthread_setname_np(s.self, "named");
    seen = &s;
    pthread_mutex_lock(&order);
    pthread_mutex_lock(&s.checks);
    pthread_mutex_lock(&s.counts);
    pthread_rwlock_wrlock(&s.lock);
    usleep(500);
    flockfile(stdout);
    printf("before\n");
    qsort(numbers, 2, sizeof numbers[0], in_callback);
    printf("after\n");
    funlockfile(stdout);
    pthread_getname_np(s.self, name, sizeof name);
    for (int i = 0; i < 4; i++)
        unlocked[i] = pthread_mutex_unlock(i == 0 ? &s.checks : &s.counts);
    printf("%d: same %d, named %c, then %s, errors %d %d %d %d, unlocked %d %d %d %d, value %d\n",
           (int)(intptr_t)arg, s.same, s.named, name, s.errors[0], s.errors[1], s.errors[2],
           s.errors[3], unlocked[0], unlocked[1], unlocked[2], unlocked[3],
           pthread_getspecific(key) == &s.child);
    pthread_rwlock_unlock(&s.lock);
    pthread_mutex_unlock(&order);
    return NULL;
}

int main(void)
{
    pthread_t ids[THREADS];
    pthread_key_create(&key, NULL);
    begin((void *)(intptr_t)-1); /* the thread of main, also in its co4_run */
    for (int i = 0; i < THREADS; i++)
        pthread_create(&ids[i], NULL, begin, (void *)(intptr_t)0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(ids[i], NULL);
    return 0;
}
