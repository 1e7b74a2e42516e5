/* late_spare.c - a worker blocks, and there is no memory for a spare worker: it begins later, when
 * there is some. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

long co4_test_fail_alloc(long n); /* -1: all fail; 0: none */
int blocks(void);                 /* these stay plain */
int has_run_after(int ms);

static atomic_int go, blocked, has_run;
static int empty[2];

int blocks(void)
{
    char c;
    while (!atomic_load(&go))
        ;
    co4_test_fail_alloc(-1);
    atomic_store(&blocked, 1);
    return (int)read(empty[0], &c, 1);
}

int has_run_after(int ms)
{
    atomic_store(&go, 1);
    for (int i = 0; i < ms && !atomic_load(&has_run); i++)
        usleep(1000);
    return atomic_load(&has_run);
}

static void *waits(void *arg)
{
    while (!atomic_load(&blocked))
        usleep(100);
    atomic_store(&has_run, 1);
    return arg;
}

static void *holds_worker(void *arg)
{
    return blocks() == 1 ? arg : NULL;
}

int main(void)
{
    pthread_t ids[2];
    void *value;
    if (pipe(empty) != 0 || pthread_create(&ids[0], NULL, waits, NULL) != 0 ||
        pthread_create(&ids[1], NULL, holds_worker, &empty) != 0)
        return 1;
    int early = has_run_after(300);
    co4_test_fail_alloc(0);
    printf("without memory: %d\n", early);
    printf("later: %d\n", has_run_after(50000));
    (void)!write(empty[1], "x", 1);
    pthread_join(ids[0], NULL);
    pthread_join(ids[1], &value);
    printf("blocked: %d\n", value == &empty);
    return 0;
}
