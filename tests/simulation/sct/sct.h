/* sct.h - what the programs of this folder share: the form, and threads that run together.
 *
 * Each has a known mistake. With -DRIGHT it is the same program without it, which no order of its
 * threads may make fail. A failure is an assertion, a fault, or a wait that never ends. */
#ifndef CO4_TESTS_SIMULATION_SCT_H
#define CO4_TESTS_SIMULATION_SCT_H

#undef NDEBUG /* the assertions are what fails */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

#ifdef RIGHT
enum { RIGHT_FORM = 1 };
#else
enum { RIGHT_FORM = 0 };
#endif

static inline void begin_thread(pthread_t *id, void *(*run)(void *), intptr_t arg)
{
    int error = pthread_create(id, NULL, run, (void *)arg);
    assert(error == 0);
}

static inline void end_thread(pthread_t id)
{
    int error = pthread_join(id, NULL);
    assert(error == 0);
}

/* Runs `run` in `count` threads, whose arguments are 0, 1, ..., and waits for all of them. */
static inline void together(int count, void *(*run)(void *))
{
    pthread_t ids[128];
    assert(count <= 128);
    for (int i = 0; i < count; i++)
        begin_thread(&ids[i], run, i);
    for (int i = 0; i < count; i++)
        end_thread(ids[i]);
}

static inline int number_of_thread(void *arg)
{
    return (int)(intptr_t)arg;
}

#endif
