/* retry.c - whether and when to try again; woven/retry.c is the loop. */
#include <stdint.h>

#include "base/public.h"
#include "base/random.h"
#include "co4/retry.h"
#include "platform/clock.h"

/* Sums and products that stay below CO4_NEVER. */
static int64_t times(int64_t a, int64_t b)
{
    return b > 0 && a > (CO4_NEVER - 1) / b ? CO4_NEVER - 1 : a * b;
}

static int64_t plus(int64_t a, int64_t b)
{
    return a > CO4_NEVER - 1 - b ? CO4_NEVER - 1 : a + b;
}

static int64_t anything_up_to(int64_t most, uint64_t *state)
{
    if (most <= 0)
        return 0;
    *state += CO4__WEYL;
    return (int64_t)(co4__random_mix(*state) % ((uint64_t)most + 1));
}

static int64_t capped(const co4_retry *p, int64_t delay)
{
    return p->most > 0 && delay > p->most ? p->most : delay;
}

/* The delay after `failed` attempts, without jitter. */
static int64_t backoff(const co4_retry *p, int failed)
{
    int64_t delay = p->delay;
    switch (p->backoff) {
    case CO4_BACKOFF_LINEAR:
        return capped(p, times(delay, failed));
    case CO4_BACKOFF_EXPONENTIAL:
        for (int i = 1; i < failed && delay < (p->most > 0 ? p->most : CO4_NEVER - 1) &&
                        delay > 0 && p->factor != 1;
             i++)
            delay = times(delay, p->factor ? p->factor : 2);
        return capped(p, delay);
    default:
        return capped(p, delay);
    }
}

static int64_t next_delay(co4_retrying *r)
{
    const co4_retry *p = r->policy;
    int64_t delay = backoff(p, r->attempt);
    switch (p->jitter) {
    case CO4_JITTER_FULL:
        return anything_up_to(delay, &r->random);
    case CO4_JITTER_EQUAL:
        return delay / 2 + anything_up_to(delay - delay / 2, &r->random);
    case CO4_JITTER_DECORRELATED: {
        int64_t widest = times(r->last > p->delay ? r->last : p->delay, 3);
        return capped(p, plus(p->delay, anything_up_to(widest - p->delay, &r->random)));
    }
    default:
        return delay;
    }
}

int co4_retry_begin(co4_retrying *retrying, const co4_retry *policy)
{
    if (!retrying || !policy || policy->attempts < 0 || policy->deadline < 0 || policy->delay < 0 ||
        policy->most < 0 || policy->factor < 0 ||
        (unsigned)policy->backoff > CO4_BACKOFF_EXPONENTIAL ||
        (unsigned)policy->jitter > CO4_JITTER_DECORRELATED)
        return CO4_EINVAL;
    *retrying = (co4_retrying){ .policy = policy, .attempt = 1, .random = policy->seed };
    if (policy->seed == 0)
        retrying->random = (uint64_t)co4_now() ^ (uint64_t)co4__choice()
                                                     << 32; /* test mode controls both */
    return CO4_OK;
}

int co4_retry_again(co4_retrying *retrying, int code, int64_t *delay)
{
    if (!retrying || !delay)
        return 0;
    const co4_retry *p = retrying->policy;
    *delay = 0;
    if (code == CO4_ECANCELED || (p->attempts > 0 && retrying->attempt >= p->attempts) ||
        retrying->attempt == INT32_MAX)
        return 0;
    if (p->again ? !p->again(p->again_arg, code, retrying->attempt) : code >= 0)
        return 0;
    int64_t after = next_delay(retrying);
    if (p->deadline > 0 && plus(co4_now(), after) >= p->deadline)
        return 0;
    retrying->attempt++;
    retrying->last = *delay = after;
    return 1;
}
