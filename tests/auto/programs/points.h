/* points.h - a thread that is cancelled in each of the calls of a program: while it waits, and
 * before it begins. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

struct point {
    const char *name;
    void (*call)(void);
};

static int pending;

static void told(void *x)
{
    printf("handler of %s ", (const char *)x);
}

static void *run_point(void *x)
{
    const struct point *point = x;
    pthread_cleanup_push(told, (void *)point->name);
    if (pending)
        pthread_cancel(pthread_self());
    point->call();
    pthread_cleanup_pop(0);
    return x;
}

static void *forever(void *x)
{
    for (;;)
        sleep(1000);
    return x;
}

static void cancel_in_each(const struct point *points, size_t count)
{
    for (pending = 0; pending < 2; pending++)
        for (size_t i = 0; i < count; i++) {
            pthread_t t;
            void *r;
            pthread_create(&t, NULL, run_point, (void *)&points[i]);
            if (!pending) {
                usleep(10000);
                pthread_cancel(t);
            }
            int e = pthread_join(t, &r);
            printf("%s%s: %d %d\n", points[i].name, pending ? " pending" : "", e,
                   r == PTHREAD_CANCELED);
            fflush(stdout);
        }
}
