/* exit_monitor.h - notices are sent at the end of a task. */
#ifndef CO4_EXIT_INTERNAL_H
#define CO4_EXIT_INTERNAL_H

#include "base/public.h"

struct co4__exits;

/* Tells everyone. Once or more: only the first counts. */
void co4__exits_ended(struct co4__exits *e, int error);
/* Of a task that goes. NULL is nothing. */
void co4__exits_free(struct co4__exits *e);

#endif
