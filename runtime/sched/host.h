/* host.h - calls of JavaScript: host.c explains them. */
#ifndef CO4_HOST_INTERNAL_H
#define CO4_HOST_INTERNAL_H

#include "base/compiler.h"
#include "base/public.h"

/* A call of JavaScript that has paused has ended. */
CO4__OWN void co4__host_call_ends(co4_task *t, int error);

#endif
