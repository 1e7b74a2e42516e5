/* lost_signal.c - a thread waits for a signal that came too early; `late`: for one that never
 * comes; `found`: one comes in time, and it waits for another; `assertion`: something else fails
 * while it waits. Another condition has lost one, too, at which no thread waits. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <threads.h>
#include <unistd.h>

#ifdef C11
static mtx_t lock;
static cnd_t awaited, other;
#define lock_it()   mtx_lock(&lock)
#define unlock_it() mtx_unlock(&lock)
#define wait_it()   cnd_wait(&awaited, &lock)
#else
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t awaited = PTHREAD_COND_INITIALIZER, other = PTHREAD_COND_INITIALIZER;
#define lock_it()   pthread_mutex_lock(&lock)
#define unlock_it() pthread_mutex_unlock(&lock)
#define wait_it()   pthread_cond_wait(&awaited, &lock)
#endif

static void *early(void *arg)
{
#if defined C11
    cnd_broadcast(&other);
    if (!arg)
        cnd_signal(&awaited); /* C11 */
#elif defined BROADCAST
    pthread_cond_signal(&other);
    if (!arg)
        pthread_cond_broadcast(&awaited); /* BROADCAST */
#else
    pthread_cond_signal(&other);
    if (!arg)
        pthread_cond_signal(&awaited); /* SIGNAL */
#endif
    return NULL;
}

static void *waiting(void *arg)
{
    lock_it();
    wait_it();
    if (arg)
        wait_it();
    unlock_it();
    return arg;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    pthread_t one, two;
#ifdef C11
    mtx_init(&lock, mtx_plain);
    cnd_init(&awaited);
    cnd_init(&other);
#endif
    if (strcmp(how, "found") == 0) {
        pthread_create(&two, NULL, waiting, argv[1]);
        sleep(1);
    }
    pthread_create(&one, NULL, early, strcmp(how, "late") == 0 ? argv[1] : NULL);
    pthread_join(one, NULL);
    if (strcmp(how, "found") != 0)
        pthread_create(&two, NULL, waiting, NULL);
    sleep(1);
    assert(strcmp(how, "assertion") != 0);
    pthread_join(two, NULL);
    return 0;
}
