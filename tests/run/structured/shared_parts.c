/* shared_parts.c - single bodies that share: a resume entry with functions of their type, the code
 * that saves with other points, and parameters that are restored at the entry.
 * weave: --entry=single
 * flags: -Os
 * expect: sum 21 product 720
 * expect: void 3
 * expect: doubled 14 halved 3.50
 * expect: pinned 12 and 30
 * expect: late 1 early 0, 7
 * expect: wide 5 6 7 8, 3
 * expect: skipped 4
 * expect: own initializer 12
 * expect: bool 1 0 1
 * expect: aligned 0 11 */
#include <co4.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Two of one type. A parameter is dead at the last points. */
static pausable long sum(int n, long first)
{
    long all = first;
    for (int i = 1; i <= n; i++) {
        co4_yield();
        all += i;
    }
    co4_yield();
    return all;
}

static pausable long product(int n, long first)
{
    long all = first;
    co4_yield();
    while (n > 1) {
        all *= n--;
        co4_yield();
    }
    return all;
}

static int steps;

static pausable void one_step(void)
{
    co4_yield();
    steps++;
}

static pausable void two_steps(void)
{
    one_step();
    co4_yield();
    steps++;
}

/* Results of other types do not share. */
static pausable int doubled(int n)
{
    co4_yield();
    return 2 * n;
}

static pausable double halved(int n)
{
    co4_yield();
    return n / 2.0;
}

/* Pinned locals: these take a frame, and are not their own entries. */
static pausable int add_up(const int *from, int n)
{
    int all = 0, *at = &all;
    for (int i = 0; i < n; i++) {
        co4_yield();
        *at += from[i];
    }
    return all;
}

static pausable int multiply(const int *from, int n)
{
    int all = 1, *at = &all;
    for (int i = 0; i < n; i++) {
        co4_yield();
        *at *= from[i];
    }
    return all;
}

/* Points before and after a local that only one of them needs. */
static pausable int later(int n)
{
    int early = n - 1;
    co4_yield();
    int late = early + 1;
    co4_yield();
    printf("late %d early %d, ", late, early);
    co4_yield();
    int unset;
    co4_yield();
    unset = 7;
    co4_yield();
    return unset;
}

/* The second entry of a point with a wide result. */
struct wide {
    long a, b, c, d;
};

static pausable struct wide make(long from)
{
    co4_yield();
    return (struct wide){ from, from + 1, from + 2, from + 3 };
}

static pausable long wides(void)
{
    struct wide w = make(1);
    co4_yield();
    w = make(w.b + 3);
    int points = 1;
    co4_yield();
    points += 1;
    printf("wide %ld %ld %ld %ld, ", w.a, w.b, w.c, w.d);
    co4_yield();
    return points + 1;
}

/* Jumps pass declarations. */
static pausable int skipped(int n)
{
    switch (n) {
        int inside;
    case 1:
        inside = n;
        co4_yield();
        return inside;
    case 2:
        co4_yield();
        goto behind;
    default:
        break;
    }
    for (;;) {
        int between = n;
        co4_yield();
        if (between > 0)
            return between;
    behind:
        co4_yield();
        return 4;
    }
}

/* A point in a local's own initializer. */
static pausable int own(int n)
{
    int a = doubled(n);
    int b = doubled(a) + a;
    co4_yield();
    int c = doubled(b) - doubled(a);
    co4_yield();
    return c - n;
}

static pausable bool both(bool a, bool b)
{
    co4_yield();
    bool first = a;
    co4_yield();
    bool second = b;
    co4_yield();
    return first && second;
}

static pausable bool either(bool a, bool b)
{
    co4_yield();
    if (a)
        return true;
    co4_yield();
    return b;
}

static pausable int aligned(int n)
{
    _Alignas(64) int value = n;
    int *at = &value;
    co4_yield();
    int off = (int)((uintptr_t)at % 64);
    co4_yield();
    printf("aligned %d ", off);
    return *at;
}

static pausable int all(void)
{
    static const int numbers[] = { 2, 3, 5, 2 };
    printf("sum %ld product %ld\n", sum(5, 6), product(5, 6));
    one_step();
    two_steps();
    printf("void %d\n", steps);
    printf("doubled %d halved %.2f\n", doubled(7), halved(7));
    printf("pinned %d and %d\n", add_up(numbers, 4), multiply(numbers, 3));
    printf("%d\n", later(1));
    printf("%ld\n", wides());
    printf("skipped %d\n", skipped(2));
    printf("own initializer %d\n", own(3) - 3 * 3);
    printf("bool %d %d %d\n", both(true, true), both(true, false), either(false, true));
    printf("%d\n", aligned(11));
    return 0;
}

int main(void)
{
    return co4_run(all());
}
