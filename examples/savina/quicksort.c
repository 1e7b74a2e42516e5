/* quicksort.c - parts are sorted by tasks of their own, down to a size below which it does not pay.
 *
 *     quicksort [N]      500000 when absent */
#include "savina.h"

enum { SMALL = 2048 };

static int by_value(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

/* Moves items below the middle one to the front. Returns how many, or one place more than any. */
static size_t divide(unsigned *items, size_t n)
{
    unsigned pivot = items[n / 2];
    size_t i = 0, j = n - 1;
    for (;; i++, j--) {
        while (items[i] < pivot)
            i++;
        while (items[j] > pivot)
            j--;
        if (i >= j)
            return j + 1;
        unsigned moved = items[i];
        items[i] = items[j];
        items[j] = moved;
    }
}

static pausable int sort(unsigned *items, size_t n)
{
    if (n <= SMALL) {
        qsort(items, n, sizeof *items, by_value);
        return CO4_OK;
    }
    size_t front = divide(items, n);
    co4_future *other = co4_async(sort(items, front));
    if (!other)
        return CO4_ENOMEM;
    int err = sort(items + front, n - front), code = co4_future_await(other, NULL);
    co4_future_release(other);
    return err < 0 ? err : code;
}

static pausable int all(unsigned *items, size_t n)
{
    return sort(items, n);
}

int main(int argc, char **argv)
{
    size_t n = (size_t)argument(argc, argv, 1, 500000, 1, 100000000);
    unsigned *items = made(malloc(n * sizeof *items)), seed = 1;
    unsigned long long before = 0, after = 0;
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++)
        before += items[i] = random_next(&seed);
    ON_ALL_PROCESSORS(all(items, n));
    for (size_t i = 0; i < n; i++) {
        after += items[i];
        wrong += i > 0 && items[i - 1] > items[i];
    }
    free(items);
    printf("%zu numbers, %zu out of order\n", n, wrong);
    return wrong != 0 || before != after;
}
