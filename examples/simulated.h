/* simulated.h - what the examples with a simulated network have in common: options, the search.
 *
 *     --seed N    one run          --trace   with what happens in it
 *     --search N  the seeds 1 … N: prints the first one whose run goes wrong
 *     --bug       with the bug that the example describes */
#ifndef SIMULATED_H
#define SIMULATED_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct simulated {
    unsigned long long seed, seeds; /* 0: no such option */
    bool bug, trace;
};

/* One run. Returns NULL, or what has gone wrong. */
typedef const char *simulated_run(unsigned long long seed, bool bug);

static bool simulated_number(const char *text, unsigned long long *n)
{
    errno = 0;
    *n = strtoull(text, NULL, 10);
    return text[strspn(text, "0123456789")] == '\0' && errno == 0 && *n > 0;
}

/* Returns false for an option that makes no sense. */
static bool simulated_options(struct simulated *s, int argc, char **argv)
{
    bool good = true;
    for (int i = 1; i < argc && good; i++)
        if (strcmp(argv[i], "--bug") == 0)
            s->bug = true;
        else if (strcmp(argv[i], "--trace") == 0)
            s->trace = true;
        else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc)
            good = simulated_number(argv[++i], &s->seed);
        else if (strcmp(argv[i], "--search") == 0 && i + 1 < argc)
            good = simulated_number(argv[++i], &s->seeds);
        else
            good = false;
    return good;
}

/* Returns the exit status. */
static int simulated_search(const struct simulated *s, simulated_run *run)
{
    for (unsigned long long seed = 1; seed <= s->seeds; seed++) {
        const char *wrong = run(seed, s->bug);
        if (wrong) {
            printf("seed %llu: %s\n", seed, wrong);
            return 1;
        }
    }
    printf("%llu seeds: nothing wrong\n", s->seeds);
    return 0;
}

#endif
