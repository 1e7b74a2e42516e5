/* bit_field_targets - points assigned to bit-fields, _Bool members and packed members.
 * expect: 0 3 -4 1 0 1 0 6 1.5
 * expect: -3 6 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

struct flags {
    unsigned ready : 1, level : 4;
    signed delta : 5;
    _Bool on : 1, off;
    unsigned long long wide : 40;
};
struct packed {
    char tag;
    int n;
    double d;
} __attribute__((packed));

static pausable struct flags flags_of(int n)
{
    struct flags f = { .ready = n & 1, .level = (unsigned)n, .delta = -n };
    co4_yield();
    return f;
}

static pausable void work(void)
{
    struct flags f = flags_of(7), *p = &f;
    struct packed k = { 'k', wait_for(5), 0.5 };
    f.level = wait_for(19);
    p->delta += wait_for(3);
    f.on = wait_for(2);
    f.off = wait_for(4) == 5;
    f.wide = (1ULL << 39) + wait_for(1);
    int chain = f.ready = wait_for(2);
    k.n += wait_for(1);
    k.d *= wait_for(3);
    printf("%d %d %d %d %d %d %d %d %.1f\n", f.ready, f.level, f.delta, f.on, f.off,
           f.wide == (1ULL << 39) + 1, chain, k.n, k.d);
    printf("%d %d\n", flags_of(wait_for(3)).delta, flags_of(6).level);
}

int main(void)
{
    co4_run(work());
    return 0;
}
