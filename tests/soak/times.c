/* times.c - timers and tickers that are started anew and stopped while tasks wait for them;
 * retries. No moment comes before its time, and no tick is given twice. */
#include "soak.h"

enum { TIMERS = 3, WAITERS = 6, TURNS = 60, TICKERS = 2, HEARERS = 3 };

static struct {
    unsigned long long seed;
    co4_timer timer[TIMERS], only;
    co4_sem passed;
    _Atomic int64_t
        earliest[TIMERS]; /* no moment before this has ever been asked for, since the start */
    co4_ticker ticker[TICKERS];
    int64_t period[TICKERS], first[TICKERS];
    atomic_ullong ticks[TICKERS];
    atomic_ullong moments;
} now;

static int await_as_thread(co4_source *s, int64_t until)
{
    return co4_block(co4_await_until(s, NULL, until));
}

static pausable void waiter(unsigned me)
{
    struct lots l = lots_of(now.seed, me);
    for (unsigned i = 0; i < TURNS; i++) {
        unsigned which = lot(&l, TIMERS);
        int64_t until = soon(&l, 600), begun = co4_now();
        co4_source *s = co4_timer_source(&now.timer[which]);
        int err;
        switch (lot(&l, 4)) {
        case 0: {
            co4_timed timed;
            err = co4_await(co4_source_until(&timed, s, until), NULL);
            break;
        }
        case 1: {
            unsigned other = lot(&l, TIMERS);
            co4_case cases[] = { CO4_CASE(s, NULL),
                                 CO4_CASE(co4_timer_source(&now.timer[other]), NULL) };
            err = co4_select_until(cases, 2, 0, until);
            if (err == 1) {
                which = other;
                err = CO4_OK;
            }
            break;
        }
        case 2:
            err = co4_blocking(await_as_thread(s, until));
            break;
        default:
            err = co4_await_until(s, NULL, until);
        }
        int64_t ended = co4_now();
        MUST(err == CO4_OK || err == CO4_ETIMEDOUT || err == CO4_ECANCELED || err == CO4_EDEADLK);
        if (err == CO4_OK) {
            MUST(ended >= now.earliest[which]);
            now.moments++;
        }
        if (err == CO4_ETIMEDOUT)
            MUST(ended >= until);
        if (err == CO4_ECANCELED)
            break;
        if (lot(&l, 4) == 0) {
            int64_t ns = lot(&l, 200) * CO4_US;
            begun = co4_now();
            err = co4_sleep(ns);
            MUST(err == CO4_ECANCELED || (err == CO4_OK && co4_now() >= begun + ns));
        }
        if (lot(&l, 8) == 0)
            co4_yield();
    }
}

/* Starts and stops them, while others wait. */
static pausable void setter(void)
{
    struct lots l = lots_of(now.seed, 20);
    for (unsigned i = 0; i < TURNS * 2; i++) {
        unsigned which = lot(&l, TIMERS);
        co4_timer *t = &now.timer[which];
        if (lot(&l, 4) == 0) {
            int err = co4_timer_stop(t);
            MUST(err == CO4_OK || err == CO4_ESTATE);
        } else {
            int64_t at = soon(&l, 500);
            if (at < now.earliest[which])
                now.earliest[which] = at;
            MUST(co4_timer_start(t, at) == CO4_OK);
        }
        if (lot(&l, 2))
            co4_sleep(lot(&l, 200) * CO4_US);
    }
}

static pausable void hearer(unsigned me)
{
    struct lots l = lots_of(now.seed, 30 + me);
    unsigned which = me % TICKERS;
    for (unsigned i = 0; i < TURNS; i++) {
        uint64_t n = 0;
        co4_source *s = co4_ticker_source(&now.ticker[which]);
        int err;
        if (lot(&l, 3) == 0) {
            co4_timed timed;
            err = co4_await(co4_source_until(&timed, s, soon(&l, 300)), &n);
        } else {
            err = co4_await_until(s, &n, soon(&l, 300));
        }
        MUST(err == CO4_OK || err == CO4_ETIMEDOUT || err == CO4_ECANCELED);
        MUST((err == CO4_OK) == (n > 0));
        unsigned long long all = atomic_fetch_add(&now.ticks[which], n) + n;
        MUST(all <= (uint64_t)((co4_now() - now.first[which]) / now.period[which] + 1));
        if (err == CO4_ECANCELED)
            break;
    }
}

