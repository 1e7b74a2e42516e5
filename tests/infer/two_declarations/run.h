#ifndef RUN_H
#define RUN_H
#include <co4.h>

typedef pausable int callback(void *);
int run(int (*f)(void *), void *arg);

#endif
