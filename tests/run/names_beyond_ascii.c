/* names_beyond_ascii.c - names in the alphabets of the world, also as universal character names.
 * expect: 12 3 4 5 */
#include <co4.h>
#include <stdio.h>

static pausable int größe(int länge)
{
    co4_yield();
    return länge + 1;
}

static pausable void arbeit(void)
{
    struct maß {
        int höhe;
    } tür = { 2 }, *zeiger = &tür;
    enum { fünf = 5 };
    int \u00e4hnlich = größe(3);
    zeiger->höhe = größe(11);
    if (tür.höhe == 0)
        goto übrig;
    printf("%d %d %d ", tür.höhe, größe(2), ähnlich);
übrig:
    printf("%d\n", fünf);
}

int main(void)
{
    co4_run(arbeit());
    return 0;
}
