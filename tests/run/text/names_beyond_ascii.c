/* names_beyond_ascii.c - names in the alphabets of the world, also as universal character names.
 * expect: 12 3 4 5
 * expect: 1 2 3 4 */
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

/* Names on both sides of where UTF-8 needs one byte more: written out, and as universal character
 * names. */
static pausable int ߊ(int \u07ca)
{
    co4_yield();
    return ߊ;
}

static pausable int last(void)
{
    int ࠀ = 1, ￜ = 2, \U00010000 = 3, \U00010300 = 4;
    co4_yield();
    printf("%d %d %d %d\n", ߊ(\u0800), \uffdc, 𐀀, 𐌀);
    return 0;
}

int main(void)
{
    co4_run(arbeit());
    co4_run(last());
    return 0;
}
