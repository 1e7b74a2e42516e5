// coroutine2.cpp - Boost.Coroutine2: generators, with the library's own stacks.
#include "../peer.hpp"

#include <boost/coroutine2/coroutine.hpp>

namespace
{

typedef boost::coroutines2::coroutine<long> coroutine;

double yield(long values)
{
    double begin = bench_now();
    coroutine::pull_type source([values](coroutine::push_type &sink) {
        for (long i = 0; i < values; i++)
            sink(i);
    });
    long sum = 0;
    for (; source; source())
        sum += source.get();
    bench_check("yield", sum, values * (values - 1) / 2);
    return peer_ns(begin, double(values));
}

NOINLINE void walk(coroutine::push_type &sink, long first, int depth)
{
    if (depth == 0)
        return;
    long node = first + (1L << (depth - 1)) - 1;
    walk(sink, first, depth - 1);
    sink(node);
    walk(sink, node + 1, depth - 1);
}

template <int depth> double deep(long at_least)
{
    long nodes = (1L << depth) - 1, times = at_least / nodes + 1, sum = 0;
    double begin = bench_now();
    coroutine::pull_type source([times](coroutine::push_type &sink) {
        for (long i = 0; i < times; i++)
            walk(sink, 0, depth);
    });
    for (; source; source())
        sum += source.get();
    bench_check("deep_yield", sum, times * (nodes * (nodes - 1) / 2));
    return peer_ns(begin, double(nodes) * double(times));
}

} // namespace

int main(int argc, char **argv)
{
    static const peer_workload workloads[] = {
        PEER_GENERATORS,
        { nullptr, nullptr, nullptr },
    };
    return peer_main(argc, argv, workloads);
}
