/* main.c - pausable_or_plain across files, in a header's inline function, and on main itself.
 * expect: plain 6 3
 * expect: pausable 6 3
 * expect: status 4
 * exit: 4 */
#include "measure.h"

#include <stdio.h>

static int through(int (*measure)(const char *), const char *text)
{
    return measure(text);
}

/* nothing but plain code */
static void plainly(void)
{
    printf("plain %d %d\n", through(measure, "abcdef"), half(through(measure, "abcdef")));
}

pausable_or_plain int main(int argc, char *argv[])
{
    plainly();
    int whole = measure("abcdef"); /* main is pausable, too */
    printf("pausable %d %d\n", whole, half(whole));
    printf("status %d\n", (int)sizeof __func__ - argc + (argv != NULL ? 0 : 1));
    return argc == 1 ? measure(__func__) : 0;
}