/* No other event ends this wait: only a start that comes meanwhile does, on any worker. */
static pausable void patient(int worker)
{
    MUST(co4_task_pin(co4_self(), worker) == CO4_OK);
    for (unsigned i = 0; i < TURNS * 6; i++) {
        MUST(co4_await(co4_timer_source(&now.only), NULL) == CO4_OK);
        MUST(co4_timer_stop(&now.only) == CO4_ESTATE); /* it has passed; now it is not running */
        MUST(co4_sem_release(&now.passed) == CO4_OK);
    }
}

static pausable void starter(void)
{
    struct lots l = lots_of(now.seed, 21);
    MUST(co4_task_pin(co4_self(), 0) == CO4_OK);
    for (unsigned i = 0; i < TURNS * 6; i++) {
        if (lot(&l, 2))
            co4_yield();
        MUST(co4_timer_start(&now.only, co4_now() + 100 * CO4_SEC) == CO4_OK);
        MUST(co4_timer_start(&now.only, soon(&l, 100)) == CO4_OK);
        MUST(co4_sem_acquire(&now.passed) == CO4_OK);
    }
}

static pausable int attempt(void *arg, int n)
{
    int *before = arg;
    MUST(n == ++*before);
    int err = co4_yield();
    return err != CO4_OK ? err : n < 3 ? CO4_EBUSY : n;
}

static pausable void retrier(unsigned me)
{
    struct lots l = lots_of(now.seed, 40 + me);
    for (unsigned i = 0; i < 10; i++) {
        co4_retry how = { .attempts = (int)lot(&l, 5),
                          .backoff = (co4_backoff)lot(&l, 3),
                          .delay = lot(&l, 100) * CO4_US,
                          .jitter = (co4_jitter)lot(&l, 4) };
        int n = 0, err = co4_retry_run(&how, attempt(&n, co4_attempt));
        if (err == CO4_ECANCELED)
            return;
        MUST(how.attempts == 1 || how.attempts == 2 ? err == CO4_EBUSY && n == how.attempts
                                                    : err == 3 && n == 3);
    }
}

static void begin(co4_runtime *rt, unsigned long long seed)
{
    struct lots l = lots_of(seed, 999);
    memset(&now, 0, sizeof now);
    now.seed = seed;
    for (unsigned i = 0; i < TIMERS; i++) {
        MUST(co4_timer_init(&now.timer[i]) == CO4_OK);
        now.earliest[i] = CO4_NEVER;
    }
    for (unsigned i = 0; i < TICKERS; i++) {
        now.period[i] = 1 + (int64_t)lot(&l, 200) * CO4_US;
        now.first[i] = soon(&l, 1000);
        MUST(co4_ticker_init(&now.ticker[i]) == CO4_OK);
        MUST(co4_ticker_start(&now.ticker[i], now.first[i], now.period[i]) == CO4_OK);
    }
    for (unsigned i = 0; i < WAITERS; i++)
        soak_start(rt, co4_task_create(waiter(i)), SOAK_MAY_CANCEL);
    soak_start(rt, co4_task_create(setter()), SOAK_TO_THE_END);
    MUST(co4_timer_init(&now.only) == CO4_OK);
    soak_start(rt, co4_task_create(patient(co4_runtime_workers(rt) - 1)), SOAK_TO_THE_END);
    soak_start(rt, co4_task_create(starter()), SOAK_TO_THE_END);
    for (unsigned i = 0; i < HEARERS; i++)
        soak_start(rt, co4_task_create(hearer(i)), SOAK_MAY_CANCEL);
    for (unsigned i = 0; i < 2; i++)
        soak_start(rt, co4_task_create(retrier(i)), SOAK_MAY_CANCEL);
}

static unsigned long long check(void)
{
    unsigned long long all = now.moments;
    for (unsigned i = 0; i < TIMERS; i++)
        MUST(co4_timer_destroy(&now.timer[i]) == CO4_OK);
    MUST(co4_timer_destroy(&now.only) == CO4_OK && co4_sem_destroy(&now.passed) == CO4_OK);
    for (unsigned i = 0; i < TICKERS; i++) {
        all += now.ticks[i];
        MUST(co4_ticker_destroy(&now.ticker[i]) == CO4_OK);
    }
    return all;
}

const struct work soak_times = { "times", "moments", begin, check };
