/* thread_locals.c - variables that a thread, or a task, has for itself: thread-locals of all forms,
 * the locale, and modes of floating point. */
#define _GNU_SOURCE
#include "thread_locals.h"

#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "job.h"

enum { LARGE = 1 << 20 };

static __thread int counter;
static __thread int first = 7, *to_first;
static __thread const int fixed = 3;
static __thread _Atomic long atom = 40;
static __thread volatile unsigned char bytes[4] = { 1, 2 };
static __thread int (*chosen)(void) = next_serial;
static _Thread_local char large[LARGE];
static __thread struct {
    int counter; /* a member of the same name */
    struct both *inner;
} holder = { 9, NULL };
static pthread_key_t key;
static int ended;

#define BUMP(x)       ((x) += 1)
#define SWAPPED(a, b) ((b), (a))

static int late(int n)
{
    usleep(500);
    return n;
}

static int values(int i)
{
    if (counter != 0 || first != 7 || fixed != 3 || atom != 40 || bytes[1] != 2 || outside != 11 ||
        outsides[2] != 3 || pair.number != 5 || strcmp(pair.text, "five") != 0 || wide[0] != 'w' ||
        holder.counter != 9 || to_first != NULL || large[LARGE - 1] != 0)
        return 1;
    counter = i;
    first += i;
    to_first = &first;
    atom -= i;
    bytes[3] = (unsigned char)i;
    outside += late(i);
    outsides[late(1)] = i;
    pair = (struct both){ late(i), "other" };
    holder.inner = &pair;
    holder.counter = late(i) + counter;
    large[LARGE - 1] = (char)i;
    BUMP(counter);
    usleep(2000);
    if (counter != i + 1 || *to_first != 7 + i || to_first != &first || atom != 40 - i ||
        bytes[3] != i || outside != 11 + i || outsides[1] != i || outsides[0] != 1)
        return 2;
    if (pair.number != i || holder.inner != &pair || holder.inner->number != i ||
        holder.counter != 2 * i || large[LARGE - 1] != (char)i || (uintptr_t)wide % 64 != 0 ||
        sizeof pair != 16 || sizeof bytes != 4)
        return 4;
    {
        int counter = 1000, *p = &counter; /* hides the other */
        usleep(100);
        if (++*p != 1001 || counter != 1001)
            return 8;
    }
    __typeof__(counter) copy = SWAPPED(counter, usleep(100));
    return copy == i + 1 ? 0 : 16;
}

static int of_functions(int i)
{
    static __thread int calls;
    const char *text = spelled(i);
    int *place = own_place();
    char wanted[16];
    for (int k = 1; k <= 5; k++) {
        if (next_serial() != 100 + 2 * k - 1 || chosen() != 100 + 2 * k || ++calls != k)
            return 1;
        usleep(300);
    }
    snprintf(wanted, sizeof wanted, "<%d>", i);
    if (strcmp(text, wanted) != 0 || text != spelled(i) || place != own_place() ||
        place != &outside)
        return 2;
    *place = i;
    usleep(500);
    return outside == i ? 0 : 4;
}

static __thread int direction;

static int compare(const void *a, const void *b)
{
    counter++;
    return (*(const int *)a - *(const int *)b) * direction;
}

static int called_back(int i)
{
    int numbers[] = { 3, 1, 2, 5, 4 };
    direction = i % 2 ? 1 : -1;
    usleep(500);
    qsort(numbers, 5, sizeof *numbers, compare);
    return numbers[0] == (i % 2 ? 1 : 5) && counter > 0 ? 0 : 1;
}

/* A system call writes it. */
static int by_address(int i)
{
    static __thread char byte;
    int ends[2];
    char in = (char)(i + 1);
    if (pipe(ends) != 0)
        return 1;
    usleep(500);
    if (write(ends[1], &in, 1) != 1 || read(ends[0], &byte, 1) != 1)
        return 2;
    usleep(500);
    close(ends[0]);
    close(ends[1]);
    return byte == in ? 0 : 4;
}

