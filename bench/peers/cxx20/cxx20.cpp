// cxx20.cpp - C++20 coroutines: generators, a recursive generator, task<int>, and tasks on a run queue for one thread.
//
// The run queue and the channels are as small as they can be: intrusive, no locks, no timers, no cancelling, no errors. The
// library of C++20 brings none. A floor for coroutines with heap frames, not a product.
#include "../peer.hpp"

#include <coroutine>
#include <cstddef>
#include <exception>
#include <utility>
#include <vector>

// ---- task<int>: a coroutine per call, which its caller awaits ----

namespace
{

struct [[nodiscard]] task {
    struct promise_type {
        int value = 0;
        std::coroutine_handle<> caller;

        task get_return_object()
        {
            return task{ std::coroutine_handle<promise_type>::from_promise(*this) };
        }
        std::suspend_always initial_suspend() noexcept
        {
            return {};
        }
        struct back {
            bool await_ready() noexcept
            {
                return false;
            }
            std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> h) noexcept
            {
                return h.promise().caller;
            }
            void await_resume() noexcept {}
        };
        back final_suspend() noexcept
        {
            return {};
        }
        void return_value(int v)
        {
            value = v;
        }
        void unhandled_exception()
        {
            std::terminate();
        }
    };

    std::coroutine_handle<promise_type> handle;

    explicit task(std::coroutine_handle<promise_type> h) : handle(h) {}
    task(task &&other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
    ~task()
    {
        if (handle)
            handle.destroy();
    }
    bool await_ready()
    {
        return false;
    }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller)
    {
        handle.promise().caller = caller;
        return handle;
    }
    int await_resume()
    {
        return handle.promise().value;
    }

    int run()
    {
        handle.promise().caller = std::noop_coroutine();
        handle.resume();
        return handle.promise().value;
    }
};

NOINLINE task fib(int n)
{
    if (n < 2)
        co_return n;
    co_return co_await fib(n - 1) + co_await fib(n - 2);
}

NOINLINE task tak(int x, int y, int z)
{
    if (y >= x)
        co_return z;
    int a = co_await tak(x - 1, y, z), b = co_await tak(y - 1, z, x), c = co_await tak(z - 1, x, y);
    co_return co_await tak(a, b, c);
}

NOINLINE task ackermann(int m, int n)
{
    if (m == 0)
        co_return n + 1;
    if (n == 0)
        co_return co_await ackermann(m - 1, 1);
    int inner = co_await ackermann(m, n - 1);
    co_return co_await ackermann(m - 1, inner);
}

double call_fib(long times)
{
    double begin = bench_now();
    for (long i = 0; i < times; i++)
        bench_check("fib", fib(PEER_FIB).run(), PEER_FIB_IS);
    return peer_ns(begin, double(times * PEER_FIB_CALLS));
}

double call_tak(long times)
{
    double begin = bench_now();
    for (long i = 0; i < times; i++)
        bench_check("tak", tak(18, 12, 6).run(), PEER_TAK_IS);
    return peer_ns(begin, double(times * PEER_TAK_CALLS));
}

double call_ackermann(long times)
{
    double begin = bench_now();
    for (long i = 0; i < times; i++)
        bench_check("ackermann", ackermann(3, 7).run(), PEER_ACK_IS);
    return peer_ns(begin, double(times * PEER_ACK_CALLS));
}

// ---- generator, flat ----

struct generator {
    struct promise_type {
        const long *value = nullptr;

        generator get_return_object()
        {
            return generator{ std::coroutine_handle<promise_type>::from_promise(*this) };
        }
        std::suspend_always initial_suspend() noexcept
        {
            return {};
        }
        std::suspend_always final_suspend() noexcept
        {
            return {};
        }
        std::suspend_always yield_value(const long &v)
        {
            value = &v;
            return {};
        }
        void return_void() {}
        void unhandled_exception()
        {
            std::terminate();
        }
    };

    std::coroutine_handle<promise_type> handle;

    explicit generator(std::coroutine_handle<promise_type> h) : handle(h) {}
    generator(const generator &) = delete;
    ~generator()
    {
        handle.destroy();
    }
    bool next(long &out)
    {
        handle.resume();
        if (handle.done())
            return false;
        out = *handle.promise().value;
        return true;
    }
};

NOINLINE generator count(long n)
{
    for (long i = 0; i < n; i++)
        co_yield i;
}

double yield(long values)
{
    double begin = bench_now();
    generator g = count(values);
    long sum = 0, value;
    while (g.next(value))
        sum += value;
    bench_check("yield", sum, values * (values - 1) / 2);
    return peer_ns(begin, double(values));
}

// ---- generator, recursive: the root knows its leaf, which is resumed at once ----

struct walker {
    struct promise_type {
        const long *value = nullptr;
        promise_type *root = this, *parent = nullptr;
        std::coroutine_handle<> leaf; // of the root

