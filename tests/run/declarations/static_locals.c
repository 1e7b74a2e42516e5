/* static_locals - static locals keep one value for all activations, also with initialisers of
 * their own.
 * expect: none:1 100, even:11 101, odd:111 103, even:112 106, 4321 */
#include <co4.h>
#include <stdio.h>

static pausable int count(int step)
{
    static int calls = 100;
    static const int weights[] = { 1, 10, 100 };
    static const char *last = "none";
    static struct {
        int n;
    } * self, box;
    if (self == NULL)
        self = &box;
    calls += step;
    co4_yield();
    self->n += weights[step % 3];
    printf("%s:%d ", last, self->n);
    last = step % 2 ? "odd" : "even";
    return calls;
}

static pausable int deeper(int n)
{
    static int depth;
    int mine = ++depth, below;
    co4_yield();
    below = n ? deeper(n - 1) : 0;
    return below * 10 + mine;
}

static pausable void work(void)
{
    for (int i = 0; i < 4; i++)
        printf("%d, ", count(i));
    printf("%d\n", deeper(3));
}

int main(void)
{
    co4_run(work());
    return 0;
}
