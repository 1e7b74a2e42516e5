/* pragma_pack.c - a #pragma pack that is still on at a function packs the program's structs, not
 * its frames.
 * expect: 5 7 12 3.5 */
#include <co4.h>
#include <stdio.h>

#pragma pack(push, 1)
struct record {
    char tag;
    int value;
};

struct wide {
    char tag;
    double values[4];
};

static pausable int wait_for(char c, int n)
{
    co4_yield();
    return c + n;
}

static pausable struct wide widen(double value)
{
    struct wide w = { 'w', { value } };
    wait_for(w.tag, 1);
    return w;
}

#pragma pack(2)

static pausable int work(struct record r)
{
    char c = 1;
    long sum = wait_for(c, 2);
    struct record copy = r;
    return wait_for(copy.tag, copy.value) + (int)sum + c;
}

int main(void)
{
    struct record r = { 1, 7 };
    printf("%d %d %d ", (int)sizeof r, r.value, co4_run(work(r)));
    printf("%g\n", co4_run(widen(3.5)).values[0]);
    return 0;
}

#pragma pack(pop)
