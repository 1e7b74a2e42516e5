/* blocking_refused.c - the system refuses a thread for a blocking call while other calls come and
 * are made: the call waits for the thread that there is, and the later ones come after it.
 * modes: woven forced
 * needs: threads workers
 * flags: -Wl,--wrap=pthread_create
 * expect: made: first, third, second, fourth
 * expect: without any thread: made */
#include <co4.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static atomic_int refuses, asked, answers; /* pthread_create fails, once `answers` is set */

int __real_pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*main)(void *), void *arg);
int __wrap_pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*main)(void *), void *arg);

static void wait_for(atomic_int *that)
{
    for (int i = 0; i < 30000 && !atomic_load(that); i++)
        nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
    if (!atomic_load(that))
        abort();
}

int __wrap_pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*main)(void *), void *arg)
{
    if (!atomic_load(&refuses))
        return __real_pthread_create(t, a, main, arg);
    atomic_store(&asked, 1);
    wait_for(&answers);
    return EAGAIN;
}

/* What it waits for cannot be seen; without it the test notices less. */
static void pause_a_little(void)
{
    nanosleep(&(struct timespec){ 0, 20 * 1000000 }, NULL);
}

static const char *const names[] = { "first", "second", "third", "fourth" };
static atomic_int begun[4], may_end[4];
static char made[100];

static void call(int which)
{
    sprintf(made + strlen(made), "%s%s", *made ? ", " : "", names[which]);
    atomic_store(&begun[which], 1);
    wait_for(&may_end[which]);
}

static atomic_int called[4];

static pausable void calls(int which)
{
    atomic_store(&called[which], 1);
    co4_blocking(call(which));
}

static void start(co4_runtime *rt, int which, atomic_int *seen)
{
    if (!co4_runtime_spawn(rt, calls(which)))
        abort();
    wait_for(seen);
}

static pausable void alone(void)
{
    co4_blocking(puts("without any thread: made"));
}

int main(void)
{
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 2 });
    if (co4_blocking_limit(2) != CO4_OK || co4_runtime_start(rt) != CO4_OK)
        abort();
    start(rt, 0, &begun[0]);
    atomic_store(&refuses, 1);
    start(rt, 2, &asked);     /* queued; another thread is being started for it */
    start(rt, 1, &called[1]); /* behind it */
    pause_a_little();
    atomic_store(&may_end[0], 1);
    wait_for(&begun[2]);       /* the first thread takes it */
    atomic_store(&answers, 1); /* there is no other thread */
    pause_a_little();
    start(rt, 3, &called[3]);
    pause_a_little();
    for (int i = 1; i < 4; i++)
        atomic_store(&may_end[i], 1);
    if (co4_runtime_join(rt) != CO4_OK || co4_runtime_destroy(rt) != CO4_OK)
        abort();
    printf("made: %s\n", made);
    atomic_store(&refuses, 0);
    co4_blocking_stop();
    rt = co4_runtime_create(&(co4_runtime_options){ .workers = 1 });
    if (co4_runtime_start(rt) != CO4_OK)
        abort();
    atomic_store(&refuses, 1);
    if (!co4_runtime_spawn(rt, alone()) || co4_runtime_join(rt) != CO4_OK ||
        co4_runtime_destroy(rt) != CO4_OK)
        abort();
    return 0;
}
