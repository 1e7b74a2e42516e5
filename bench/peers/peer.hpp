// peer.hpp - what the peers in C++ have in common beside peer.h: rows of their tables, tasks that are parked.
#ifndef CO4_BENCH_PEER_HPP
#define CO4_BENCH_PEER_HPP

#include "peer.h"

#include <cstddef>
#include <vector>

#define NOINLINE __attribute__((noinline))

// Rows of a program's own yield() and deep<>().
#define PEER_GENERATORS                                                                          \
    { "yield", "ns", yield }, { "deep_yield_4", "ns", deep<4> }, { "deep_yield_8", "ns", deep<8> }, \
        { "deep_yield_12", "ns", deep<12> }, { "deep_yield_16", "ns", deep<16> },                \
        { "deep_yield_20", "ns", deep<20> }

#define PEER_TASKS                                                                               \
    { "ring", "ns", ring }, { "ping_pong", "ns", ping_pong }, { "fan_in", "ns", fan_in },        \
        { "skynet", "ms", skynet }, { "spawn", "ns", spawn }, { "yield_two", "ns", yield_two }

// Resident bytes of a task that waits in a Box(1), which it shares with all or has for its own. start(box, i) begins the i-th, which
// adds its number to `sum` when release(box) has released all its waiters.
template <typename Box, typename Start, typename Release>
double peer_parked(long tasks, bool own, const long &sum, Start start, Release release)
{
    std::vector<Box *> boxes(own ? std::size_t(tasks) : 1);
    for (Box *&box : boxes) // touched, so that the vector does not count
        box = nullptr;
    double before = peer_resident();
    for (long i = 0; i < tasks; i++) {
        std::size_t mine = own ? std::size_t(i) : 0;
        if (boxes[mine] == nullptr)
            boxes[mine] = new Box(1);
        start(*boxes[mine], i);
    }
    double each = (peer_resident() - before) / double(tasks);
    for (Box *box : boxes)
        release(*box);
    bench_check("parked_bytes", sum, tasks * (tasks - 1) / 2);
    for (Box *box : boxes)
        delete box;
    return each;
}

#endif
