#ifndef PARITY_H
#define PARITY_H

#include <co4.h>

pausable int is_even(int n);
pausable int is_odd(int n);

#endif
