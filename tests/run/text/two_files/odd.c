#include "parity.h"

pausable int is_odd(int n)
{
    return n == 0 ? 0 : is_even(n - 1);
}
