/* bit_precise.c - a local of C23's bit-precise types: libclang has no kind of type for them. */
/* flags: -std=gnu2x */
#include <co4.h>

pausable int sum(int n);

pausable int sum(int n)
{
    _BitInt(77) wide = n; /* error at 17: 'wide' has a type that cannot be kept */
    /* hint: declare it with a type of C11 */
    unsigned _BitInt(3) all[2] = { 1, 2 }; /* error at 25: 'all' has a type that cannot be kept */
    /* hint: declare it with a type of C11 */
    co4_yield();
    return (int)wide + (int)all[1];
}

/* One whose block does not wait is fine. */
pausable int wide_before(int n)
{
    int low;
    {
        _BitInt(77) wide = n;
        low = (int)wide;
    }
    co4_yield();
    return low;
}
