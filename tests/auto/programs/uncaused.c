/* uncaused.c - a wait at a condition that nothing signals goes on until its time, and one that is
 * signalled late returns by that: in a second and a half the library has looked. With -DUNSEEN a
 * shared library signals, of which the link knows nothing: with -DLIBRARY this file is that. */
#ifdef LIBRARY
#include <pthread.h>

int signal_it(pthread_cond_t *cond);
int signal_it(pthread_cond_t *cond)
{
    return pthread_cond_signal(cond);
}
#else
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { MS = 1500 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER, never = PTHREAD_COND_INITIALIZER;
static int waiting, signalled;

#ifdef UNSEEN
enum { LOOKS = 1 };
int signal_it(pthread_cond_t *cond);
#else
enum { LOOKS = 0 };
#define signal_it pthread_cond_signal
#endif

static void *waits(void *arg)
{
    pthread_mutex_lock(&mutex);
    waiting = 1;
    int err;
    do
        err = pthread_cond_wait(&changed, &mutex);
    while (LOOKS && !signalled);
    printf("%d, signalled %d\n", err, signalled);
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void *waits_in_vain(void *arg)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += MS % 1000 * 1000000L;
    until.tv_sec += MS / 1000 + until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&mutex);
    int err = pthread_cond_timedwait(&never, &mutex, &until);
    pthread_mutex_unlock(&mutex);
    return err == ETIMEDOUT ? arg : NULL;
}

int main(void)
{
    pthread_t one, other;
    void *late;
    pthread_create(&one, NULL, waits, &mutex);
    pthread_create(&other, NULL, waits_in_vain, &mutex);
    pthread_join(other, &late);
    printf("%s\n", late ? "in vain" : "without a cause");
    pthread_mutex_lock(&mutex);
    while (!waiting) {
        pthread_mutex_unlock(&mutex);
        usleep(1000);
        pthread_mutex_lock(&mutex);
    }
    signalled = 1;
    signal_it(&changed);
    pthread_mutex_unlock(&mutex);
    pthread_join(one, NULL);
    return 0;
}
#endif
