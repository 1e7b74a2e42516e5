/* soak.c - the rounds.
 *
 *   soak [--seconds N] [--rounds N] [--seed N] [--quiet]
 *
 * Each round is a runtime with 1 to 4 workers and a window of 1 to 4, all kinds of work at once, a task that cancels some of the others; after it
 * nothing may be left: no task, no pooled object, no block of memory. */
#include "soak.h"

#include <string.h>

enum { CANCELLABLE = 256 };

static unsigned long long round_seed;
static co4_task *cancellable[CANCELLABLE];
static atomic_uint ncancellable;
static atomic_ullong cancelled;

void soak_must(bool holds, const char *what, const char *where, int line)
{
    if (holds)
        return;
    fprintf(stderr, "soak: seed %llu: %s:%d: %s\n", round_seed, where, line, what);
    abort();
}

void soak_may_cancel(co4_task *task)
{
    unsigned i = ncancellable++;
    MUST(i < CANCELLABLE);
    cancellable[i] = co4_task_retain(task);
}

static pausable void canceller(unsigned long long seed)
{
    struct lots l = lots_of(seed, 77);
    unsigned n = ncancellable;
    for (unsigned i = 0; i < n / 3; i++) {
        co4_sleep((1 + lot(&l, 900)) * CO4_US);
        unsigned who = lot(&l, n);
        cancelled += co4_task_cancel(cancellable[who], -1 - (int)lot(&l, 100)) == CO4_OK;
    }
}

static void round_of(unsigned long long seed, unsigned long long *counts)
{
    static const struct work *const works[] = { &soak_messages, &soak_locks, &soak_trees };
    struct lots l = lots_of(seed, 0);
    long long pooled = co4_test_pool_live(), blocks = co4_test_alloc_live();
    round_seed = seed;
    ncancellable = 0;
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 1 + (int)lot(&l, 4),
                                                                 .batch = 1 + (int)lot(&l, 4),
                                                                 .step_budget = lot(&l, 2) ? 0 : 3,
                                                                 .rescue_after = CO4_MS });
    MUST(rt != NULL);
    bool early = lot(&l, 2);
    if (early)
        MUST(co4_runtime_start(rt) == CO4_OK);
    for (unsigned i = 0; i < 3; i++)
        works[i]->begin(rt, seed * 3 + i);
    MUST(co4_runtime_spawn(rt, canceller(seed)) != NULL);
    if (!early)
        MUST(co4_runtime_start(rt) == CO4_OK);
    MUST(co4_runtime_join(rt) == CO4_OK);
    for (unsigned i = 0; i < ncancellable; i++)
        co4_task_release(cancellable[i]);
    for (unsigned i = 0; i < 3; i++)
        counts[i] += works[i]->check();
    MUST(co4_runtime_destroy(rt) == CO4_OK);
    MUST(co4_test_pool_live() == pooled);
    MUST(co4_test_alloc_live() == blocks);
}

static unsigned long long number(const char *text)
{
    char *end;
    unsigned long long n = text ? strtoull(text, &end, 10) : 0;
    if (!text || end == text || *end) {
        fprintf(stderr, "usage: soak [--seconds N] [--rounds N] [--seed N] [--quiet]\n");
        exit(2);
    }
    return n;
}

int main(int argc, char **argv)
{
    unsigned long long seconds = 0, rounds = 0, seed = 1, done = 0, counts[3] = { 0 };
    bool quiet = false;
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--seconds") == 0)
            seconds = number(argv[++i]);
        else if (strcmp(argv[i], "--rounds") == 0)
            rounds = number(argv[++i]);
        else if (strcmp(argv[i], "--seed") == 0)
            seed = number(argv[++i]);
        else if (strcmp(argv[i], "--quiet") == 0)
            quiet = true;
        else
            number(NULL);
    int64_t begin = co4_now(), told = begin;
    int64_t end = seconds ? begin + (int64_t)seconds * CO4_SEC : rounds ? CO4_NEVER : begin;
    do {
        round_of(seed + done, counts);
        done++;
        if (!quiet && co4_now() - told >= 10 * CO4_SEC) {
            told = co4_now();
            printf("%3d s: %llu rounds, %llu messages, %llu turns with locks, %llu tasks in trees, "
                   "%llu "
                   "cancelled\n",
                   (int)((told - begin) / CO4_SEC), done, counts[0], counts[1], counts[2],
                   (unsigned long long)cancelled);
            fflush(stdout);
        }
    } while (co4_now() < end && (rounds == 0 || done < rounds));
    printf(
        "%llu rounds: %llu messages, %llu turns with locks, %llu tasks in trees, %llu cancelled\n",
        done, counts[0], counts[1], counts[2], (unsigned long long)cancelled);
    return 0;
}
