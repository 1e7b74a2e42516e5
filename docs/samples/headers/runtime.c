/* runtime.c - the lead example of co4/runtime.h.
 * modes: woven forced
 * expect: 1 + 2 = 3
 * expect: served: 8080 */
#include <co4.h>
#include <stdio.h>

static pausable void f(int a)
{
    co4_yield();
    printf("1 + %d = %d\n", a, 1 + a);
}

static pausable int serve(int port)
{
    co4_yield();
    return port;
}

int main(void)
{
    int a = 2;
    co4_runtime *rt = co4_runtime_create(NULL);
    co4_runtime_spawn(rt, f(a));
    co4_runtime_start(rt);
    co4_runtime_join(rt);
    co4_runtime_destroy(rt);

    int err = co4_run_workers(4, serve(8080));
    printf("served: %d\n", err);
    return 0;
}
