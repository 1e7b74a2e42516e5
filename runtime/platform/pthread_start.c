/* pthread_start.c - starting and joining threads, by POSIX: for programs that have more than their
 * own. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/alloc.h"
#include "base/public.h"
#include "platform/sigmask.h"
#include "platform/thread.h"

_Static_assert(sizeof(pthread_t) <= sizeof(struct co4__thread), "a thread fits its space");

struct start {
    void (*main)(void *);
    void *arg;
    sigset_t mask; /* of the thread that starts it */
};

static _Thread_local const sigset_t *given;

void *co4__own_thread(void *start)
{
    struct start s = *(struct start *)start;
    co4__free(start);
    given = &s.mask;
    s.main(s.arg);
    return NULL;
}

/* Blocks all signals but those that an instruction raises. */
static void block_signals(sigset_t *before)
{
    static const int raised[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT };
    sigset_t all;
    sigfillset(&all);
    for (size_t i = 0; i < sizeof raised / sizeof *raised; i++)
        sigdelset(&all, raised[i]);
    co4__sigmask(SIG_BLOCK, &all, before);
}

void co4__thread_takes_signals(bool takes)
{
    if (takes)
        co4__sigmask(SIG_SETMASK, given, NULL);
    else
        block_signals(NULL);
}

static int start(struct co4__thread *t, void (*main)(void *), void *arg, const sigset_t *mask)
{
    struct start *s = co4__alloc(sizeof *s);
    if (!s)
        return CO4_ENOMEM;
    *s = (struct start){ main, arg, *mask };
    if (pthread_create((pthread_t *)(void *)t, NULL, co4__own_thread, s) != 0) {
        co4__free(s);
        return CO4_EAGAIN;
    }
    return CO4_OK;
}

int co4__thread_start(struct co4__thread *t, void (*main)(void *), void *arg)
{
    sigset_t mask;
    co4__sigmask(SIG_BLOCK, NULL, &mask);
    return start(t, main, arg, &mask);
}

/* The thread begins with all signals blocked: a signal to the process that all threads of the
 * program have blocked has to stay pending. */
int co4__thread_start_apart(struct co4__thread *t, void (*main)(void *), void *arg)
{
    sigset_t before;
    block_signals(&before);
    int err = start(t, main, arg, &before);
    co4__sigmask(SIG_SETMASK, &before, NULL);
    return err;
}

int co4__thread_start_detached(void (*main)(void *), void *arg)
{
    struct co4__thread t;
    int err = co4__thread_start_apart(&t, main, arg);
    if (err == CO4_OK)
        co4__thread_detach(&t);
    return err;
}

void co4__thread_detach(struct co4__thread *t)
{
    pthread_detach(*(pthread_t *)(void *)t);
}

void co4__thread_self(struct co4__thread *t)
{
    *(pthread_t *)(void *)t = pthread_self();
}

void co4__thread_join(struct co4__thread *t)
{
    pthread_join(*(pthread_t *)(void *)t, NULL);
}
