/* old_names.c - functions that are declared without their parameters, again, in a block only, or by
 * a call alone; and called by their names, through them, or through pointers without a prototype.
 * flags: -std=gnu89 */
#include <stdio.h>

int plus_one(int n)
{
    return n + 1;
}

int plus_one();
static int sum(int a, int b);
static int narrow();

static int again(int n)
{
    int plus_one(), sum();
    {
        int plus_one(int);
        double weighed();
        n = plus_one(n) + (int)weighed(2.5f, 3);
    }
    return plus_one(n) + sum(n, 1);
}

int plus_one();

static int sum(int a, int b)
{
    int plus_one(), sum();
    return plus_one(a) + b + (a > 100 ? sum(1, 2) : 0);
}

double weighed(by, n)
float by;
short n;
{
    return by * n;
}

double weighed();

static int through(void)
{
    int later(), (*pointer)() = later;
    return (*later)(1) + (**later)(2) + (&*later)(3) + (later)(4) +
           (pointer ? later : plus_one)(5) + (0, later)(6) + pointer(7) + (*pointer)(8);
}

int later(n)
int n;
{
    int later();
    return n > 3 ? (*later)(n - 1) + 1 : n;
}

static int (*pick(which))() int which;
{
    extern int later(int), plus_one();
    return which ? later : plus_one;
}

static int by_call()
{
    struct local {
        int a;
    } l = { 3 };
    int n = undeclared(1, 2.0f, &l) + undeclared(2, 3.0f, (void *)0) + (*undeclared)(3, 4.0f, "");
    return n + (int)unseen(2.5f);
}

unseen(f) float f;
{
    return f * 2;
}

int undeclared(a, f, p)
short a;
float f;
void *p;
{
    int narrow();
    return a + f + (p != 0) + narrow(a, 255, a);
}

static int narrow(a, b, c)
char a;
unsigned char b;
signed char c;
{
    int nothing();
    return a + b + c + nothing();
}

int nothing(void)
{
    return 0;
}

int main()
{
    int nothing();
    printf("%d %d %d\n", again(1), through(), by_call());
    printf("%d %d %d\n", pick(1)(9), pick(0)(9), nothing());
    return 0;
}
