/* ring - a queue of elements of one size: both ends, growth in the middle of a turn, bounds, memory
 * of one's own, and a long walk beside a plain array.
 * expect: oldest first 1 2 3, then there is no message
 * expect: full there is no room, capacity 3
 * expect: front 0 1 2 3 newest 3
 * expect: peek 1 2 none 0, removed 2, left 1 3
 * expect: shrink: still in use, then no error, full at 2, again 3
 * expect: its own memory: 4 elements, full there is no room, bound an argument is not acceptable
 * expect: out of memory: out of memory, then 5 elements
 * expect: walk: 20000 steps alike
 * expect: wrong: an argument is not acceptable an argument is not acceptable an argument is not acceptable 0 none
 * expect: nothing is left */
#include <co4.h>
#include <co4/test.h>
#include <stdio.h>
#include <stdlib.h>

/* Here it cannot fail. */
static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

static const char *text(int code)
{
    return co4_strerror(code);
}

static int at(co4_ring *r, size_t i)
{
    int *p = co4_ring_peek(r, i);
    return p ? *p : -1;
}

static void ends(void)
{
    co4_ring r;
    int v;
    co4_ring_init(&r, sizeof v, 3);
    for (v = 1; v <= 3; v++)
        must(co4_ring_push(&r, &v));
    int full = co4_ring_push(&r, &v);
    printf("oldest first");
    while (co4_ring_pop(&r, &v) == CO4_OK)
        printf(" %d", v);
    printf(", then %s\n", text(co4_ring_pop(&r, &v)));
    printf("full %s, capacity %zu\n", text(full), co4_ring_capacity(&r));
    co4_ring_destroy(&r);

    co4_ring_init(&r, sizeof v, SIZE_MAX);
    for (v = 3; v >= 0; v--)
        must(co4_ring_push_front(&r, &v));
    printf("front %d %d %d %d", at(&r, 0), at(&r, 1), at(&r, 2), at(&r, 3));
    co4_ring_pop_back(&r, &v);
    printf(" newest %d\n", v);
    must(co4_ring_push(&r, &v));
    co4_ring_pop(&r, NULL);
    printf("peek %d %d none %d", at(&r, 0), at(&r, 1), co4_ring_peek(&r, 3) != NULL);
    co4_ring_remove(&r, 1, &v);
    printf(", removed %d, left %d %d\n", v, at(&r, 0), at(&r, 1));
    co4_ring_destroy(&r);
}

static void bounds(void)
{
    co4_ring r;
    must(co4_ring_init(&r, sizeof(int), 100));
    int v = 7, pushed = 0;
    for (int i = 0; i < 3; i++)
        must(co4_ring_push(&r, &v));
    int busy = co4_ring_set_capacity(&r, 2);
    co4_ring_pop(&r, NULL);
    int err = co4_ring_set_capacity(&r, 2);
    printf("shrink: %s, then %s, full at %zu", text(busy), text(err), co4_ring_len(&r));
    if (co4_ring_push(&r, &v) != CO4_EFULL)
        printf(" not full");
    co4_ring_set_capacity(&r, 3);
    must(co4_ring_push(&r, &v));
    printf(", again %zu\n", co4_ring_len(&r));
    co4_ring_destroy(&r);

    int memory[4];
    co4_ring lent;
    co4_ring_init_in(&lent, sizeof v, memory, sizeof memory);
    while ((err = co4_ring_push(&lent, &v)) == CO4_OK)
        pushed++;
    printf("its own memory: %d elements, full %s, bound %s\n", pushed, text(err),
           text(co4_ring_set_capacity(&lent, 5)));
    co4_ring_destroy(&lent);

    co4_ring_init(&lent, sizeof v, 5);
    for (int i = 0; i < 4; i++)
        must(co4_ring_push(&lent, &v));
    co4_test_fail_alloc(1);
    err = co4_ring_push(&lent, &v);
    co4_test_fail_alloc(0);
    must(co4_ring_push(&lent, &v));
    printf("out of memory: %s, then %zu elements\n", text(err), co4_ring_len(&lent));
    co4_ring_destroy(&lent);
}

/* The same steps on a ring and on an array that moves all. */
static void walk(void)
{
    struct elem {
        short n;
        char more[7];
    } beside[64], e = { 0, "" };
    int count = 0, alike = 0;
    unsigned toss = 1;
    co4_ring r;
    co4_ring_init(&r, sizeof e, 40);
    for (int step = 0; step < 20000; step++) {
        toss = toss * 1103515245u + 12345u;
        unsigned what = toss >> 16 & 7;
        e.n = (short)step;
        if (what < 3 && co4_ring_push(&r, &e) == CO4_OK) {
            beside[count++] = e;
        } else if (what == 3 && co4_ring_push_front(&r, &e) == CO4_OK) {
            for (int i = count++; i > 0; i--)
                beside[i] = beside[i - 1];
            beside[0] = e;
        } else if (what > 3 && count > 0) {
            int i = what == 5 ? (int)(toss >> 20) % count : what == 6 ? count - 1 : 0;
            int err = what == 5   ? co4_ring_remove(&r, (size_t)i, &e)
                      : what == 6 ? co4_ring_pop_back(&r, &e)
                                  : co4_ring_pop(&r, &e);
            if (err != CO4_OK || e.n != beside[i].n)
                break;
            for (count--; i < count; i++)
                beside[i] = beside[i + 1];
        }
        int same = co4_ring_len(&r) == (size_t)count;
        for (int i = 0; i < count && same; i++)
            same = ((struct elem *)co4_ring_peek(&r, (size_t)i))->n == beside[i].n;
        if (!same)
            break;
        alike++;
    }
    printf("walk: %d steps alike\n", alike);
    co4_ring_destroy(&r);
}

int main(void)
{
    long long pool = co4_test_pool_live(), blocks = co4_test_alloc_live();
    co4_ring r;
    ends();
    bounds();
    walk();
    printf("wrong: %s %s %s %zu %s\n", text(co4_ring_init(&r, 0, 1)), text(co4_ring_push(NULL, &r)),
           text(co4_ring_pop(NULL, NULL)), co4_ring_len(NULL),
           co4_ring_init(&r, 4, 0) == CO4_OK ? "one" : "none");
    if (co4_test_pool_live() == pool && co4_test_alloc_live() == blocks)
        puts("nothing is left");
    return 0;
}
