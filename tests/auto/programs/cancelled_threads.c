/* cancelled_threads.c - threads, which are no tasks, end by pthread_cancel() where they sleep, and
 * so does the process. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { THREADS = 12 };

static pthread_key_t key;
static int begun, ended;

static void count(void *value)
{
    __atomic_fetch_add(&ended, value == &key, __ATOMIC_RELAXED);
}

static void *sleeps(void *arg)
{
    pthread_setspecific(key, &key);
    __atomic_fetch_add(&begun, 1, __ATOMIC_RELEASE);
    for (;;)
        sleep(100);
    return arg;
}

int main(void)
{
    if (pthread_key_create(&key, count) != 0)
        return 1;
    for (int i = 0; i < THREADS; i++) {
        pthread_t id;
        void *value = NULL;
        pthread_create(&id, NULL, sleeps, NULL);
        while (__atomic_load_n(&begun, __ATOMIC_ACQUIRE) <= i)
            usleep(100);
        if (i % 3 == 0)
            usleep(20000);
        int err = pthread_cancel(id);
        pthread_join(id, &value);
        printf("%d %d\n", err, value == PTHREAD_CANCELED);
    }
    printf("%d\n", ended);
    return 0;
}
