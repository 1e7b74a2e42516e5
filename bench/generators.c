/* generators.c - yielding: from one function, and from the depths of a recursion. */
#include "bench.h"

#include <co4.h>

pausable void count(long n)
{
    for (long i = 0; i < n; i++)
        co4_gen_yield(&i);
}

/* In-order walk of a perfect binary tree of `depth` levels, numbered from `first`. */
pausable void walk(long first, int depth)
{
    if (depth == 0)
        return;
    long left = (1L << (depth - 1)) - 1, node = first + left;
    walk(first, depth - 1);
    co4_gen_yield(&node);
    walk(node + 1, depth - 1);
}

pausable void walk_often(int depth, long times)
{
    for (long i = 0; i < times; i++)
        walk(0, depth);
}

static long drain(co4_gen *g)
{
    long sum = 0, value;
    while (co4_gen_next(g, &value) == CO4_OK)
        sum += value;
    co4_gen_destroy(g);
    return sum;
}

enum { YIELDS = 20 * 1000 * 1000, NODES = 4 * 1000 * 1000 };

static double run_yield(long yields)
{
    double begin = bench_now();
    bench_check("yield", drain(co4_generate(count(yields))), yields * (yields - 1) / 2);
    return (bench_now() - begin) * 1e9 / (double)yields;
}

static double base_yield(long yields)
{
    double begin = bench_now();
    bench_check("yield", plain_generator(yields), yields * (yields - 1) / 2);
    return (bench_now() - begin) * 1e9 / (double)yields;
}

static double deep(int depth, long at_least, int plain)
{
    long nodes = (1L << depth) - 1, times = at_least / nodes + 1, sum = 0;
    double begin = bench_now();
    if (plain)
        for (long i = 0; i < times; i++)
            sum += plain_walk(depth);
    else
        sum = drain(co4_generate(walk_often(depth, times)));
    double end = bench_now();
    bench_check("deep_yield", sum, times * (nodes * (nodes - 1) / 2));
    return (end - begin) * 1e9 / ((double)nodes * (double)times);
}

#define DEEP(depth)                                                                                \
    static double run_deep_##depth(long nodes)                                                     \
    {                                                                                              \
        return deep(depth, nodes, 0);                                                              \
    }                                                                                              \
    static double base_deep_##depth(long nodes)                                                    \
    {                                                                                              \
        return deep(depth, nodes, 1);                                                              \
    }
DEEP(4)
DEEP(8)
DEEP(12)
DEEP(16)
DEEP(20)

const bench_workload bench_generators[] = {
    { "yield", "ns", run_yield, base_yield, YIELDS, 0 },
    { "deep_yield_4", "ns", run_deep_4, base_deep_4, NODES, 0 },
    { "deep_yield_8", "ns", run_deep_8, base_deep_8, NODES, 0 },
    { "deep_yield_12", "ns", run_deep_12, base_deep_12, NODES, 0 },
    { "deep_yield_16", "ns", run_deep_16, base_deep_16, NODES, 0 },
    { "deep_yield_20", "ns", run_deep_20, base_deep_20, NODES, 0 },
    { 0 },
};
