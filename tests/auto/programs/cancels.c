/* cancels.c - what a cancelled thread still does: calls that are no cancellation points, handlers
 * with its thread-locals and specific values, destructors; states and types; cancels that storm. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t bar;
static pthread_key_t key;
static __thread int local = 7;
static atomic_int count, handlers, destroyed;

static void note(void *x)
{
    printf("handler %s local %d specific %s\n", (char *)x, local, (char *)pthread_getspecific(key));
}
static void destroy(void *x)
{
    (void)x;
    atomic_fetch_add(&destroyed, 1);
}

static void *locks(void *x)
{
    local = 8;
    pthread_setspecific(key, "own");
    pthread_cleanup_push(note, "locks");
    pthread_mutex_lock(&m);
    printf("has the mutex\n");
    pthread_mutex_unlock(&m);
    pthread_rwlock_wrlock(&rw);
    printf("has the rwlock\n");
    pthread_rwlock_unlock(&rw);
    pthread_barrier_wait(&bar);
    printf("past the barrier\n");
    for (int i = 0; i < 1000; i++)
        sched_yield();
    printf("yielded\n");
    usleep(1);
    pthread_cleanup_pop(0);
    return x;
}
static void *loop(void *x)
{
    volatile unsigned long n = 0;
    pthread_cleanup_push(note, "loop");
    for (;;) {
        for (int i = 0; i < 100000; i++)
            n += i;
        pthread_testcancel();
    }
    pthread_cleanup_pop(0);
    return x;
}
static void bump(void *x)
{
    (void)x;
    atomic_fetch_add(&handlers, 1);
}
static void *storm(void *x)
{
    pthread_cleanup_push(bump, NULL);
    pthread_setspecific(key, "s");
    atomic_fetch_add(&count, 1);
    for (;;) {
        pthread_mutex_lock(&m);
        pthread_cleanup_push((void (*)(void *))pthread_mutex_unlock, &m);
        usleep(10);
        pthread_cleanup_pop(1);
        sched_yield();
    }
    pthread_cleanup_pop(0);
    return x;
}
static void *quick(void *x)
{
    return x;
}
static void *three(void *x)
{
    int o;
    printf("%d ", pthread_setcancelstate(99, &o));
    printf("%d ", pthread_setcanceltype(99, &o));
    printf("%d", pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &o));
    printf(" %d", o == PTHREAD_CANCEL_DEFERRED);
    printf(" %d", pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &o));
    printf(" %d", o == PTHREAD_CANCEL_ASYNCHRONOUS);
    printf(" %d", pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL));
    printf(" %d\n", pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &o));
    return x;
}
static void slow(void *x)
{
    pthread_mutex_t *mm = x;
    pthread_mutex_lock(mm);
    printf("handler has locked\n");
    pthread_mutex_unlock(mm);
}
static void *pops(void *x)
{
    for (int i = 0; i < 3; i++) {
        pthread_cleanup_push(slow, &m);
        usleep(10);
        pthread_cleanup_pop(1);
    }
    return x;
}
static void *nested(void *x)
{
    int n = (int)(long)x;
    char name[20];
    sprintf(name, "level %d", n);
    pthread_cleanup_push(note, name);
    if (n == 0)
        sleep(1000);
    else
        nested((void *)(long)(n - 1));
    pthread_cleanup_pop(1);
    return x;
}
static void *sleeper(void *x)
{
    pthread_setspecific(key, "z");
    sleep(100);
    return x;
}

/* A cancellation is there already. */
static void *at_once(void *x)
{
    pthread_cancel(pthread_self());
    pthread_cleanup_push(note, "at once");
    if (x)
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    printf("has the type\n");
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    printf("goes on\n");
    pthread_cleanup_pop(0);
    return NULL;
}

int main(void)
{
    pthread_t t, many[50];
    void *r;
    pthread_key_create(&key, destroy);
    pthread_barrier_init(&bar, NULL, 2);
    pthread_mutex_lock(&m);
    pthread_rwlock_rdlock(&rw);
    pthread_create(&t, NULL, locks, NULL);
    usleep(10000);
    printf("cancel %d\n", pthread_cancel(t));
    usleep(10000);
    printf("again %d\n", pthread_cancel(t));
    pthread_mutex_unlock(&m);
    usleep(10000);
    pthread_rwlock_unlock(&rw);
    pthread_barrier_wait(&bar);
    pthread_join(t, &r);
    printf("%d destroyed %d\n", r == PTHREAD_CANCELED, destroyed);
    pthread_create(&t, NULL, loop, NULL);
    usleep(10000);
    pthread_cancel(t);
    pthread_join(t, &r);
    printf("%d\n", r == PTHREAD_CANCELED);
    pthread_create(&t, NULL, quick, "quick");
    usleep(20000);
    printf("ended: %d", pthread_cancel(t));
    pthread_join(t, &r);
    printf(" %s\n", (char *)r);
    pthread_create(&t, NULL, three, NULL);
    pthread_join(t, &r);
    pthread_create(&t, NULL, pops, NULL);
    pthread_join(t, &r);
    destroyed = 0;
    for (int i = 0; i < 50; i++)
        pthread_create(&many[i], NULL, storm, NULL);
    while (count < 50)
        usleep(1000);
    for (int i = 0; i < 50; i++)
        pthread_cancel(many[(i * 7) % 50]);
    int ok = 0;
    for (int i = 0; i < 50; i++)
        ok += pthread_join(many[i], &r) == 0 && r == PTHREAD_CANCELED;
    printf("storm %d handlers %d destroyed %d free %d\n", ok, handlers, destroyed,
           pthread_mutex_trylock(&m));
    pthread_create(&t, NULL, nested, (void *)3L);
    usleep(10000);
    pthread_cancel(t);
    printf("nested %d\n", pthread_join(t, &r));
    for (long how = 0; how < 2; how++) {
        pthread_create(&t, NULL, at_once, (void *)how);
        pthread_join(t, &r);
        printf("at once %d\n", r == PTHREAD_CANCELED);
    }
    pthread_attr_t a;
    pthread_attr_init(&a);
    pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
    destroyed = 0;
    pthread_create(&t, &a, sleeper, NULL);
    usleep(10000);
    pthread_cancel(t);
    while (destroyed == 0)
        usleep(1000);
    printf("detached one is gone\n");
    return 0;
}
