/* jumps.c - longjmp to functions that have paused since their setjmp, and to those that have not.
 * needs: setjmp
 * expect: levels 7300 7303 7306 7300 7303 7306 7300 7303
 * expect: choose 3111 3111
 * expect: nested 14
 * expect: several 153
 * expect: sorted 8 9
 * expect: plain 14 23
 * expect: again 6
 * expect: value 7 8 wide 1 2 3 4
 * expect: zero 1 */
#include <co4.h>
#include <co4/sanitizer.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#if CO4_ADDRESS_SANITIZER /* frames of a run that the jump skips are lost, with their memory */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}
#endif

static jmp_buf top;

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

enum { LEAF = 1, MIDDLE = 2, BEFORE = 4, AFTER = 8 };

static pausable void jump_from(int depth, int code, int pauses)
{
    int own[3] = { depth, code, pauses }; /* its frame is given up by the jump */
    if (depth == 0) {
        if (pauses & LEAF)
            wait_for(1);
        longjmp(top, own[1]);
    }
    if (pauses & MIDDLE)
        wait_for(2);
    if (depth > 0)
        jump_from(own[0] - 1, code, pauses);
    printf("not reached\n");
}

static pausable int levels(int code, int pauses)
{
    int kept = code * 3;
    volatile int v = 1, w = 3;
    if (pauses & BEFORE)
        wait_for(3);
    if (setjmp(top) == 0) {
        v = 2;
        w = 7;
        if (pauses & AFTER)
            wait_for(1);
        v = 3;
        jump_from(3, code, pauses);
        return -1;
    }
    return kept + v * 100 + w * 1000;
}

static pausable int choose(int code)
{
    volatile int n = 0;
    switch (setjmp(top)) {
    case 0:
        n++;
        jump_from(2, code, LEAF | MIDDLE);
        break;
    case 1:
        n += 10;
        jump_from(1, 2, LEAF);
        break;
    case 2:
        n += 100;
        wait_for(1);
        longjmp(top, 5);
    default:
        n += 1000;
        if (n < 3000)
            longjmp(top, 6);
        break;
    }
    return n;
}

/* ---- buffers in structs on the heap, nested activations ---- */

struct guard {
    int depth;
    jmp_buf buf;
    struct guard *outer;
};
static struct guard *innermost;

static pausable void raise_code(int code)
{
    wait_for(1);
    longjmp(innermost->buf, code);
}

static pausable int nested(int depth)
{
    struct guard *g = malloc(sizeof *g);
    if (g == NULL)
        return -1;
    g->outer = innermost;
    g->depth = depth;
    volatile int result = 0;
    int code = setjmp(g->buf);
    if (code == 0) {
        innermost = g;
        if (depth == 0)
            raise_code(1);
        result = nested(depth - 1);
        wait_for(1);
        raise_code(depth + 10);
    } else {
        result = code;
    }
    innermost = g->outer;
    free(g);
    return result;
}

/* ---- several in one function, in an array ---- */

static jmp_buf many[3];

static pausable int several(void)
{
    volatile int count = 0, i;
    for (i = 0; i < 3; i++)
        if (setjmp(many[i]) != 0) {
            count += 10 * (i + 1);
            if (count > 200)
                return count;
        } else {
            count++;
        }
    wait_for(1);
    while (!setjmp(top)) {
        wait_for(1);
        if (count < 100)
            longjmp(many[count % 3], 1);
        longjmp(top, 0);
    }
    return count;
}

/* ---- plain code between ---- */

static int by_jump(const void *a, const void *b)
{
    if (a != b)
        longjmp(top, 9);
    return 0;
}

static pausable int sorted(int pauses)
{
    volatile int cells[3] = { 3, 1, 2 };
    int kept = 5 + pauses;
    if (setjmp(top) == 0) {
        if (pauses)
            wait_for(1);
        qsort((void *)cells, 3, sizeof *cells, by_jump);
        return 0;
    }
    return kept + cells[0];
}

static pausable int inner(int n)
{
    if (wait_for(n) == n)
        longjmp(top, n);
    return 0;
}

static int run_inner(int n)
{
    return co4_run(inner(n));
}

static pausable int through_a_run(int n)
{
    int kept = n + 1;
    int code = setjmp(top);
    if (code == 0) {
        wait_for(1);
        return run_inner(n);
    }
    return 10 * code + kept + 2;
}

/* a plain function's setjmp is the C library's */
static int plain_guard(int n)
{
    int code = setjmp(top);
    return code == 0 ? run_inner(n) : 10 * code + n + 1;
}

static pausable int again(void)
{
    volatile int turns = 0;
    setjmp(top);
    wait_for(1);
    if (++turns < 6)
        jump_from(turns % 3, 1, turns % 4);
    return turns;
}

/* ---- as values ---- */

struct wide {
    long v[4];
};

static pausable struct wide make_wide(long n)
{
    struct wide w = { { n, n + 1, n + 2, n + 3 } };
    wait_for(1);
    if (n == 0)
        longjmp(top, 1);
    return w;
}

static pausable struct wide wide_or(long n)
{
    volatile long from = n;
    if (setjmp(top))
        from = 1;
    return make_wide(from);
}

static pausable int value(int code)
{
    int got = setjmp(top);
    if (got == 0)
        jump_from(1, code, LEAF);
    return got;
}

static pausable int zero(void)
{
    int got;
    if ((got = setjmp(top)) == 0)
        jump_from(0, 0, 0);
    return got;
}

static pausable int all(void)
{
    printf("levels");
    for (int p = 0; p < 8; p++)
        printf(" %d", levels(p % 3, p) + levels(0, p + AFTER) - levels(0, p));
    printf("\nchoose %d %d\n", choose(1), choose(0));
    printf("nested %d\n", nested(4));
    printf("several %d\n", several());
    printf("sorted %d %d\n", sorted(0), sorted(1));
    int one = through_a_run(1);
    printf("plain %d %d\n", one, plain_guard(2));
    printf("again %d\n", again());
    int seven = value(7), eight = value(8);
    struct wide w = wide_or(0);
    printf("value %d %d wide %ld %ld %ld %ld\n", seven, eight, w.v[0], w.v[1], w.v[2], w.v[3]);
    printf("zero %d\n", zero());
    return 0;
}

int main(void)
{
    return co4_run(all());
}
