/* masks.h - which signals are blocked: masks.c explains it. */
#ifndef CO4_POSIX_MASKS_H
#define CO4_POSIX_MASKS_H

#include "base/compiler.h"

/* The calling thread is about to change its mask. */
CO4__IF_LINKED void co4__masks_change(void);

#endif
