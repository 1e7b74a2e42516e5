// caf.cpp - CAF, the C++ Actor Framework: event-based actors on its scheduler.
//
// Mailboxes have no bound, so a fast sender is not held back. There is no generator: an actor is no function that waits.
#include "../../bench.h"
#include "../peer.hpp"

#include <caf/all.hpp>
#include <chrono>
#include <cstdint>
#include <vector>

namespace
{

using caf::actor;
using caf::event_based_actor;
using std::int32_t;
using std::int64_t;

struct config : caf::actor_system_config {
    config()
    {
        set("scheduler.max-threads", std::size_t(peer_workers));
    }
};

// Receives a message for the main thread.
int64_t next_message(caf::scoped_actor &self)
{
    int64_t got = 0;
    self->receive([&](int64_t value) { got = value; });
    return got;
}

actor main_of(caf::scoped_actor &self)
{
    return caf::actor_cast<actor>(self);
}

// ---- messages ----

struct member_state {
    actor next;
};

caf::behavior ring_member(caf::stateful_actor<member_state> *self, actor main, int64_t number)
{
    return {
        [=](const actor &next) { self->state.next = next; },
        [=](int64_t token) {
            if (token == 0)
                self->send(main, number);
            else
                self->send(self->state.next, token - 1);
        },
    };
}

double ring(long hops)
{
    config c;
    caf::actor_system system{ c };
    caf::scoped_actor self{ system };
    std::vector<actor> all;
    for (int64_t i = 0; i < PEER_RING; i++)
        all.push_back(system.spawn(ring_member, main_of(self), i));
    for (int i = 0; i < PEER_RING; i++)
        self->send(all[i], all[(i + 1) % PEER_RING]);
    double begin = bench_now();
    self->send(all[0], int64_t(hops));
    int64_t holder = next_message(self);
    double ns = peer_ns(begin, double(hops));
    bench_check("ring", holder, hops % PEER_RING);
    for (actor &a : all)
        self->send_exit(a, caf::exit_reason::user_shutdown);
    return ns;
}

caf::behavior pong(event_based_actor *self)
{
    return { [=](const actor &to, int64_t i) { self->send(to, i); } };
}

caf::behavior ping(event_based_actor *self, actor to, actor main, int64_t rounds)
{
    auto sent = std::make_shared<int64_t>(0);
    self->send(to, caf::actor_cast<actor>(self), *sent);
    return { [=](int64_t i) {
        bench_check("ping_pong", i, *sent);
        if (++*sent < rounds)
            self->send(to, caf::actor_cast<actor>(self), *sent);
        else
            self->send(main, *sent);
    } };
}

double ping_pong(long rounds)
{
    config c;
    caf::actor_system system{ c };
    caf::scoped_actor self{ system };
    double begin = bench_now();
    actor b = system.spawn(pong), a = system.spawn(ping, b, main_of(self), int64_t(rounds));
    bench_check("ping_pong", next_message(self), rounds);
    double ns = peer_ns(begin, double(rounds));
    self->send_exit(a, caf::exit_reason::user_shutdown);
    self->send_exit(b, caf::exit_reason::user_shutdown);
    return ns;
}

struct sum_state {
    int64_t sum = 0, left = 0;
};

caf::behavior consumer(caf::stateful_actor<sum_state> *self, actor main, int64_t messages)
{
    self->state.left = messages;
    return { [=](int64_t value) {
        self->state.sum += value;
        if (--self->state.left == 0) {
            self->send(main, self->state.sum);
            self->quit();
        }
    } };
}

void producer(event_based_actor *self, actor to, int64_t each)
{
    for (int64_t i = 1; i <= each; i++)
        self->send(to, i);
}

double fan_in(long each)
{
    config c;
    caf::actor_system system{ c };
    caf::scoped_actor self{ system };
    double begin = bench_now();
    actor to = system.spawn(consumer, main_of(self), int64_t(PEER_PRODUCERS * each));
    for (int i = 0; i < PEER_PRODUCERS; i++)
        system.spawn(producer, to, int64_t(each));
    int64_t sum = next_message(self);
    double ns = peer_ns(begin, double(PEER_PRODUCERS) * double(each));
    bench_check("fan_in", sum, PEER_PRODUCERS * (each * (each + 1) / 2));
    return ns;
}

// ---- tasks ----

caf::behavior sky(caf::stateful_actor<sum_state> *self, actor parent, int64_t number, int64_t size)
{
    if (size == 1) {
        self->send(parent, number);
        return {};
    }
    for (int64_t i = 0; i < 10; i++)
        self->spawn(sky, caf::actor_cast<actor>(self), number + i * (size / 10), size / 10);
    self->state.left = 10;
    return { [=](int64_t part) {
        self->state.sum += part;
        if (--self->state.left == 0) {
            self->send(parent, self->state.sum);
            self->quit();
        }
    } };
}

double skynet(long leaves)
{
    config c;
    caf::actor_system system{ c };
    caf::scoped_actor self{ system };
    double begin = bench_now();
    system.spawn(sky, main_of(self), int64_t(0), int64_t(leaves));
    int64_t sum = next_message(self);
    double ms = (bench_now() - begin) * 1e3;
    bench_check("skynet", sum, leaves * (leaves - 1) / 2);
    return ms;
}

void nothing(event_based_actor *) {}

caf::behavior spawner(event_based_actor *self, int64_t count)
{
    self->send(self, count);
    return { [=](int64_t left) {
        int64_t now = left < 256 ? left : 256;
        for (int64_t i = 0; i < now; i++)
            self->spawn(nothing);
        if (left > now)
            self->send(self, left - now);
        else
            self->quit();
    } };
}

double spawn(long count)
{
    config c;
    caf::actor_system system{ c };
    double begin = bench_now();
    system.spawn(spawner, int64_t(count));
    system.await_all_actors_done();
    return peer_ns(begin, double(count));
}

caf::behavior giver(event_based_actor *self, int64_t times)
{
    self->send(self, times);
    return { [=](int64_t left) {
        if (left > 1)
            self->send(self, left - 1);
        else
            self->quit();
    } };
}

double yield_two(long each)
{
    config c;
    caf::actor_system system{ c };
    double begin = bench_now();
    system.spawn(giver, int64_t(each));
    system.spawn(giver, int64_t(each));
    system.await_all_actors_done();
    return peer_ns(begin, 2.0 * double(each));
}

caf::behavior sleeper(event_based_actor *self, int64_t i)
{
    self->delayed_send(self, std::chrono::milliseconds(1 + i % 10), i);
    return { [=](int64_t) { self->quit(); } };
}

caf::behavior sleepers(event_based_actor *self, int64_t count)
{
    self->send(self, int64_t(0));
    return { [=](int64_t at) {
        for (int64_t end = at + 256; at < end && at < count; at++)
            self->spawn(sleeper, at);
        if (at < count)
            self->send(self, at);
        else
            self->quit();
    } };
}

double timer_fire(long count)
{
    config c;
    caf::actor_system system{ c };
    double begin = bench_now();
    system.spawn(sleepers, int64_t(count));
    system.await_all_actors_done();
    return peer_ns(begin, double(count));
}

// ---- memory ----

caf::behavior parked(event_based_actor *self, actor main, int64_t id)
{
    return { [=](int64_t value) {
        self->send(main, id + value);
        self->quit();
    } };
}

double parked_own(long count)
{
    config c;
    caf::actor_system system{ c };
    caf::scoped_actor self{ system };
    std::vector<actor> all(static_cast<std::size_t>(count)); // touched, so that it does not count
    double before = peer_resident();
    for (long i = 0; i < count; i++)
        all[std::size_t(i)] = system.spawn(parked, main_of(self), int64_t(i));
    usleep(200 * 1000);
    double each = (peer_resident() - before) / double(count);
    int64_t sum = 0;
    for (actor &a : all)
        self->send(a, int64_t(0));
    for (long i = 0; i < count; i++)
        sum += next_message(self);
    bench_check("parked_bytes", sum, count * (count - 1) / 2);
    return each;
}

// ---- work for all processors ----

void place(event_based_actor *self, actor main, unsigned all, unsigned a, unsigned b)
{
    self->send(main, int64_t(plain_queens(all, a | b, (a << 1 | b) << 1, (a >> 1 | b) >> 1)));
}

double nqueens(long n)
{
    config c;
    caf::actor_system system{ c };
    caf::scoped_actor self{ system };
    unsigned all = (1u << n) - 1;
    long tasks = 0;
    int64_t sum = 0;
    double begin = bench_now();
    for (int i = 0; i < n; i++) {
        unsigned a = 1u << i;
        for (unsigned left = all & ~(a | a << 1 | a >> 1); left != 0; left &= left - 1, tasks++)
            system.spawn(place, main_of(self), all, a, left & -left);
    }
    for (; tasks > 0; tasks--)
        sum += next_message(self);
    double ms = (bench_now() - begin) * 1e3;
    bench_check("nqueens", sum, plain_queens_solutions(int(n)));
    return ms;
}

} // namespace

int main(int argc, char **argv)
{
    static const peer_workload workloads[] = {
        PEER_TASKS,
        { "timer_fire", "ns", timer_fire },
        { "parked_own_bytes", "bytes", parked_own },
        { "nqueens", "ms", nqueens },
        { nullptr, nullptr, nullptr },
    };
    return peer_main(argc, argv, workloads);
}
