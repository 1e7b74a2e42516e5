#ifndef SHARED_H
#define SHARED_H

#include <co4.h>

typedef pausable int hook(int);

extern hook *hooks[2];

pausable int left(int n);
pausable int right(int n);
pausable int back(int n);
pausable int call_hook(int n);
void set_hook(hook *h);

static inline pausable int limited(int n, int limit)
{
    co4_yield();
    return n < limit ? n : limit;
}

#endif
