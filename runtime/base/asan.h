/* asan.h - calls that mark memory for the address sanitizer; without it they do nothing. */
#ifndef CO4_ASAN_H
#define CO4_ASAN_H

#include "co4/sanitizer.h"

enum { ASAN = CO4_ADDRESS_SANITIZER };

#if CO4_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(p, n)   ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#endif

#endif
