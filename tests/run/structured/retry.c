/* retry - how often, how long in between, until when, after which codes.
 * expect: third time: no error, 3 attempts
 * expect: four at most: there is no room, 4 attempts
 * expect: only some codes: closed, and nothing is left to take, 2 attempts
 * expect: success again: no error 5, 5 attempts
 * expect: constant: 10 10 10 10 10 10
 * expect: linear: 10 20 30 40 50 50
 * expect: exponential: 10 20 40 80 100 100
 * expect: by three: 10 30 90 270 810 2430
 * expect: huge: no overflow
 * expect: full: within, equal: within, decorrelated: within
 * expect: the same seed: the same, another seed: others, no seed: others
 * expect: deadline: there is no room, in time
 * expect: waited: in time
 * expect: arguments: 6 refused
 * expect: by hand: 2 more */
#include <co4.h>
#include <stdio.h>

struct job {
    int attempts, succeed_at, code;
};

static pausable int attempt(void *arg, int n)
{
    struct job *j = arg;
    j->attempts++;
    co4_yield();
    if (n != j->attempts)
        puts("attempts are counted wrongly");
    return n == j->succeed_at ? CO4_OK : n == 2 && j->code ? j->code : CO4_EFULL;
}

static pausable int counting(void *arg, int n)
{
    ((struct job *)arg)->attempts++;
    co4_yield();
    return n;
}

static int unless_closed(void *arg, int code, int n)
{
    (void)arg, (void)n;
    return code < 0 && code != CO4_ECLOSED;
}

static int below_five(void *arg, int code, int n)
{
    (void)n;
    return code < *(int *)arg;
}

static pausable void attempts(void)
{
    struct job j = { 0, 3, 0 };
    int err = co4_retry_run(&(co4_retry){ .delay = CO4_US }, attempt(&j, co4_attempt));
    printf("third time: %s, %d attempts\n", co4_strerror(err), j.attempts);
    j = (struct job){ 0, 0, 0 };
    err = co4_retry_run(&(co4_retry){ .attempts = 4 }, attempt(&j, co4_attempt));
    printf("four at most: %s, %d attempts\n", co4_strerror(err), j.attempts);
    j = (struct job){ 0, 0, CO4_ECLOSED };
    err = co4_retry_run(&(co4_retry){ .again = unless_closed }, attempt(&j, co4_attempt));
    printf("only some codes: %s, %d attempts\n", co4_strerror(err), j.attempts);
    int five = 5;
    j = (struct job){ 0, 0, 0 };
    err = co4_retry_run((&(co4_retry){ .again = below_five, .again_arg = &five }),
                        counting(&j, co4_attempt));
    printf("success again: no error %d, %d attempts\n", err, j.attempts);
}

static void delays(const char *name, const co4_retry *policy)
{
    co4_retrying r;
    int64_t delay;
    co4_retry_begin(&r, policy);
    printf("%s:", name);
    for (int i = 0; i < 6 && co4_retry_again(&r, CO4_EFULL, &delay); i++)
        printf(" %d", (int)delay);
    puts("");
}

static const char *within(co4_jitter jitter, int low_percent)
{
    co4_retry p = { .delay = 1000,
                    .most = 50000,
                    .backoff = CO4_BACKOFF_EXPONENTIAL,
                    .jitter = jitter,
                    .seed = 7 };
    co4_retrying r;
    int64_t delay, least = CO4_NEVER, most = 0;
    co4_retry_begin(&r, &p);
    for (int i = 0; i < 1000; i++) {
        co4_retry_again(&r, CO4_EFULL, &delay);
        if (i < 10)
            continue;
        least = delay < least ? delay : least;
        most = delay > most ? delay : most;
    }
    if (jitter == CO4_JITTER_DECORRELATED)
        return least >= 1000 && most <= 50000 && most > 10000 ? "within" : "beyond";
    int64_t low = 50000 * low_percent / 100;
    return least >= low && least < low + 2500 && most <= 50000 && most > 47500 ? "within"
                                                                               : "beyond";
}

static int64_t sum_of(uint64_t seed)
{
    co4_retry p = { .delay = CO4_SEC, .jitter = CO4_JITTER_FULL, .seed = seed };
    co4_retrying r;
    int64_t delay, sum = 0;
    co4_retry_begin(&r, &p);
    for (int i = 0; i < 8; i++) {
        co4_retry_again(&r, CO4_EFULL, &delay);
        sum += delay;
    }
    return sum;
}

