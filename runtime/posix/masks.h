/* masks.h - which signals are blocked: masks.c explains it. */
#ifndef CO4_POSIX_MASKS_H
#define CO4_POSIX_MASKS_H

#include <stdbool.h>

#include "base/compiler.h"

/* The calling thread is about to change its mask. */
CO4__IF_LINKED void co4__masks_change(void);
/* Of the thread of a simulation: may a signal be blocked in any task? */
CO4__IF_LINKED bool co4__masks_block(void);

#endif
