/* late_frames.c - functions that return before anything of theirs lives in a frame take none by
 * then, and one afterwards: returns of several kinds, pinned parameters and locals, jumps back.
 * modes: plain woven forced
 * expect: walk 28, 7 nodes
 * expect: sums 0 3 12
 * expect: early -1 0 wide 9 8
 * expect: again 3 times, 6
 * expect: shadows 5 42
 * expect: switched 1 2 3
 * expect: mixed 4 40 */
#include <co4.h>
#include <stdio.h>

struct wide {
    long a, b, c;
};

static long total;
static int nodes;

static pausable void touch(long *at, long by)
{
    co4_yield();
    *at += by;
}

/* The base case has no frame. */
static pausable void walk(long first, int depth)
{
    if (depth == 0)
        return;
    long left = (1L << (depth - 1)) - 1, node = first + left;
    walk(first, depth - 1);
    touch(&node, 1);
    total += node;
    nodes++;
    walk(first + left + 1, depth - 1);
}

/* A pinned parameter, which is not named before. */
static pausable int sum(int n, int pinned)
{
    if (n <= 0) {
        if (n < 0)
            return -1;
        return 0;
    }
    int *p = &pinned;
    co4_yield();
    return *p + sum(n - 1, pinned + 1) + (n == 1 ? 0 : *p - pinned);
}

static pausable struct wide wide(int n)
{
    struct wide none = { n, n, n };
    if (n > 8)
        return none;
    long here[2] = { n, 1 };
    co4_yield();
    return (struct wide){ here[0], here[1], here[0] + here[1] };
}

/* Jumps back to its beginning: there is one frame all the same. */
static pausable int again(int n)
{
    if (n == 0)
        return 0;
    int times = 0, sum = 0;
begin:;
    int value = n;
    if (times == 3) {
        printf("again %d times, ", times);
        return sum;
    }
    int *p = &value;
    co4_yield();
    sum += *p - times++ - 0;
    n--;
    if (n < 0)
        return -1;
    n++;
    goto begin;
}

static pausable int shadows(int value, int which)
{
    if (which) {
        int value = 5;
        if (which == 1)
            return value;
    }
    int *p = &value;
    co4_yield();
    return *p;
}

static pausable int switched(int n)
{
    switch (n) {
    case 1:
        return 1;
    default:
        break;
    }
    if (n == 2)
        return n;
    int copy = n, *p = &copy;
    co4_yield();
    return *p;
}

static pausable_or_plain int mixed(int n)
{
    if (n < 10)
        return n;
    int copy = n * 2, *p = &copy;
    co4_yield();
    return *p * 2;
}

static pausable void all(void)
{
    walk(0, 3);
    printf("walk %ld, %d nodes\n", total, nodes);
    printf("sums %d", sum(0, 1));
    printf(" %d", sum(1, 3));
    printf(" %d\n", sum(3, 3));
    printf("early %d", sum(-4, 1));
    printf(" %d", sum(0, 1));
    struct wide w = wide(9);
    printf(" wide %ld", w.a);
    w = wide(7);
    printf(" %ld\n", w.c);
    printf("%d\n", again(3));
    printf("shadows %d", shadows(42, 1));
    printf(" %d\n", shadows(42, 2));
    printf("switched %d", switched(1));
    printf(" %d", switched(2));
    printf(" %d\n", switched(3));
    printf("mixed %d", mixed(4));
    printf(" %d\n", mixed(10));
}

int main(void)
{
    co4_run(all());
    return 0;
}
