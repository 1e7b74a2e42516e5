/* plain.c - plain C, and state machines written by hand on a run queue of one thread: the bases of
 * bench/plain.c, alone. */
#define _POSIX_C_SOURCE 200809L
#include "../../bench.h"
#include "../peer.h"

static double call_fib(long times)
{
    double begin = bench_now();
    for (long i = 0; i < times; i++)
        bench_check("fib", plain_fib(PEER_FIB), PEER_FIB_IS);
    return peer_ns(begin, (double)times * PEER_FIB_CALLS);
}

static double call_tak(long times)
{
    double begin = bench_now();
    for (long i = 0; i < times; i++)
        bench_check("tak", plain_tak(18, 12, 6), PEER_TAK_IS);
    return peer_ns(begin, (double)times * PEER_TAK_CALLS);
}

static double call_ackermann(long times)
{
    double begin = bench_now();
    for (long i = 0; i < times; i++)
        bench_check("ackermann", plain_ackermann(3, 7), PEER_ACK_IS);
    return peer_ns(begin, (double)times * PEER_ACK_CALLS);
}

static double yield(long values)
{
    double begin = bench_now();
    bench_check("yield", plain_generator(values), values * (values - 1) / 2);
    return peer_ns(begin, (double)values);
}

static double deep(int depth, long at_least)
{
    long nodes = (1L << depth) - 1, times = at_least / nodes + 1, sum = 0;
    double begin = bench_now();
    for (long i = 0; i < times; i++)
        sum += plain_walk(depth);
    bench_check("deep_yield", sum, times * (nodes * (nodes - 1) / 2));
    return peer_ns(begin, (double)nodes * (double)times);
}
static double deep_4(long nodes)
{
    return deep(4, nodes);
}
static double deep_8(long nodes)
{
    return deep(8, nodes);
}
static double deep_12(long nodes)
{
    return deep(12, nodes);
}
static double deep_16(long nodes)
{
    return deep(16, nodes);
}
static double deep_20(long nodes)
{
    return deep(20, nodes);
}

static double ring(long hops)
{
    double begin = bench_now();
    plain_ring(PEER_RING, hops);
    return peer_ns(begin, (double)hops);
}

static double ping_pong(long rounds)
{
    double begin = bench_now();
    plain_ping_pong(rounds);
    return peer_ns(begin, (double)rounds);
}

static double fan_in(long each)
{
    double begin = bench_now();
    bench_check("fan_in", plain_fan_in(PEER_PRODUCERS, each),
                PEER_PRODUCERS * (each * (each + 1) / 2));
    return peer_ns(begin, (double)PEER_PRODUCERS * (double)each);
}

static double skynet(long leaves)
{
    double begin = bench_now();
    bench_check("skynet", plain_skynet(leaves), leaves * (leaves - 1) / 2);
    return (bench_now() - begin) * 1e3;
}

static double spawn(long count)
{
    double begin = bench_now();
    bench_check("spawn", plain_spawn(count), count);
    return peer_ns(begin, (double)count);
}

static double yield_two(long each)
{
    double begin = bench_now();
    plain_yield_two(each);
    return peer_ns(begin, 2.0 * (double)each);
}

static double select_8(long each)
{
    double begin = bench_now();
    bench_check("select_8", plain_select(PEER_PRODUCERS, each),
                PEER_PRODUCERS * (each * (each + 1) / 2));
    return peer_ns(begin, (double)PEER_PRODUCERS * (double)each);
}

static double timer_cancel(long count)
{
    double begin = bench_now();
    bench_check("timer_cancel", plain_timers(count, true), count);
    return peer_ns(begin, (double)count);
}

static double timer_fire(long count)
{
    double begin = bench_now();
    bench_check("timer_fire", plain_timers(count, false), count);
    return peer_ns(begin, (double)count);
}

static double nqueens(long n)
{
    double begin = bench_now();
    bench_check("nqueens", plain_queens((1u << n) - 1, 0, 0, 0), plain_queens_solutions((int)n));
    return (bench_now() - begin) * 1e3;
}

static double matmul(long n)
{
    struct peer_product p = peer_product_new(n);
    double begin = bench_now();
    plain_multiply(p.c, p.a, p.b, (int)n, (int)n);
    double ms = (bench_now() - begin) * 1e3;
    peer_product_check(&p, n);
    return ms;
}

static double parked(long count)
{
    return plain_parked_bytes(count, 0);
}
static double parked_own(long count)
{
    return plain_parked_bytes(count, 1);
}

int main(int argc, char **argv)
{
    static const peer_workload workloads[] = {
        { "call_fib", "ns", call_fib },
        { "call_tak", "ns", call_tak },
        { "call_ackermann", "ns", call_ackermann },
        { "yield", "ns", yield },
        { "deep_yield_4", "ns", deep_4 },
        { "deep_yield_8", "ns", deep_8 },
        { "deep_yield_12", "ns", deep_12 },
        { "deep_yield_16", "ns", deep_16 },
        { "deep_yield_20", "ns", deep_20 },
        { "ring", "ns", ring },
        { "ping_pong", "ns", ping_pong },
        { "fan_in", "ns", fan_in },
        { "select_8", "ns", select_8 },
        { "timer_cancel", "ns", timer_cancel },
        { "timer_fire", "ns", timer_fire },
        { "nqueens", "ms", nqueens },
        { "matmul", "ms", matmul },
        { "skynet", "ms", skynet },
        { "spawn", "ns", spawn },
        { "yield_two", "ns", yield_two },
        { "parked_bytes", "bytes", parked },
        { "parked_own_bytes", "bytes", parked_own },
        { NULL, NULL, NULL },
    };
    return peer_main(argc, argv, workloads);
}
