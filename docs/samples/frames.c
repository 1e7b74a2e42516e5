/* frames.c - what a function keeps across its pauses.
 * expect: 110 110 */
#include <co4.h>
#include <stdio.h>
#include <string.h>

pausable int length_of(const char *text)
{
    co4_yield();
    return (int)strlen(text);
}

/* The array is alive across the pause, so it is in the frame: 200 bytes for each waiting task. */
pausable int wide(int n)
{
    char line[200];
    snprintf(line, sizeof line, "%0100d bytes", n);
    return length_of("0123") + (int)strlen(line);
}

static int format_length(int n)
{
    char line[200];
    snprintf(line, sizeof line, "%0100d bytes", n);
    return (int)strlen(line);
}

/* The array is on the C stack of a plain function that has returned before the pause. */
pausable int narrow(int n)
{
    int length = format_length(n);
    return length_of("0123") + length;
}

int main(void)
{
    printf("%d %d\n", co4_run(wide(7)), co4_run(narrow(7)));
}
