/* failing.h - each allocation of a program fails in turn, once and for good.
 *
 * The program includes this once, and is linked with
 * -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=strdup,--wrap=free */
#ifndef FAILING_H
#define FAILING_H

#include <co4.h>
#include <co4/test.h>
#include <co4/time.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- allocations that fail ---- */

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
void __real_free(void *p);

static _Atomic long left; /* 0: none fails; n: the n-th does; negative: so do those behind it */
static _Atomic long live;
static bool for_good;

static bool fails(void)
{
    if (left == 0)
        return false;
    if (left < 0)
        return true;
    if (--left > 0)
        return false;
    left = for_good ? -1 : 0;
    return true;
}

void *__wrap_malloc(size_t bytes)
{
    void *p = fails() ? NULL : __real_malloc(bytes);
    live += p != NULL;
    return p;
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    void *p = fails() ? NULL : __real_calloc(count, bytes);
    live += p != NULL;
    return p;
}

void *__wrap_realloc(void *old, size_t bytes)
{
    void *p = fails() ? NULL : __real_realloc(old, bytes);
    live += p != NULL && !old;
    return p;
}

char *__wrap_strdup(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = __wrap_malloc(bytes);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

void __wrap_free(void *p)
{
    live -= p != NULL;
    __real_free(p);
}

/* ---- the program ---- */

static int steps; /* that were done without an error */

static bool done(int code)
{
    steps += code == CO4_OK;
    return code == CO4_OK;
}

static int64_t patience = 5 * CO4_SEC; /* short, when something fails */
#define BRIEF (co4_now() + patience)

/* What is done again and again: with done() for each step. */
pausable int run_once(const char *url);

/* ---- each in turn ---- */

static void hangs(int signo)
{
    static const char text[] = "it hangs\n";
    (void)signo;
    _exit(write(2, text, sizeof text - 1) > 0 ? 3 : 4);
}

/* Objects of the library, and descriptors. */
static long long used(void)
{
    int descriptors = 0;
    for (int fd = 0; fd < 256; fd++)
        descriptors += fcntl(fd, F_GETFD) >= 0;
    return co4_test_pool_live() + co4_test_alloc_live() + descriptors;
}

/* Fails the n-th allocation of a kind, up to the last. */
static void sweep(const char *name, const char *url, bool frames, bool good)
{
    int failed = 0, leaks = 0, all;
    signal(SIGALRM, hangs);
    long iteration;
    for_good = good;
    long blocks = 0, before = 0;
    for (int i = 0; i < 4; i++) { /* what is made once */
        co4_run(run_once(url));
        before = blocks;
        blocks = live;
    }
    all = steps;
    /* Where pools keep no memory, for a sanitizer, that tool counts the blocks. */
    bool exact = blocks == before;
    long long objects = used();
    bool again = true;
    patience = 40 * CO4_MS;
    for (iteration = 1; again && iteration < 5000; iteration++) {
        bool leaked = true;
        /* What the runtime keeps grows once; a leak grows each time. */
        for (int trial = 0; trial < 3 && leaked; trial++) {
            int code = CO4_OK;
            alarm(60);
            if (frames)
                co4_test_fail_alloc(good ? -iteration : iteration);
            else
                left = iteration;
            co4_run_checked(&code, run_once(url));
            long rest = frames ? co4_test_fail_alloc(0) : left;
            again = (frames && good ? rest == -1 : rest <= 0) || steps < all; /* or it took long */
            left = 0;
            failed += steps < all || code != CO4_OK;
            leaked = used() != objects || (exact && live > blocks);
            if (leaked && trial == 2)
                fprintf(stderr, "%s, %ld: %lld objects, %ld blocks more, %d of %d steps\n", name,
                        iteration, used() - objects, live - blocks, steps, all);
            objects = used();
            blocks = live > blocks ? live : blocks;
        }
        leaks += leaked;
    }
    patience = 5 * CO4_SEC;
    co4_run(run_once(url));
    alarm(0);
    printf("%s: some failed: %d, %d leaks; all %s\n", name, failed > 0, leaks,
           steps == all ? "is well at the end" : "is not well at the end");
    fprintf(stderr, "%s: %ld allocations, %d failed%s\n", name, iteration - 1, failed,
            exact ? "" : ", blocks are not counted");
}

#endif
