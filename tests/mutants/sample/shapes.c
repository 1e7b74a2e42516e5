/* shapes.c - each shape in which faults.py finds faults, where every one of them shows in what main
 * prints. See check. */
#include "sample.h"

#include <string.h>

int between(int low, int n, int high)
{
    if (n < low || n > high)
        return n - low - high;
    return 100 * low + 10 * n + high;
}

int both(int a, int b)
{
    return a > 0 && b > 0 ? a + b : a - b - 9;
}

bool is_even(int n)
{
    bool even = true;
    while (n > 0) {
        even = !even;
        n--;
    }
    return even;
}

const char *name_of(enum shape shape)
{
    const char *name = "?";
    switch (shape) {
    case ROUND:
        return "round";
    case SQUARE:
        name = "square";
        break;
    case FLAT:
        return "flat";
    default:
        name = "none";
        break;
    }
    return name;
}

static int times(int n, int what)
{
    int product = 0;
    if (n == 0)
        return -what;
    do
        product += what;
    while (--n != 0);
    return product;
}

static int total;

static void add(int n)
{
    if (n == 7)
        return;
    total += n;
}

int sums(const int *items, size_t n)
{
    total = 0;
    for (size_t i = 0; i < n; i++) {
        if (items[i] == 5)
            continue;
        if (items[i] < 0)
            break;
        add(items[i]);
    }
    if (total == 12)
        goto out;
    total = times(3, 5) + times(0, 8) - total;
out:
    return total - (int)strlen(name_of(FLAT));
}
