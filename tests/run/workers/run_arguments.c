/* run_arguments - values passed through co4_run: structs, arrays, many arguments, pointers to
 * locals.
 * expect: big 5.0m 10 77 78 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

struct big {
    char name[50];
    int n;
};

static pausable int measure(struct big b, const int *values, int count, double scale, char unit)
{
    int sum = b.n;
    for (int i = 0; i < count; i++)
        sum += wait_for(values[i]);
    printf("%s %.1f%c ", b.name, sum * scale, unit);
    return sum;
}

static pausable void change(int *target, int to)
{
    co4_yield();
    *target = to;
}

int main(void)
{
    struct big b = { "big", 4 };
    int values[] = { 1, 2, 3 }, n = 0;
    n = co4_run(measure(b, values, 3, 0.5, 'm'));
    printf("%d ", n);
    co4_run(change(&n, 77));
    co4_run(change(&values[1], co4_run(wait_for(n)) + 1));
    printf("%d %d\n", n, values[1]);
    return 0;
}