        walker get_return_object()
        {
            return walker{ std::coroutine_handle<promise_type>::from_promise(*this) };
        }
        std::suspend_always initial_suspend() noexcept
        {
            return {};
        }
        struct back {
            bool await_ready() noexcept
            {
                return false;
            }
            std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> h) noexcept
            {
                promise_type &p = h.promise();
                if (p.parent == nullptr)
                    return std::noop_coroutine();
                auto parent = std::coroutine_handle<promise_type>::from_promise(*p.parent);
                p.root->leaf = parent;
                return parent;
            }
            void await_resume() noexcept {}
        };
        back final_suspend() noexcept
        {
            return {};
        }
        std::suspend_always yield_value(const long &v)
        {
            root->value = &v;
            return {};
        }
        void return_void() {}
        void unhandled_exception()
        {
            std::terminate();
        }
    };

    std::coroutine_handle<promise_type> handle;

    explicit walker(std::coroutine_handle<promise_type> h) : handle(h)
    {
        h.promise().leaf = h;
    }
    walker(walker &&other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
    ~walker()
    {
        if (handle)
            handle.destroy();
    }
    bool next(long &out)
    {
        handle.promise().leaf.resume();
        if (handle.done())
            return false;
        out = *handle.promise().value;
        return true;
    }

    bool await_ready()
    {
        return false;
    }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> caller)
    {
        promise_type &p = handle.promise();
        p.parent = &caller.promise();
        p.root = p.parent->root;
        p.root->leaf = handle;
        return handle;
    }
    void await_resume() {}
};

NOINLINE walker walk(long first, int depth)
{
    if (depth == 0)
        co_return;
    long node = first + (1L << (depth - 1)) - 1;
    co_await walk(first, depth - 1);
    co_yield node;
    co_await walk(node + 1, depth - 1);
}

NOINLINE walker walk_often(int depth, long times)
{
    for (long i = 0; i < times; i++)
        co_await walk(0, depth);
}

template <int depth> double deep(long at_least)
{
    long nodes = (1L << depth) - 1, times = at_least / nodes + 1, sum = 0, value;
    double begin = bench_now();
    walker w = walk_often(depth, times);
    while (w.next(value))
        sum += value;
    bench_check("deep_yield", sum, times * (nodes * (nodes - 1) / 2));
    return peer_ns(begin, double(nodes) * double(times));
}

// ---- tasks on a run queue ----

struct job {
    job *next = nullptr;
    std::coroutine_handle<> handle;
};

job *first;
job **last = &first;
long finished;

void ready(job *j)
{
    j->next = nullptr;
    *last = j;
    last = &j->next;
}

void run_all()
{
    while (first != nullptr) {
        job *j = first;
        first = j->next;
        if (first == nullptr)
            last = &first;
        j->handle.resume();
    }
}

// A task that starts from the queue and frees itself.
struct detached {
    struct promise_type {
        job self;

        detached get_return_object()
        {
            return {};
        }
        struct start {
            bool await_ready() noexcept
            {
                return false;
            }
            void await_suspend(std::coroutine_handle<promise_type> h) noexcept
            {
                h.promise().self.handle = h;
                ready(&h.promise().self);
            }
            void await_resume() noexcept {}
        };
        start initial_suspend() noexcept
        {
            return {};
        }
        std::suspend_never final_suspend() noexcept
        {
            finished++;
            return {};
        }
        void return_void() {}
        void unhandled_exception()
        {
            std::terminate();
        }
    };
};

using self_handle = std::coroutine_handle<detached::promise_type>;

struct give_way {
    bool await_ready()
    {
        return false;
    }
    void await_suspend(self_handle h)
    {
        ready(&h.promise().self);
    }
    void await_resume() {}
};

// A bounded ring of longs; waiters are in a list. A woken waiter looks again.
struct channel {
    std::vector<long> ring;
    std::size_t at = 0, count = 0;
    job *getters = nullptr, *putters = nullptr;
    job **getters_end = &getters, **putters_end = &putters;

    explicit channel(std::size_t capacity) : ring(capacity) {}

    static void stand(job **&end, job *j)
    {
        j->next = nullptr;
        *end = j;
        end = &j->next;
    }
    static void wake(job *&list, job **&end)
    {
        job *j = list;
        if (j == nullptr)
            return;
        list = j->next;
        if (list == nullptr)
            end = &list;
        ready(j);
    }
    void push(long value)
    {
        std::size_t to = at + count++;
        ring[to < ring.size() ? to : to - ring.size()] = value;
        wake(getters, getters_end);
    }
    long pop()
    {
        long value = ring[at];
        at = at + 1 < ring.size() ? at + 1 : 0;
        count--;
        wake(putters, putters_end);
        return value;
    }
    struct has_room {
        channel &c;
        bool await_ready()
        {
            return c.count < c.ring.size();
        }
        void await_suspend(self_handle h)
        {
            stand(c.putters_end, &h.promise().self);
        }
        void await_resume() {}
    };
    struct has_message {
        channel &c;
        bool await_ready()
        {
            return c.count > 0;
        }
        void await_suspend(self_handle h)
        {
            stand(c.getters_end, &h.promise().self);
        }
        void await_resume() {}
    };
};

