// fibers.cpp - stacks that are switched: Boost.Context, or with -DUCONTEXT the C library's swapcontext().
//
// Generators, and tasks on a run queue for one thread that is as small as it can be: no locks, no timers, no cancelling. A new
// task runs at once, on a stack of 16 KiB from a list of those given back: so skynet and spawn need few of them at a time.
#include "../peer.hpp"

#include <cstddef>
#include <vector>
#ifdef UCONTEXT
#include <ucontext.h>
#else
#include <boost/context/fiber.hpp>
#endif

namespace
{

enum { STACK = 16 * 1024 };

std::vector<char *> stacks; // given back

char *take_stack()
{
    if (stacks.empty())
        return static_cast<char *>(malloc(STACK));
    char *stack = stacks.back();
    stacks.pop_back();
    return stack;
}

struct fiber;
typedef void entry(void *arg);

// A stack, its function, and the context that has switched to it. enter() from outside, leave()
// from inside.
#ifdef UCONTEXT

struct fiber {
    fiber *next = nullptr;
    ucontext_t inside, outside;
    entry *function;
    void *arg;
    char *stack = take_stack();
    bool done = false;

    fiber(entry *f, void *a) : function(f), arg(a)
    {
        getcontext(&inside);
        inside.uc_stack.ss_sp = stack;
        inside.uc_stack.ss_size = STACK;
        inside.uc_link = &outside;
        unsigned long self = reinterpret_cast<unsigned long>(this);
        makecontext(&inside, reinterpret_cast<void (*)()>(begin), 2, unsigned(self >> 32),
                    unsigned(self));
    }
    ~fiber()
    {
        stacks.push_back(stack);
    }
    static void begin(unsigned high, unsigned low)
    {
        fiber *self = reinterpret_cast<fiber *>(static_cast<unsigned long>(high) << 32 | low);
        self->function(self->arg);
        self->done = true;
    }
    void enter()
    {
        swapcontext(&outside, &inside);
    }
    void leave()
    {
        swapcontext(&inside, &outside);
    }
};

#else

struct pool { // a stack allocator, as Boost.Context wants it
    boost::context::stack_context allocate()
    {
        boost::context::stack_context s;
        s.size = STACK;
        s.sp = take_stack() + STACK;
        return s;
    }
    void deallocate(boost::context::stack_context &s)
    {
        stacks.push_back(static_cast<char *>(s.sp) - STACK);
    }
};

struct fiber {
    fiber *next = nullptr;
    boost::context::fiber inside, outside;
    bool done = false;

    fiber(entry *f, void *a)
        : inside(std::allocator_arg, pool(), [this, f, a](boost::context::fiber &&caller) {
              outside = std::move(caller);
              f(a);
              done = true;
              return std::move(outside);
          })
    {
    }
    void enter()
    {
        inside = std::move(inside).resume();
    }
    void leave()
    {
        outside = std::move(outside).resume();
    }
};

#endif

// ---- generators ----

struct generator {
    fiber *self;
    long value, first;
    int depth;

    void yield(long v)
    {
        value = v;
        self->leave();
    }
    bool next(long &out)
    {
        self->enter();
        out = value;
        return !self->done;
    }
};

void count(void *arg)
{
    generator *g = static_cast<generator *>(arg);
    for (long i = 0, n = g->first; i < n; i++)
        g->yield(i);
}

double yield(long values)
{
    double begin = bench_now();
    generator g = { nullptr, 0, values, 0 };
    fiber f(count, &g);
    g.self = &f;
    long sum = 0, value;
    while (g.next(value))
        sum += value;
    bench_check("yield", sum, values * (values - 1) / 2);
    return peer_ns(begin, double(values));
}

NOINLINE void walk(generator *g, long first, int depth)
{
    if (depth == 0)
        return;
    long node = first + (1L << (depth - 1)) - 1;
    walk(g, first, depth - 1);
    g->yield(node);
    walk(g, node + 1, depth - 1);
}

void walk_often(void *arg)
{
    generator *g = static_cast<generator *>(arg);
    for (long i = 0, times = g->first; i < times; i++)
        walk(g, 0, g->depth);
}

template <int depth> double deep(long at_least)
{
    long nodes = (1L << depth) - 1, times = at_least / nodes + 1, sum = 0, value;
    double begin = bench_now();
    generator g = { nullptr, 0, times, depth };
    fiber f(walk_often, &g);
    g.self = &f;
    while (g.next(value))
        sum += value;
    bench_check("deep_yield", sum, times * (nodes * (nodes - 1) / 2));
    return peer_ns(begin, double(nodes) * double(times));
}

// ---- tasks on a run queue ----

struct line { // of fibers
    fiber *first = nullptr, *last = nullptr;

    void push(fiber *f)
    {
        f->next = nullptr;
        (first != nullptr ? last->next : first) = f;
        last = f;
    }
    fiber *pop()
    {
        fiber *f = first;
        if (f != nullptr)
            first = f->next;
        return f;
    }
};

line ready;
fiber *current;
long finished;

void run(fiber *f)
{
    fiber *before = current;
    current = f;
    f->enter();
    current = before;
    if (f->done) {
        finished++;
        delete f;
    }
}

void spawn_task(entry *f, void *arg)
{
    run(new fiber(f, arg));
}

void run_all()
{
    while (fiber *f = ready.pop())
        run(f);
}

void wait_in(line &l)
{
    l.push(current);
    current->leave();
}

struct channel {
    std::vector<long> ring;
    std::size_t at = 0, count = 0;
    line getters, putters;

    explicit channel(std::size_t capacity) : ring(capacity) {}

