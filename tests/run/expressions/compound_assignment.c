/* compound_assignment - x op= f() for every operator, on locals, globals, members and elements.
 * expect: 7 226
 * expect: 101 42 2 41 42 1 4.5 4 cdef
 * expect: 106 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static int global = 100;
static struct {
    long n;
    unsigned low : 4;
} box = { 50, 9 };

static pausable void work(void)
{
    int n = 7;
    n += wait_for(5);
    n -= wait_for(2);
    n *= wait_for(3);
    n /= wait_for(2);
    n %= wait_for(8);
    printf("%d ", n);
    n <<= wait_for(3);
    n >>= wait_for(1);
    n |= wait_for(1);
    n &= wait_for(~2);
    n ^= wait_for(255);
    printf("%d\n", n);

    int array[2] = { 1, 2 }, i = 0;
    double d = 1.5;
    unsigned char byte = 250;
    const char *text = "abcdef";
    global += wait_for(1);
    box.n -= wait_for(8);
    box.low += wait_for(9);
    array[i++] += wait_for(40);
    array[wait_for(1)] *= wait_for(21);
    d *= wait_for(3);
    byte += wait_for(10);
    text += wait_for(2);
    printf("%d %ld %u %d %d %d %.1f %d %s\n", global, box.n, box.low, array[0], array[1], i, d,
           byte, text);
    printf("%d\n", (n = wait_for(4)) + (global += wait_for(1)));
}

int main(void)
{
    co4_run(work());
    return 0;
}
