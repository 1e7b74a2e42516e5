/* count.h - how many tasks a runtime has. */
#ifndef CO4_TASK_COUNT_INTERNAL_H
#define CO4_TASK_COUNT_INTERNAL_H

#include <stdint.h>

#include "base/public.h"

uint64_t co4__runtime_alive(co4_runtime *rt);
void co4__runtime_maybe_empty(co4_runtime *rt); /* tells joiners when the last task has stopped */

#endif
