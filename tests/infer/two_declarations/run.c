#include "run.h"

int run(callback *f, void *arg);

int run(callback *f, void *arg)
{
    co4_yield();
    return f(arg);
}
