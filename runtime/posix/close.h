/* close.h - descriptors that a program without marks closes and duplicates: close.c explains it. */
#ifndef CO4_POSIX_CLOSE_H
#define CO4_POSIX_CLOSE_H

#include "base/compiler.h"

/* Set by a simulation: called when dup2() has made `to` a descriptor of the same file. Returns
 * `to`, or -1 with `errno`. */
extern CO4__OWN int (*co4__posix_duplicated)(int from, int to);

#endif
