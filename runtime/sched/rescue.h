/* rescue.h - tasks of a worker that is stuck. */
#ifndef CO4_RESCUE_INTERNAL_H
#define CO4_RESCUE_INTERNAL_H

#include "base/public.h"

int co4__guard_start(
    co4_runtime *rt); /* CO4_OK, CO4_EAGAIN; where there is nothing to guard, none is */
void co4__guard_stop(co4_runtime *rt); /* once `stopping` is set */

#endif
