#include "parts.h"

pausable int low(int n)
{
    co4_yield();
    return n + 1;
}