static const char *others(int64_t a, int64_t b)
{
    return a == b ? "the same" : "others";
}

static void policies(void)
{
    delays("constant", &(co4_retry){ .delay = 10 });
    delays("linear", &(co4_retry){ .delay = 10, .backoff = CO4_BACKOFF_LINEAR, .most = 50 });
    delays("exponential",
           &(co4_retry){ .delay = 10, .backoff = CO4_BACKOFF_EXPONENTIAL, .most = 100 });
    delays("by three",
           &(co4_retry){ .delay = 10, .backoff = CO4_BACKOFF_EXPONENTIAL, .factor = 3 });
    co4_retrying r;
    int64_t delay = 0;
    bool sound = true;
    for (int jitter = CO4_JITTER_NONE; jitter <= CO4_JITTER_DECORRELATED; jitter++) {
        co4_retry huge = { .delay = CO4_NEVER / 3,
                           .backoff = CO4_BACKOFF_EXPONENTIAL,
                           .jitter = (co4_jitter)jitter,
                           .seed = 1 };
        co4_retry_begin(&r, &huge);
        for (int i = 0; i < 100; i++)
            sound = sound && co4_retry_again(&r, CO4_EFULL, &delay) && delay >= 0 &&
                    delay < CO4_NEVER;
    }
    co4_retry never = { .delay = CO4_NEVER, .jitter = CO4_JITTER_DECORRELATED };
    co4_retry_begin(&r, &never);
    sound = sound && co4_retry_again(&r, CO4_EFULL, &delay) && delay > CO4_NEVER / 2;
    printf("huge: %s\n", sound ? "no overflow" : "overflow");
    printf("full: %s, equal: %s, decorrelated: %s\n", within(CO4_JITTER_FULL, 0),
           within(CO4_JITTER_EQUAL, 50), within(CO4_JITTER_DECORRELATED, 0));
    printf("the same seed: %s, another seed: %s, no seed: %s\n", others(sum_of(5), sum_of(5)),
           others(sum_of(5), sum_of(6)), others(sum_of(0), sum_of(0)));
}

static pausable void in_time(void)
{
    struct job j = { 0, 0, 0 };
    int64_t from = co4_now();
    co4_retry p = { .deadline = from + 60 * CO4_SEC,
                    .delay = CO4_MS,
                    .backoff = CO4_BACKOFF_EXPONENTIAL,
                    .factor = 1000 };
    int err = co4_retry_run(&p, attempt(&j, co4_attempt));
    printf("deadline: %s, %s\n", co4_strerror(err),
           j.attempts == 3 && co4_now() - from < 60 * CO4_SEC ? "in time" : "late");
    from = co4_now();
    j = (struct job){ 0, 3, 0 };
    co4_retry_run(&(co4_retry){ .delay = 2 * CO4_MS }, attempt(&j, co4_attempt));
    printf("waited: %s\n", co4_now() - from >= 4 * CO4_MS ? "in time" : "early");
    int refused = 0;
    refused += co4_retry_run(NULL, attempt(&j, co4_attempt)) == CO4_EINVAL;
    refused += co4_retry_run(&(co4_retry){ .attempts = -1 }, attempt(&j, co4_attempt)) ==
               CO4_EINVAL;
    refused += co4_retry_run(&(co4_retry){ .delay = -1 }, attempt(&j, co4_attempt)) == CO4_EINVAL;
    refused += co4_retry_run(&(co4_retry){ .most = -1 }, attempt(&j, co4_attempt)) == CO4_EINVAL;
    refused += co4_retry_run(&(co4_retry){ .jitter = (co4_jitter)9 }, attempt(&j, co4_attempt)) ==
               CO4_EINVAL;
    refused += co4_retry_run(&(co4_retry){ .backoff = (co4_backoff)9 }, attempt(&j, co4_attempt)) ==
               CO4_EINVAL;
    printf("arguments: %d refused\n", refused);
}

int main(void)
{
    co4_run(attempts());
    policies();
    co4_run(in_time());
    co4_retrying r;
    int64_t delay;
    int more = 0;
    co4_retry three = { .attempts = 3 };
    for (co4_retry_begin(&r, &three); co4_retry_again(&r, CO4_EFULL, &delay);)
        more++;
    printf("by hand: %d more\n", more);
    return 0;
}
