/* calls.c - pausable calls that do not pause: what the check after each call costs. */
#include "bench.h"

#include <co4.h>

#define NOINLINE __attribute__((noinline))

pausable NOINLINE int fib(int n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

pausable NOINLINE int tak(int x, int y, int z)
{
    if (y >= x)
        return z;
    return tak(tak(x - 1, y, z), tak(y - 1, z, x), tak(z - 1, x, y));
}

pausable NOINLINE int ackermann(int m, int n)
{
    if (m == 0)
        return n + 1;
    if (n == 0)
        return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

enum { FIB = 32, FIB_IS = 2178309, FIB_CALLS = 7049155, TAK_CALLS = 63609 };
enum { ACK_IS = 1021, ACK_CALLS = 693964 };

#define MEASURE(what, call, times, calls, is)                                                      \
    do {                                                                                           \
        double begin = bench_now();                                                                \
        for (long i = 0; i < (times); i++)                                                         \
            bench_check(what, (call), (is));                                                       \
        return (bench_now() - begin) * 1e9 / ((double)(times) * (calls));                          \
    } while (0)

static double run_fib(long times)
{
    MEASURE("fib", co4_run(fib(FIB)), times, FIB_CALLS, FIB_IS);
}
static double base_fib(long times)
{
    MEASURE("fib", plain_fib(FIB), times, FIB_CALLS, FIB_IS);
}
static double run_tak(long times)
{
    MEASURE("tak", co4_run(tak(18, 12, 6)), times, TAK_CALLS, 7);
}
static double base_tak(long times)
{
    MEASURE("tak", plain_tak(18, 12, 6), times, TAK_CALLS, 7);
}
static double run_ack(long times)
{
    MEASURE("ackermann", co4_run(ackermann(3, 7)), times, ACK_CALLS, ACK_IS);
}
static double base_ack(long times)
{
    MEASURE("ackermann", plain_ackermann(3, 7), times, ACK_CALLS, ACK_IS);
}

const bench_workload bench_calls[] = {
    { "call_fib", "ns", run_fib, base_fib, 3, 0 },
    { "call_tak", "ns", run_tak, base_tak, 50, 0 },
    { "call_ackermann", "ns", run_ack, base_ack, 5, 0 },
    { 0 },
};
