/* pinned_fresh - a pinned local in a loop body starts anew in each turn, with its initialiser.
 * expect: a 1 8 ab 2 9 abc 3 10 3 3 3 end */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

struct counter {
    int n;
    char log[8];
};

static pausable void tick(struct counter *c, char what)
{
    co4_yield();
    c->log[c->n++] = what;
}

static pausable void work(void)
{
    for (int i = 0; i < 3; i++) {
        struct counter c = { 0 };
        int plain = 7, zeros[4] = { 0 };
        for (int k = 0; k <= i; k++)
            tick(&c, (char)('a' + k));
        int *p = &zeros[i];
        co4_yield();
        *p += i + 1;
        plain += zeros[0] + zeros[1] + zeros[2] + zeros[3];
        printf("%s %d %d ", c.log, c.n, plain);
    }
    int turns = 0;
again:;
    int fresh[2] = { 1 }, sum = 0, *q = fresh;
    sum += wait_for(2);
    q[1] += sum + q[0];
    printf("%d ", fresh[1]);
    if (++turns < 3)
        goto again;
    puts("end");
}

int main(void)
{
    co4_run(work());
    return 0;
}
