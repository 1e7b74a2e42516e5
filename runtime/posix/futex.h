/* futex.h - waits at words of memory by syscall(SYS_futex), with --auto=test: futex.c. */
#ifndef CO4_POSIX_FUTEX_H
#define CO4_POSIX_FUTEX_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/compiler.h"
#include "co4/sync.h"

/* A waiter, in the frame of its call. */
struct co4__futex {
    struct co4__futex *next;
    const void *word;
    uint32_t bits;
    bool queued, again;           /* again: the clock may be set before its time comes */
    int64_t until;                /* of the library; without a `limit` */
    const struct timespec *limit; /* a time of this clock */
    clockid_t clock;
    co4_sem woken; /* a permit: it has been woken, and is no longer queued */
};

enum { CO4__FUTEX_FAILS = -1, CO4__FUTEX_WAITS = -2, CO4__FUTEX_UNKNOWN = -3 };

/* What the arguments of the call ask for, and does that, if it is no wait. Returns what the call
 * returns, or one of the last two. */
CO4__OWN long co4__futex_call(const long arguments[6]);
CO4__OWN bool co4__futex_waits(const long arguments[6]);
/* Queues the waiter. Returns 0; or an error number: it does not wait. */
CO4__OWN int co4__futex_begin(struct co4__futex *f, const long arguments[6]);
/* The deadline of its wait from now on. */
CO4__OWN int64_t co4__futex_until(struct co4__futex *f);
/* The waiter leaves, if it has not been woken. */
CO4__OWN void co4__futex_leave(struct co4__futex *f);

#endif
