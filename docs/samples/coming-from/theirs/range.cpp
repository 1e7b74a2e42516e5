/* range.cpp - range.c in C++20. */
#include <coroutine>
#include <cstdio>
#include <exception>

struct generator {
    struct promise_type {
        int value;
        generator get_return_object()
        {
            return { std::coroutine_handle<promise_type>::from_promise(*this) };
        }
        std::suspend_always initial_suspend() { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(int v) { value = v; return {}; }
        void return_void() {}
        void unhandled_exception() { std::terminate(); }
    };
    std::coroutine_handle<promise_type> handle;
    bool next() { return handle.resume(), !handle.done(); }
    ~generator() { handle.destroy(); }
};

static generator squares(int n)
{
    for (int i = 0; i < n; i++)
        co_yield i * i;
}

int main()
{
    for (generator g = squares(4); g.next();)
        std::printf("%d ", g.handle.promise().value);
    std::puts("");
}
