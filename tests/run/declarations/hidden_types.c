/* hidden_types - typedefs and tags that locals and parameters of the same name hide around
 * suspension points.
 * expect: 19 12 25 1733 12 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

typedef long number;
typedef int size;
struct pair {
    int a;
};

static pausable number next(number n)
{
    co4_yield();
    return n + 1;
}

static pausable struct pair pair_of(int n)
{
    struct pair p = { n };
    co4_yield();
    return p;
}

static pausable int hidden_by_local(void)
{
    int number = 3;
    return (int)(next(number) + next(number + 1) * number);
}

static pausable int hidden_by_tag(void)
{
    struct pair {
        double x, y, z;
    } p = { 1, 2, 3 };
    int k = pair_of(4).a + pair_of(5).a;
    return k + (int)p.z;
}

static pausable number hidden_by_parameter(number number)
{
    int r = (int)next(number);
    return r + next(number) * number;
}

static pausable size sized(size s)
{
    co4_yield();
    return s;
}

static pausable int hidden_by_typedef(int n)
{
    typedef signed char size;
    size small = 3;
    return (sized(1000) + sized(n * 1000)) / small + (sized(500) ? sized(400) : sized(2));
}

static pausable int saved_under_hidden(int n)
{
    struct s {
        int a;
    } x = { n };
    {
        struct s {
            double d;
        } x = { 1.5 };
        wait_for(1);
        struct s *p = &x;
        wait_for(2);
        n += (int)(p->d * 2);
    }
    {
        union s {
            char c[3];
        } y = { { 1, 2, 3 } }, *q = &y;
        wait_for(3);
        n += q->c[2];
    }
    return x.a + n;
}

static pausable void work(void)
{
    printf("%d %d %ld %d %d\n", hidden_by_local(), hidden_by_tag(), hidden_by_parameter(4),
           hidden_by_typedef(3), saved_under_hidden(3));
}

int main(void)
{
    co4_run(work());
    return 0;
}
