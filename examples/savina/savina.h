/* savina.h - what the programs of this folder share: their arguments, their runtime, their verdict.
 *
 * The programs are the ones of the Savina suite (Imam and Sarkar, 2014) in the words of co4: its
 * actors are tasks with a mailbox. Each checks what it has computed. */
#ifndef SAVINA_H
#define SAVINA_H

#include <co4.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

/* The i-th argument, a number in these bounds; `absent` when it is not there. */
static inline long argument(int argc, char **argv, int i, long absent, long least, long most)
{
    char *end;
    if (i >= argc)
        return absent;
    long n = strtol(argv[i], &end, 10);
    if (end == argv[i] || *end || n < least || n > most) {
        fprintf(stderr, "usage: %s [NUMBER]...; number %d is from %ld to %ld\n", argv[0], i, least,
                most);
        exit(2);
    }
    return n;
}

static inline void must(int code, const char *what)
{
    if (code >= 0)
        return;
    fprintf(stderr, "%s: %s\n", what, co4_strerror(code));
    exit(1);
}

static inline void *made(void *thing)
{
    if (!thing)
        must(CO4_ENOMEM, "out of memory");
    return thing;
}

/* Returns from the function with a code that is an error. */
#define TRY(expression)                                                                            \
    do {                                                                                           \
        int code_ = (expression);                                                                  \
        if (code_ < 0)                                                                             \
            return code_;                                                                          \
    } while (0)

/* Runs a call that returns a code, and all that it starts, on one worker a processor. */
#define ON_ALL_PROCESSORS(call)                                                                    \
    do {                                                                                           \
        co4_runtime *rt_ = made(co4_runtime_create(NULL));                                         \
        must(co4_runtime_start(rt_), "start");                                                     \
        co4_future *done_ = made(co4_async(call));                                                 \
        int code_ = co4_block(co4_future_await(done_, NULL));                                      \
        co4_future_release(done_);                                                                 \
        must(co4_runtime_join(rt_), "join");                                                       \
        must(co4_runtime_destroy(rt_), "destroy");                                                 \
        must(code_, "it failed");                                                                  \
    } while (0)

/* The same numbers everywhere (Lehmer's generator, Park and Miller's constants). */
static inline unsigned random_next(unsigned *seed)
{
    return *seed = (unsigned)(*seed * 48271ull % 2147483647);
}

#endif
