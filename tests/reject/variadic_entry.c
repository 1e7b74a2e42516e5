/* variadic_entry.c - arguments that an entry point cannot lay out. */
#include <co4.h>

struct aligned {
    _Alignas(32) int a;
};

pausable int sum(int n, ...);

int main(void)
{
    struct aligned a = { 0 };
    co4_runtime *rt = co4_runtime_create(NULL);
    co4_runtime_spawn(rt, sum(2, a, 1)); /* error: argument 2 of 'sum', which is pausable and variadic, has a type that cannot be passed so */
    co4_spawn(sum(2, 1, a));      /* error: argument 3 of 'sum', which is pausable and variadic, has a type that cannot be passed so */
    return co4_run(sum(2, a, 2)); /* error: argument 2 of 'sum', which is pausable and variadic, has a type that cannot be passed so */
}
