/* not_crossing - variable-length arrays, va_list, alloca-free blocks and over-aligned locals are
 * fine between points.
 * expect: 6 33 2 */
#include <co4.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static int sum(int count, ...)
{
    va_list args;
    int total = 0;
    va_start(args, count);
    while (count-- > 0)
        total += va_arg(args, int);
    va_end(args);
    return total;
}

static pausable int squares(int n)
{
    wait_for(n);
    int total = 0;
    {
        int values[n];
        for (int i = 0; i < n; i++)
            values[i] = i * i;
        for (int i = 0; i < n; i++)
            total += values[i];
    }
    total += wait_for(1);
    for (int i = 1; i < 3; i++) {
        wait_for(i);
        if (n > 2) {
            char text[n + i];
            total += snprintf(text, sizeof text, "%d", i);
        }
    }
    return total;
}

static pausable int aligned(void)
{
    int ok;
    wait_for(0);
    {
        _Alignas(64) char bytes[64] = { 1 };
        ok = (uintptr_t)bytes % 64 == 0 && bytes[0];
    }
    return ok + wait_for(1);
}

static pausable void work(void)
{
    printf("%d %d %d\n", sum(3, wait_for(1), wait_for(2), 3), squares(5), aligned());
}

int main(void)
{
    co4_run(work());
    return 0;
}