    static void wake(line &l)
    {
        if (fiber *f = l.pop())
            ready.push(f);
    }
    void put(long value)
    {
        while (count == ring.size())
            wait_in(putters);
        std::size_t to = at + count++;
        ring[to < ring.size() ? to : to - ring.size()] = value;
        wake(getters);
    }
    long get()
    {
        while (count == 0)
            wait_in(getters);
        long value = ring[at];
        at = at + 1 < ring.size() ? at + 1 : 0;
        count--;
        wake(putters);
        return value;
    }
};

struct ends {
    channel *in, *out;
    long number, size;
};

void ring_member(void *arg)
{
    ends e = *static_cast<ends *>(arg);
    long token;
    do {
        token = e.in->get() - 1;
        e.out->put(token);
    } while (token > PEER_RING - 1);
}

double ring(long hops)
{
    std::vector<channel> all(PEER_RING, channel(1));
    double begin = bench_now();
    for (int i = 0; i < PEER_RING; i++) {
        ends e = { &all[i], &all[(i + 1) % PEER_RING], 0, 0 };
        spawn_task(ring_member, &e);
    }
    all[0].put(hops);
    run_all();
    double ns = peer_ns(begin, double(hops));
    long left = 0;
    for (channel &c : all)
        left += long(c.count);
    bench_check("ring", left, 1);
    return ns;
}

void ping(void *arg)
{
    ends e = *static_cast<ends *>(arg);
    for (long i = 0; i < e.number; i++) {
        e.out->put(i);
        bench_check("ping_pong", e.in->get(), i);
    }
}

void pong(void *arg)
{
    ends e = *static_cast<ends *>(arg);
    for (long i = 0; i < e.number; i++)
        e.out->put(e.in->get());
}

double ping_pong(long rounds)
{
    channel a(1), b(1);
    ends left = { &a, &b, rounds, 0 }, right = { &b, &a, rounds, 0 };
    double begin = bench_now();
    spawn_task(ping, &left);
    spawn_task(pong, &right);
    run_all();
    bench_check("ping_pong", finished, 2);
    return peer_ns(begin, double(rounds));
}

void producer(void *arg)
{
    ends e = *static_cast<ends *>(arg);
    for (long i = 1; i <= e.number; i++)
        e.out->put(i);
}

long consumed;

void consumer(void *arg)
{
    ends e = *static_cast<ends *>(arg);
    for (long i = 0; i < e.number; i++)
        consumed += e.in->get();
}

double fan_in(long each)
{
    channel box(PEER_CAPACITY);
    ends from = { &box, nullptr, PEER_PRODUCERS * each, 0 }, to = { nullptr, &box, each, 0 };
    double begin = bench_now();
    spawn_task(consumer, &from);
    for (int i = 0; i < PEER_PRODUCERS; i++)
        spawn_task(producer, &to);
    run_all();
    bench_check("fan_in", consumed, PEER_PRODUCERS * (each * (each + 1) / 2));
    return peer_ns(begin, double(PEER_PRODUCERS) * double(each));
}

void sky(void *arg)
{
    ends e = *static_cast<ends *>(arg);
    if (e.size == 1) {
        e.out->put(e.number);
        return;
    }
    channel children(10);
    for (long i = 0; i < 10; i++) {
        ends child = { nullptr, &children, e.number + i * (e.size / 10), e.size / 10 };
        spawn_task(sky, &child);
    }
    long sum = 0;
    for (int i = 0; i < 10; i++)
        sum += children.get();
    e.out->put(sum);
}

double skynet(long leaves)
{
    channel top(1);
    ends e = { nullptr, &top, 0, leaves };
    double begin = bench_now();
    spawn_task(sky, &e);
    run_all();
    bench_check("skynet", top.get(), leaves * (leaves - 1) / 2);
    return (bench_now() - begin) * 1e3;
}

void nothing(void *) {}

void spawner(void *arg)
{
    for (long i = 0, tasks = *static_cast<long *>(arg); i < tasks; i++) {
        spawn_task(nothing, nullptr);
        if (i % 256 == 255)
            wait_in(ready);
    }
}

double spawn(long tasks)
{
    double begin = bench_now();
    spawn_task(spawner, &tasks);
    run_all();
    bench_check("spawn", finished, tasks + 1);
    return peer_ns(begin, double(tasks));
}

void giver(void *arg)
{
    for (long i = 0, times = *static_cast<long *>(arg); i < times; i++)
        wait_in(ready);
}

double yield_two(long each)
{
    double begin = bench_now();
    spawn_task(giver, &each);
    spawn_task(giver, &each);
    run_all();
    bench_check("yield_two", finished, 2);
    return peer_ns(begin, 2.0 * double(each));
}

long sum;

void parked(void *arg)
{
    ends e = *static_cast<ends *>(arg);
    sum += e.in->get() + e.number;
}

double park(long tasks, bool own)
{
    return peer_parked<channel>(
        tasks, own, sum,
        [](channel &box, long i) {
            ends e = { &box, nullptr, i, 0 };
            spawn_task(parked, &e);
        },
        [](channel &box) {
            while (box.getters.first != nullptr) {
                box.put(0);
                run_all();
            }
        });
}

double parked_shared(long tasks)
{
    return park(tasks, false);
}
double parked_own(long tasks)
{
    return park(tasks, true);
}

} // namespace

int main(int argc, char **argv)
{
    static const peer_workload workloads[] = {
        PEER_GENERATORS,
        PEER_TASKS,
        { "parked_bytes", "bytes", parked_shared },
        { "parked_own_bytes", "bytes", parked_own },
        { nullptr, nullptr, nullptr },
    };
    return peer_main(argc, argv, workloads);
}