// Macros, for a coroutine called in their place would be one more frame, which is not what the work is.
#define PUT(c, value)                                                                              \
    do {                                                                                           \
        while ((c).count == (c).ring.size())                                                       \
            co_await channel::has_room{ c };                                                       \
        (c).push(value);                                                                           \
    } while (0)
#define GET(c, to)                                                                                 \
    do {                                                                                           \
        while ((c).count == 0)                                                                     \
            co_await channel::has_message{ c };                                                    \
        (to) = (c).pop();                                                                          \
    } while (0)

detached ring_member(channel &in, channel &out)
{
    long token;
    do {
        GET(in, token);
        token--;
        PUT(out, token);
    } while (token > PEER_RING - 1);
}

double ring(long hops)
{
    std::vector<channel> all(PEER_RING, channel(1));
    for (channel &c : all) { // copied: the ends point into the original
        c.getters_end = &c.getters;
        c.putters_end = &c.putters;
    }
    double begin = bench_now();
    for (int i = 0; i < PEER_RING; i++)
        ring_member(all[i], all[(i + 1) % PEER_RING]);
    all[0].push(hops);
    run_all();
    double ns = peer_ns(begin, double(hops));
    long left = 0;
    for (channel &c : all)
        left += long(c.count);
    bench_check("ring", left, 1);
    return ns;
}

detached ping(channel &in, channel &out, long rounds)
{
    for (long i = 0; i < rounds; i++) {
        long got;
        PUT(out, i);
        GET(in, got);
        bench_check("ping_pong", got, i);
    }
}

detached pong(channel &in, channel &out, long rounds)
{
    for (long i = 0; i < rounds; i++) {
        long got;
        GET(in, got);
        PUT(out, got);
    }
}

double ping_pong(long rounds)
{
    channel a(1), b(1);
    double begin = bench_now();
    ping(a, b, rounds);
    pong(b, a, rounds);
    run_all();
    bench_check("ping_pong", finished, 2);
    return peer_ns(begin, double(rounds));
}

detached producer(channel &out, long each)
{
    for (long i = 1; i <= each; i++)
        PUT(out, i);
}

detached consumer(channel &in, long messages, long &sum)
{
    for (long i = 0; i < messages; i++) {
        long value;
        GET(in, value);
        sum += value;
    }
}

double fan_in(long each)
{
    channel box(PEER_CAPACITY);
    long sum = 0;
    double begin = bench_now();
    consumer(box, PEER_PRODUCERS * each, sum);
    for (int i = 0; i < PEER_PRODUCERS; i++)
        producer(box, each);
    run_all();
    bench_check("fan_in", sum, PEER_PRODUCERS * (each * (each + 1) / 2));
    return peer_ns(begin, double(PEER_PRODUCERS) * double(each));
}

detached sky(channel &parent, long number, long size)
{
    if (size == 1) {
        PUT(parent, number);
        co_return;
    }
    channel children(10);
    for (long i = 0; i < 10; i++)
        sky(children, number + i * (size / 10), size / 10);
    long sum = 0;
    for (int i = 0; i < 10; i++) {
        long part;
        GET(children, part);
        sum += part;
    }
    PUT(parent, sum);
}

double skynet(long leaves)
{
    channel top(1);
    double begin = bench_now();
    sky(top, 0, leaves);
    run_all();
    bench_check("skynet", top.pop(), leaves * (leaves - 1) / 2);
    return (bench_now() - begin) * 1e3;
}

detached nothing()
{
    co_return;
}

detached spawner(long tasks)
{
    for (long i = 0; i < tasks; i++) {
        nothing();
        if (i % 256 == 255)
            co_await give_way{};
    }
}

double spawn(long tasks)
{
    double begin = bench_now();
    spawner(tasks);
    run_all();
    bench_check("spawn", finished, tasks + 1);
    return peer_ns(begin, double(tasks));
}

detached giver(long times)
{
    for (long i = 0; i < times; i++)
        co_await give_way{};
}

double yield_two(long each)
{
    double begin = bench_now();
    giver(each);
    giver(each);
    run_all();
    bench_check("yield_two", finished, 2);
    return peer_ns(begin, 2.0 * double(each));
}

detached parked(channel &box, int id, long &sum)
{
    long message;
    GET(box, message);
    sum += message + id; // the message is 0
}

double park(long tasks, bool own)
{
    long sum = 0;
    return peer_parked<channel>(
        tasks, own, sum,
        [&](channel &box, long i) {
            parked(box, int(i), sum);
            if (i % 256 == 255 || i == tasks - 1)
                run_all();
        },
        [](channel &box) {
            while (box.getters != nullptr) {
                box.push(0);
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
        { "call_fib", "ns", call_fib },
        { "call_tak", "ns", call_tak },
        { "call_ackermann", "ns", call_ackermann },
        PEER_GENERATORS,
        PEER_TASKS,
        { "parked_bytes", "bytes", parked_shared },
        { "parked_own_bytes", "bytes", parked_own },
        { nullptr, nullptr, nullptr },
    };
    return peer_main(argc, argv, workloads);
}
