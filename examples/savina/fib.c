/* fib.c - a task for each call of a doubly recursive function.
 *
 *     fib [N]      22 when absent */
#include "savina.h"

struct call {
    long n, result;
};

static pausable int fib(struct call *c);

static pausable int both(struct call *parts)
{
    co4_scope *scope = co4_scope_here();
    TRY(co4_scope_spawn(scope, fib(&parts[0])));
    return co4_scope_spawn(scope, fib(&parts[1]));
}

static pausable int fib(struct call *c)
{
    struct call parts[] = { { c->n - 1, 0 }, { c->n - 2, 0 } };
    if (c->n < 2) {
        c->result = c->n;
        return CO4_OK;
    }
    TRY(co4_scope_run(0, both(parts)));
    c->result = parts[0].result + parts[1].result;
    return CO4_OK;
}

int main(int argc, char **argv)
{
    struct call c = { argument(argc, argv, 1, 22, 0, 40), -1 };
    long a = 0, b = 1;
    ON_ALL_PROCESSORS(fib(&c));
    for (long i = 0; i < c.n; i++) {
        long next = a + b;
        a = b;
        b = next;
    }
    printf("fib(%ld) = %ld\n", c.n, c.result);
    return c.result != a;
}
