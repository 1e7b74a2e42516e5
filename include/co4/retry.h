/* co4/retry.h - repeated attempts, with delays.
 *
 *     static const co4_retry policy = { .attempts = 5, .backoff = CO4_BACKOFF_EXPONENTIAL,
 *                                       .delay = 10 * CO4_MS, .most = CO4_SEC,
 *                                       .jitter = CO4_JITTER_EQUAL };
 *     …
 *     int err = co4_retry_run(&policy, fetch(&job));
 *
 * A policy has the number of attempts, the delays between them, the deadline, and the codes that
 * are retried. It is a plain struct. A field that is zero means: no limit, no delay, no jitter,
 * every error. */
#ifndef CO4_RETRY_H
#define CO4_RETRY_H

#include <stdint.h>

#include "mark.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How delays grow from one attempt to the next. */
typedef enum co4_backoff {
    CO4_BACKOFF_CONSTANT,   /* delay, delay, delay, … */
    CO4_BACKOFF_LINEAR,     /* delay, 2 delay, 3 delay, … */
    CO4_BACKOFF_EXPONENTIAL /* delay, factor delay, factor² delay, … */
} co4_backoff;

/* The random part of a delay. */
typedef enum co4_jitter {
    CO4_JITTER_NONE,
    CO4_JITTER_FULL,  /* anything from 0 to the delay */
    CO4_JITTER_EQUAL, /* half of it, and anything up to the other half */
    /* anything from `delay` to three times the delay before; whatever the backoff */
    CO4_JITTER_DECORRELATED
} co4_jitter;

/* When another attempt is made. All zero: at once, without a limit. */
typedef struct co4_retry {
    int attempts;        /* at most so many, the first included; 0: no limit */
    int64_t deadline;    /* no attempt begins at or after this time; 0, CO4_NEVER: no limit */
    co4_backoff backoff; /* how delays grow */
    int64_t delay;       /* nanoseconds before the second attempt */
    int64_t most;        /* no delay is longer, before the jitter; 0: no limit */
    int factor;          /* of CO4_BACKOFF_EXPONENTIAL; 0: 2 */
    co4_jitter jitter;
    uint64_t
        seed; /* of the jitter: the same delays each time; 0: others each time, but in test mode */
    /* Is there to be another attempt after this code (0 or positive included)? May not pause. NULL:
     * after every negative one. */
    int (*again)(void *arg, int code, int attempt);
    void *again_arg;
} co4_retry;

/* The state of a retry. */
typedef struct co4_retrying {
    const co4_retry *policy; /* stays the caller's */
    int attempt;             /* the one that comes, or is under way; from 1 */
    int64_t last;            /* the delay before it */
    uint64_t random;
} co4_retrying;

/* co4_retry_run(policy, f(a)): evaluates the call, arguments and all, until it returns a code after
 * which the policy allows no other attempt. The call yields an int. In it `co4_attempt` is the
 * number of the attempt, from 1: co4_retry_run(&policy, fetch(&job, co4_attempt)). A compound
 * literal with a comma needs brackets around it. Plain: blocks the thread between attempts.
 *
 * Returns: the last code of the call. CO4_EINVAL for NULL and for negative numbers in the policy,
 *     and nothing has run; CO4_ENOMEM when there is no memory to sleep; CO4_ESTATE inside a
 *     generator, when it would have to.
 * Pauses: between attempts, and as the call does.
 * Cancellation: CO4_ECANCELED, which is never tried again, also between attempts.
 * Thread safety: any task.
 * Ownership: the policy stays the caller's.
 * Since: 0.1. */
#define co4_retry_run(policy, call)                                                                \
    __extension__({                                                                                \
        co4_retrying co4_retrying_;                                                                \
        int co4_attempt = 1, co4_retry_ = co4_retry_begin(&co4_retrying_, (policy));               \
        if (co4_retry_ == 0)                                                                       \
            do                                                                                     \
                co4_retry_ = (call);                                                               \
            while ((co4_attempt = co4_retry_pause(&co4_retrying_, &co4_retry_)) > 0);              \
        else                                                                                       \
            co4_retry_pause(0, 0);                                                                 \
        co4_retry_;                                                                                \
    })

/* The same by hand, for loops of the program's own. */

/* Begins.
 *
 * Returns: CO4_OK; CO4_EINVAL for NULL and for negative numbers in the policy.
 * Blocks: never.
 * Thread safety: one call at a time for each struct.
 * Ownership: both structs stay the caller's; the policy lives as long as the other.
 * Since: 0.1. */
int co4_retry_begin(co4_retrying *retrying, const co4_retry *policy);

/* The attempt has ended with this code: is there to be another?
 *
 * Returns: 1, after *delay nanoseconds; 0 when there is not, and for NULL.
 * Blocks: never.
 * Thread safety: one call at a time for each struct.
 * Ownership: as above.
 * Since: 0.1. */
int co4_retry_again(co4_retrying *retrying, int code, int64_t *delay);

/* The attempt has ended with *code: waits for the next one, if there is to be another.
 *
 * Returns: the number of the next attempt; 0 when there is none, and *code is the result of the
 *     whole: as it was, or CO4_ECANCELED, CO4_ENOMEM, CO4_ESTATE of the wait; 0 for NULL.
 * Pauses: until the next attempt. Plain: blocks the thread.
 * Cancellation: as above.
 * Thread safety: one call at a time for each struct.
 * Ownership: as above.
 * Since: 0.2. */
pausable int co4_retry_pause(co4_retrying *retrying, int *code);

#ifdef __cplusplus
}
#endif

#endif