static void end_value(void *value)
{
    __atomic_fetch_add(&ended, counter == (int)(intptr_t)value ? 1 : 100, __ATOMIC_RELAXED);
}

static int in_destructors(int i)
{
    pthread_setspecific(key, (void *)(intptr_t)(i + 1));
    usleep(500);
    counter = i + 1;
    return 0;
}

static int in_handlers(int i)
{
    for (int k = 0; k < i; k++) {
        raise(SIGUSR1);
        usleep(100);
    }
    return signals() == i ? 0 : 1;
}

static void leave(int *n)
{
    counter += *n;
}

static int in_cleanups(int i)
{
    {
        __attribute__((cleanup(leave))) int n = i;
        usleep(500);
    }
    return counter == i ? 0 : 1;
}

static int rounded(int i)
{
    static const int modes[] = { FE_UPWARD, FE_DOWNWARD, FE_TONEAREST, FE_TOWARDZERO };
    volatile double one = 1, three = 3;
    if (fegetround() != FE_TONEAREST || fetestexcept(FE_ALL_EXCEPT) != 0)
        return 1;
    fesetround(modes[i % 4]);
    double before = one / three;
    if (i % 2)
        feraiseexcept(FE_OVERFLOW);
    usleep(1000);
    double after = one / three;
    return before == after && fegetround() == modes[i % 4] && !fetestexcept(FE_OVERFLOW) == !(i % 2)
               ? 0
               : 2;
}

static int in_locales(int i)
{
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t wide_one = newlocale(LC_ALL_MASK, "C.UTF-8", (locale_t)0);
    locale_t mine = i % 2 ? c : wide_one;
    if (uselocale((locale_t)0) != LC_GLOBAL_LOCALE || uselocale(mine) != LC_GLOBAL_LOCALE)
        return 1;
    usleep(1000);
    int r = uselocale((locale_t)0) == mine && MB_CUR_MAX == (i % 2 ? 1 : 6) ? 0 : 2;
    uselocale(LC_GLOBAL_LOCALE);
    freelocale(c);
    freelocale(wide_one);
    return r;
}

/* In the lengths of parameters, of functions that wait and that do not. */
static __thread int width = 3;

static int sized(int n, int a[n][width], int (*b)[width + n])
{
    usleep(100);
    return (int)(sizeof a[0] / sizeof a[0][0] * 100 + sizeof *b / sizeof **b);
}

static int sized_without_wait(int a[][width])
{
    return (int)(sizeof a[0] / sizeof a[0][0]);
}

static int in_lengths(int i)
{
    static int room[100];
    int was = width;
    width = 3 + i;
    usleep(500);
    int r = sized(2, (int(*)[width])room, (int(*)[width + 2]) room) == width * 100 + width + 2 ? 0
                                                                                               : 1;
    r |= sized_without_wait((int(*)[width])room) == 3 + i ? 0 : 2;
    return was == 3 ? r : 4;
}

const struct job jobs[] = { { "values", values, 20, NULL },
                            { "of_functions", of_functions, 20, NULL },
                            { "called_back", called_back, 20, NULL },
                            { "by_address", by_address, 20, NULL },
                            { "in_destructors", in_destructors, 20, NULL },
                            { "in_handlers", in_handlers, 8, NULL },
                            { "in_cleanups", in_cleanups, 8, NULL },
                            { "rounded", rounded, 20, NULL },
                            { "in_locales", in_locales, 20, NULL },
                            { "in_lengths", in_lengths, 20, NULL },
                            { 0 } };

void begin_job(const struct job *job)
{
    static bool begun;
    (void)job;
    if (!begun &&
        (pthread_key_create(&key, end_value) != 0 || signal(SIGUSR1, count_signal) == SIG_ERR))
        abort();
    begun = true;
}

void end_job(const struct job *job, int result)
{
    printf("%s: %d", job->name, result);
    if (strcmp(job->name, "in_destructors") == 0)
        printf(", ended %d", ended);
    printf(", here %d %d %d\n", counter, first, fegetround() == FE_TONEAREST);
}
