/* reject: a frame that is larger than pausable_max() allows, with what is in it. */
#include <stddef.h>

#include <co4.h>

#define SMALL 40

pausable int wait_for(char *text, int n);

pausable_max(SMALL) int too_small(int n);
pausable int too_small(int n) /* error at 14: the frame of 'too_small' takes 56 bytes, and pausable_max allows 40 */ /* hint: fewer or smaller values */ /* note at 14: 16 bytes: the head of the frame */ /* note at 28: 4 bytes: n, read after a pause */ /* note at 14: 1 bytes: padding */
{
    char text[31]; /* note at 10: 31 bytes: text, pinned because it is an array */
    text[0] = 0;
    return wait_for(text, n) + wait_for(text, n) + n; /* note at 12: 4 bytes: a temporary, computed before a pause */
}

pausable_max(24) int fits(int n)
{
    co4_yield();
    return n;
}

/* The tightest counts. */
pausable_max(100) int twice(int n);
pausable_max(16) int twice(int n) /* error: the frame of 'twice' takes 24 bytes, and pausable_max allows 16 */
{
    co4_yield();
    return n;
}

static pausable_max(0) int no_points(int n)
{
    return n;
}

int main(void)
{
    return co4_run(too_small(1)) + co4_run(fits(1)) + co4_run(twice(1)) + co4_run(no_points(0));
}
