/* co4/retry.h - once more, after a while.
 *
 *     static const co4_retry policy = { .attempts = 5, .backoff = CO4_BACKOFF_EXPONENTIAL,
 *                                       .delay = 10 * CO4_MS, .most = CO4_SEC,
 *                                       .jitter = CO4_JITTER_EQUAL };
 *     static pausable int fetch(void *arg, int attempt) { … }
 *     …
 *     int err = co4_retry_run(&policy, fetch, &job);
 *
 * A policy says how often, how long to wait in between, until when, and after which codes. It is a
 * plain struct: what is left zero stands for no limit, no delay, no jitter, every error.
 * */
#ifndef CO4_RETRY_H
#define CO4_RETRY_H

#include <stdint.h>

#include "mark.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum co4_backoff {
    CO4_BACKOFF_CONSTANT,   /* delay, delay, delay, … */
    CO4_BACKOFF_LINEAR,     /* delay, 2 delay, 3 delay, … */
    CO4_BACKOFF_EXPONENTIAL /* delay, factor delay, factor² delay, … */
} co4_backoff;

typedef enum co4_jitter {
    CO4_JITTER_NONE,
    CO4_JITTER_FULL,  /* anything from 0 to the delay */
    CO4_JITTER_EQUAL, /* half of it, and anything up to the other half */
    /* anything from `delay` to three times the delay before; whatever the backoff */
    CO4_JITTER_DECORRELATED
} co4_jitter;

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

typedef pausable int co4_retry_body(void *arg, int attempt);

/* Calls body(arg, 1), body(arg, 2) and so on, until one returns a code after which the policy
 * allows no other attempt. Plain: blocks the thread between attempts.
 *
 * Returns: the last code of the body. CO4_EINVAL for NULL and for negative numbers in the policy,
 *     and nothing has run; CO4_ENOMEM when there is no memory to sleep; CO4_ESTATE inside a
 *     generator, when it would have to.
 * Pauses: between attempts, and as the body does.
 * Cancellation: CO4_ECANCELED, which is never tried again, also between attempts.
 * Thread safety: any task.
 * Ownership: the policy and what `arg` points to stay the caller's.
 * Since: 0.1. */
pausable int co4_retry_run(const co4_retry *policy, co4_retry_body *body, void *arg);

/* The same by hand, for loops of the program's own. */
typedef struct co4_retrying {
    const co4_retry *policy; /* stays the caller's */
    int attempt;             /* the one that comes, or is under way; from 1 */
    int64_t last;            /* the delay before it */
    uint64_t random;
} co4_retrying;

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

#ifdef __cplusplus
}
#endif

#endif
