/* soak.c - the rounds.
 *
 *   soak [--seconds N] [--rounds N] [--seed N] [--only WORK] [--quiet]
 *
 * Each round is a runtime with 1 to 4 workers, a window of 1 to 4 and one of the policies, all
 * kinds of work at once, a task that cancels some of the others; after it nothing may be left: no
 * task, no pooled object, no block of memory. A round that does not end is dumped. */
#include "soak.h"

#include <sched.h>
#include <signal.h>
#include <unistd.h>

enum { CANCELLABLE = 256, WORKS = 9, PATIENCE = 250 /* seconds */ };

static const struct work *const works[WORKS] = { &soak_messages, &soak_locks,   &soak_trees,
                                                 &soak_news,     &soak_flows,   &soak_actors,
                                                 &soak_times,    &soak_sockets, &soak_outside };

static unsigned long long round_seed;
static co4_task *cancellable[CANCELLABLE];
static atomic_uint ncancellable;
static atomic_ullong cancelled;
static struct lots placing; /* of the thread that begins a round */

void soak_must(bool holds, const char *what, const char *where, int line)
{
    if (holds)
        return;
    fprintf(stderr, "soak: seed %llu: %s:%d: %s\n", round_seed, where, line, what);
    abort();
}

void soak_start(co4_runtime *rt, co4_task *t, int may_cancel)
{
    MUST(t != NULL);
    if (may_cancel == SOAK_MAY_CANCEL) {
        unsigned i = ncancellable++;
        MUST(i < CANCELLABLE);
        cancellable[i] = co4_task_retain(t);
    }
    if (lot(&placing, 8) == 0)
        MUST(co4_task_pin(t, (int)lot(&placing, (unsigned)co4_runtime_workers(rt))) == CO4_OK);
    MUST(co4_runtime_schedule(rt, t) == CO4_OK);
    co4_task_release(t);
}

static int swallow(void *unused, const char *text, size_t bytes)
{
    (void)unused;
    MUST(text != NULL && bytes > 0);
    return CO4_OK;
}

/* Cancels some of them, and has some go to another worker; now and then looks at all. */
static pausable void canceller(unsigned long long seed, int workers)
{
    struct lots l = lots_of(seed, 77);
    unsigned n = ncancellable;
    for (unsigned i = 0; i < n / 3; i++) {
        co4_sleep((1 + lot(&l, 600)) * CO4_US);
        co4_task *who = cancellable[lot(&l, n)];
        MUST(co4_task_pin(cancellable[lot(&l, n)], (int)lot(&l, (unsigned)workers + 1) - 1) ==
             CO4_OK);
        if (lot(&l, 8) == 0) {
            co4_watch((int)lot(&l, 2));
            MUST(co4_dump(NULL, swallow, NULL) == CO4_OK);
        }
        cancelled += co4_task_cancel(who, -1 - (int)lot(&l, 100)) == CO4_OK;
    }
}

static void round_of(unsigned long long seed, const char *only, unsigned long long *counts)
{
    static const co4_policy *const policies[] = { NULL, &co4_policy_least_loaded,
                                                  &co4_policy_round_robin };
    struct lots l = lots_of(seed, 0);
    long long pooled = co4_test_pool_live(), blocks = co4_test_alloc_live();
    round_seed = seed;
    ncancellable = 0;
    placing = lots_of(seed, 78);
    co4_runtime *rt = co4_runtime_create(
        &(co4_runtime_options){ .workers = 1 + (int)lot(&l, 4),
                                .batch = 1 + (int)lot(&l, 4),
                                .step_budget = lot(&l, 2) ? 0 : 3,
                                .policy = policies[lot(&l, 3)],
                                .rescue_after = lot(&l, 2) ? CO4_MS : -1 });
    MUST(rt != NULL);
    bool early = lot(&l, 2);
    if (early)
        MUST(co4_runtime_start(rt) == CO4_OK);
    for (unsigned i = 0; i < WORKS; i++)
        if (!only || strcmp(only, works[i]->name) == 0)
            works[i]->begin(rt, seed * WORKS + i);
    MUST(co4_runtime_spawn(rt, canceller(seed, co4_runtime_workers(rt))) != NULL);
    if (!early)
        MUST(co4_runtime_start(rt) == CO4_OK);
    MUST(co4_runtime_join(rt) == CO4_OK);
    co4_watch(0);
    for (unsigned i = 0; i < ncancellable; i++)
        co4_task_release(cancellable[i]);
    for (unsigned i = 0; i < WORKS; i++)
        if (!only || strcmp(only, works[i]->name) == 0)
            counts[i] += works[i]->check();
    MUST(co4_runtime_destroy(rt) == CO4_OK);
    MUST(co4_blocking_stop() == CO4_OK);
    MUST(co4_test_pool_live() == pooled);
    MUST(co4_test_alloc_live() == blocks);
}

static void tell(unsigned long long rounds, const unsigned long long *counts)
{
    printf("%llu rounds:", rounds);
    for (unsigned i = 0; i < WORKS; i++)
        printf(" %llu %s,", counts[i], works[i]->unit);
    printf(" %llu cancelled\n", (unsigned long long)cancelled);
    fflush(stdout);
}

static int dump(void *unused, const char *text, size_t bytes)
{
    static bool told;
    (void)unused;
    if (!told)
        fprintf(stderr, "soak: seed %llu: this round does not end\n", round_seed);
    told = true;
    return fwrite(text, 1, bytes, stderr) == bytes ? CO4_OK : CO4_ECLOSED;
}

static unsigned long long number(const char *text)
{
    char *end;
    unsigned long long n = text ? strtoull(text, &end, 10) : 0;
    if (!text || end == text || *end) {
        fprintf(stderr,
                "usage: soak [--seconds N] [--rounds N] [--seed N] [--only WORK] [--quiet]\n");
        exit(2);
    }
    return n;
}

int main(int argc, char **argv)
{
    unsigned long long seconds = 0, rounds = 0, seed = 1, done = 0, counts[WORKS] = { 0 };
    const char *only = NULL;
    bool quiet = false;
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--seconds") == 0)
            seconds = number(argv[++i]);
        else if (strcmp(argv[i], "--rounds") == 0)
            rounds = number(argv[++i]);
        else if (strcmp(argv[i], "--seed") == 0)
            seed = number(argv[++i]);
        else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
            only = argv[++i];
        else if (strcmp(argv[i], "--quiet") == 0)
            quiet = true;
        else
            number(NULL);
    soak_sockets_prepare();
    soak_outside_prepare();
    long long before = co4_test_alloc_live();
    int watched = co4_dump_on_signal(SIGALRM, dump, NULL);
    while (co4_test_alloc_live() != before) /* until the thread that dumps has begun */
        sched_yield();
    int64_t begin = co4_now(), told = begin;
    int64_t end = seconds ? begin + (int64_t)seconds * CO4_SEC : rounds ? CO4_NEVER : begin;
    do {
        if (watched == CO4_OK)
            alarm(PATIENCE);
        round_of(seed + done, only, counts);
        done++;
        if (!quiet && co4_now() - told >= 10 * CO4_SEC) {
            told = co4_now();
            printf("%3d s: ", (int)((told - begin) / CO4_SEC));
            tell(done, counts);
        }
    } while (co4_now() < end && (rounds == 0 || done < rounds));
    alarm(0);
    if (watched == CO4_OK)
        co4_dump_on_signal(SIGALRM, NULL, NULL);
    tell(done, counts);
    soak_outside_end();
    return 0;
}
