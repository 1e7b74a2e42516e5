/* ended.c - threads that end in functions with handlers: as tasks; and as threads, which those with
 * a large stack stay, and the first one is. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static atomic_int there; /* where it waits until it is cancelled */
static void say(void *x)
{
    printf("handler %s\n", (char *)x);
}
static void unlock(void *x)
{
    pthread_mutex_unlock(x);
    puts("unlocked");
}
static void inner(int how)
{
    pthread_cleanup_push(say, "inner");
    usleep(1000);
    if (how == 1)
        pthread_exit("exit");
    if (how == 2) {
        there = 2;
        for (;;)
            sleep(1000);
    }
    if (how == 3) {
        pthread_mutex_lock(&m);
        pthread_cleanup_push(unlock, &m);
        there = 3;
        for (;;)
            pthread_cond_wait(&c, &m);
        pthread_cleanup_pop(0);
    }
    pthread_cleanup_pop(1);
}
static void *run(void *x)
{
    pthread_cleanup_push(say, "outer");
    inner((int)(long)x);
    pthread_cleanup_pop(1);
    return "returned";
}
int main(void)
{
    pthread_t t;
    void *r;
    pthread_attr_t a;
    pthread_attr_init(&a);
    for (int large = 0; large < 2; large++) {
        if (large)
            pthread_attr_setstacksize(&a, 64 << 20);
        for (long i = 0; i < 4; i++) {
            pthread_create(&t, &a, run, (void *)i);
            if (i >= 2) {
                while (there != i)
                    usleep(1000);
                pthread_mutex_lock(&m); /* it waits for the condition */
                pthread_mutex_unlock(&m);
                pthread_cancel(t);
            }
            pthread_join(t, &r);
            printf("%s\n", r == PTHREAD_CANCELED ? "cancelled" : (char *)r);
        }
        printf("mutex %d\n", pthread_mutex_trylock(&m));
        pthread_mutex_unlock(&m);
    }
    fflush(stdout);
    inner(1);
    return 0;
}
