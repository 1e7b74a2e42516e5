/* parameter_updates - parameters of which parts change between points: members, elements, bits,
 * halves.
 * expect: 106 756 29 13 1155 */
#include <co4.h>
#include <complex.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

struct inner {
    int n[3];
    unsigned bits : 5;
};
struct outer {
    unsigned x, y;
    struct inner in;
};
union either {
    int n;
    unsigned char bytes[4];
};

static pausable unsigned members(struct outer o)
{
    wait_for(1);
    o.x = 100;
    wait_for(2);
    o.y += (unsigned)wait_for(3);
    o.x++;
    wait_for(0);
    return o.x + o.y;
}

static pausable int elements(struct outer o, int i)
{
    wait_for(1);
    o.in.n[i] = 7;
    wait_for(2);
    ++o.in.n[++i];
    o.in.bits--;
    wait_for(3);
    return o.in.n[0] * 100 + o.in.n[1] * 10 + (int)o.in.bits + i;
}

static pausable int whole(struct outer o, struct inner in)
{
    wait_for(1);
    o.in = in;
    wait_for(2);
    (o.in).n[1] = wait_for(9);
    wait_for(3);
    return o.in.n[0] + o.in.n[1];
}

static pausable int halves(double complex z, union either e)
{
    wait_for(1);
    __real__ z = 9;
    e.n = 0;
    wait_for(2);
    e.bytes[0] = 1;
    wait_for(3);
    return (int)(creal(z) + cimag(z)) + (e.n != 0);
}

static pausable int odd_targets(int a, int b, int c, int d)
{
    wait_for(1);
    __extension__ a = 3;
    _Generic(b, int : b) = 5;
    (c) = 7;
    *&d = 11;
    wait_for(2);
    return a * b * c * d;
}

static pausable void work(void)
{
    struct outer o = { 1, 2, { { 3, 4, 5 }, 6 } };
    printf("%u %d %d ", members(o), elements(o, 0), whole(o, (struct inner){ { 20 }, 0 }));
    printf("%d %d\n", halves(1 + 3 * I, (union either){ 5 }), odd_targets(1, 1, 1, 1));
}

int main(void)
{
    co4_run(work());
    return 0;
}
