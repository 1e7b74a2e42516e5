/* marks.c - pausable functions behind pointers: typedef, member, parameter, variable.
 * expect: /time: 5 in 1 step
 * expect: /count: 5 in 2 steps
 * expect: twice: 7 in 4 steps */
#include <co4.h>
#include <stdio.h>

typedef pausable int handler(int from, int *steps); /* a typedef of the function type */

pausable int once(int from, int *steps)
{
    co4_yield();
    ++*steps;
    return from;
}

pausable int count(int from, int *steps)
{
    once(from, steps);
    return once(from, steps);
}

struct route {
    const char *path;
    handler *serve; /* or: pausable int (*serve)(int from, int *steps); */
};

static const struct route routes[] = { { "/time", once }, { "/count", count } };

pausable int twice(pausable int (*f)(int, int *), int from, int *steps) /* a parameter */
{
    return f(from, steps) - from + f(from, steps);
}

pausable void serve_all(void)
{
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++) {
        int steps = 0, result = routes[i].serve(5, &steps);
        printf("%s: %d in %d step%s\n", routes[i].path, result, steps, steps == 1 ? "" : "s");
    }
    pausable int (*chosen)(int, int *) = count; /* a variable */
    int steps = 0, result = twice(chosen, 7, &steps);
    printf("twice: %d in %d steps\n", result, steps);
}

int main(void)
{
    co4_run(serve_all());
}
