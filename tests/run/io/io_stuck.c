/* io_stuck.c - descriptors of a worker whose step does not end are served by another worker.
 *
 * A task waits on worker 0, so its descriptor is registered there. Then another task computes on
 * that worker until the first one has its byte.
 * needs: descriptors threads workers
 * modes: woven forced
 * expect: 20 of 20 came while the worker was stuck
 * expect: on its own worker again: yes
 * expect: counters: events, sleeps, rescued */
#include <co4.h>
#include <co4/io.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static atomic_int got, go_on, computes;

/* Not pinned: it waits on worker 0 first, and goes on where there is a free worker. */
static pausable void reader(int fd)
{
    char c;
    while (co4_read(fd, &c, 1) == 1)
        got++;
}

static pausable void compute(void)
{
    computes = 1;
    while (!go_on)
        ;
}

static void *writer(void *fd)
{
    for (int i = 1; i <= 20; i++) {
        if (write(*(int *)fd, "x", 1) != 1)
            break;
        while (got < i)
            usleep(100);
    }
    go_on = 1;
    return NULL;
}

static pausable void on_worker_0(int fd)
{
    char c;
    co4_read(fd, &c, 1); /* registers it here */
    co4_spawn(reader(fd));
}

int main(void)
{
    int fds[2];
    pthread_t thread;
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 2 });
    co4_runtime_start(rt);
    if (co4_pipe(fds) != 0)
        return 1;
    co4_task *t = co4_task_create(on_worker_0(fds[0]));
    co4_task_pin(t, 0);
    co4_runtime_schedule(rt, t);
    usleep(20000);
    if (write(fds[1], "x", 1) != 1)
        return 1;
    co4_block(co4_task_join(t));
    co4_task_release(t);
    usleep(20000); /* the reader waits */
    t = co4_task_create(compute());
    co4_task_pin(t, 0);
    co4_runtime_schedule(rt, t);
    co4_task_release(t);
    while (!computes)
        usleep(100);
    pthread_create(&thread, NULL, writer, &fds[1]);
    pthread_join(thread, NULL);
    printf("%d of 20 came while the worker was stuck\n", (int)got);
    usleep(20000);
    if (write(fds[1], "x", 1) != 1)
        return 1;
    while (got < 21)
        usleep(100);
    puts("on its own worker again: yes");
    co4_stats s;
    co4_stats_of(rt, &s);
    printf("counters: %s, %s, %s\n", s.events > 0 ? "events" : "no events",
           s.sleeps > 0 ? "sleeps" : "no sleep", s.rescued > 0 ? "rescued" : "none rescued");
    close(fds[1]);
    co4_runtime_join(rt);
    co4_close(fds[0]);
    return co4_runtime_destroy(rt);
}
