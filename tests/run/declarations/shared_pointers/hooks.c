#include "hooks.h"

static pausable int doubled(int x)
{
    co4_yield();
    return 2 * x;
}

static pausable int plus_four(int x)
{
    co4_yield();
    return x + 4;
}

pausable int (*hook)(int) = doubled;
handler *table[2] = { plus_four, &doubled };
