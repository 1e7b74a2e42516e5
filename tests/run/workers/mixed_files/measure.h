/* measure.h - shared by files that wait and files that do not. */
#ifndef MEASURE_H
#define MEASURE_H

#include <co4.h>

pausable_or_plain int measure(const char *text);

static inline pausable_or_plain int half(int n)
{
    co4_yield();
    return n / 2;
}

#endif
