/* attributes.c - what a thread has by its attributes, or inherits, it has also where threads are
 * tasks: its policy, processors, mask of signals. What no task has is refused, not ignored. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

static int processors_of_main;

static void *look(void *what)
{
    struct sched_param parameter = { 0 };
    int policy = 0;
    sigset_t mask;
    cpu_set_t processors;
    usleep(1);
    pthread_getschedparam(pthread_self(), &policy, &parameter);
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    pthread_getaffinity_np(pthread_self(), sizeof processors, &processors);
    printf("%s: policy %d of the system %d, priority %d, blocks %d, processors %s\n",
           (const char *)what, policy, sched_getscheduler(0), parameter.sched_priority,
           sigismember(&mask, SIGUSR2),
           CPU_COUNT(&processors) == processors_of_main ? "of main" : "its own");
    return NULL;
}

static void run(const char *what, pthread_attr_t *attributes)
{
    pthread_t id;
    int err = pthread_create(&id, attributes, look, (void *)(uintptr_t)what);
    if (err != 0)
        printf("%s: %s\n", what, err == EPERM ? "EPERM" : "another error");
    else
        pthread_join(id, NULL);
}

static void explicitly(const char *what, int policy, int priority)
{
    pthread_attr_t a;
    struct sched_param parameter = { .sched_priority = priority };
    pthread_attr_init(&a);
    pthread_attr_setinheritsched(&a, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&a, policy);
    pthread_attr_setschedparam(&a, &parameter);
    run(what, &a);
    pthread_attr_destroy(&a);
}

static void *set(void *arg)
{
    struct sched_param parameter = { 0 };
    int policy = -1;
    if (pthread_setschedparam(pthread_self(), SCHED_OTHER, &parameter) != 0 ||
        pthread_setschedprio(pthread_self(), 0) != 0)
        printf("does not stay what it is\n");
    parameter.sched_priority = 1;
    int err = pthread_setschedparam(pthread_self(), SCHED_RR, &parameter);
    pthread_getschedparam(pthread_self(), &policy, &parameter);
    puts((err == 0) == (policy == SCHED_RR) ? "says what it does" : "says something else");
    return arg;
}

int main(void)
{
    pthread_attr_t a;
    cpu_set_t all, one;
    sigset_t mask;
    pthread_t id;
    struct sched_param parameter = { 0 };
    int policy = -1;
    pthread_getaffinity_np(pthread_self(), sizeof all, &all);
    processors_of_main = CPU_COUNT(&all);
    run("usual", NULL);
    explicitly("round robin", SCHED_RR, 1);
    explicitly("other", SCHED_OTHER, 0);

    pthread_attr_init(&a);
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &all))
            CPU_SET(i, &one);
    pthread_attr_setaffinity_np(&a, sizeof one, &one);
    run("one processor", &a);
    pthread_attr_destroy(&a);

    pthread_attr_init(&a);
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR2);
    pthread_attr_setsigmask_np(&a, &mask);
    run("mask", &a);
    pthread_attr_destroy(&a);

    sched_setscheduler(0, SCHED_BATCH, &parameter);
    run("inherits", NULL);
    sched_setscheduler(0, SCHED_OTHER, &parameter);
    run("usual again", NULL);

    pthread_create(&id, NULL, set, NULL);
    int err = pthread_getschedparam(id, &policy, &parameter);
    pthread_join(id, NULL);
    printf("of another one: %d\n", err);
    return 0;
}
