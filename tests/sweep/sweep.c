/* sweep.c - linked into a program, makes one of its allocations fail: the one whose number is in
 * SWEEP, or, where that is negative, it and all that follow. At the end the file named in SWEEP_OUT
 * gets how far it had still been (0: it has failed), and what is still allocated. */
#include <co4/test.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void begin(void)
{
    const char *n = getenv("SWEEP");
    if (n)
        co4_test_fail_alloc(strtol(n, NULL, 10));
}

__attribute__((destructor)) static void end(void)
{
    long left = co4_test_fail_alloc(0);
    const char *name = getenv("SWEEP_OUT");
    FILE *out = name ? fopen(name, "w") : NULL;
    if (!out)
        return;
    fprintf(out, "%ld %lld\n", left, co4_test_pool_live() + co4_test_alloc_live());
    fclose(out);
}
