#ifndef PARTS_H
#define PARTS_H
#include <co4.h>

typedef pausable int call(int n);

int low(int n);
pausable int high(int n);
int both(int n);
call through;

#endif
