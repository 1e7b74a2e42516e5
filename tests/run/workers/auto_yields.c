/* auto_yields.c - loops yield by themselves: a task that never calls anything lets the others
 * run.
 * weave: --auto-yields
 * modes: woven forced
 * expect: spun
 * expect: counted 100000
 * expect: odd loops 12 7 3
 * expect: generated 0 1 2 end */
#include <co4.h>
#include <stdio.h>

static volatile int flag, second, counting = 1;

static pausable void spin(void)
{
    while (!flag)
        ; /* until another task of the same thread has run */
    flag = 2;
    do { /* once more */
    } while (!second);
    puts("spun");
}

static pausable void raise_flag(void)
{
    flag = 1;
    while (flag != 2)
        ;
    second = 1;
}

static pausable long count(long limit)
{
    long n = 0;
    for (long i = 0; i < limit; i++)
        n++;
    counting = 0;
    return n;
}

static pausable void show_count(void)
{
    printf("counted %ld\n", count(100000));
}

/* bodies that are no blocks, labels, declarations and cases in them */
static pausable void odd_loops(void)
{
    int a = 0, b = 0, c = 0, n = 4;
    do
        a += 3;
    while (--n > 0);
    for (int i = 0; i < 10; i++) {
        int twice = 2 * i;
        if (twice % 3 == 0)
            continue;
        b++;
    again:
        if (b == 100)
            goto again;
    }
    b++;
    switch (n) {
        while (n < 3) {
        case 0:
            c++;
            n++;
        }
    }
    printf("odd loops %d %d %d\n", a, b, c);
}

static pausable void generate(int limit)
{
    for (int i = 0; i < limit; i++) {
        for (int j = 0; j < 5000; j++)
            ;
        co4_gen_yield(&i);
    }
}

static pausable void all(void)
{
    co4_spawn(spin());
    co4_spawn(raise_flag());
    while (!flag)
        ;
    co4_yield();
    show_count();
    odd_loops();
}

int main(void)
{
    co4_run(all());
    int value;
    co4_gen *g = co4_generate(generate(3));
    printf("generated");
    while (co4_gen_next(g, &value) == 0)
        printf(" %d", value);
    puts(" end");
    co4_gen_destroy(g);
    return counting;
}
