/* exit_monitor.h - sending notices at the end of a task. */
#ifndef CO4_EXIT_INTERNAL_H
#define CO4_EXIT_INTERNAL_H

#include "base/public.h"

struct co4__exits;

/* Notifies all listeners and mailboxes. Only the first call counts. */
void co4__exits_ended(struct co4__exits *e, int error);
/* Called when a task is freed. NULL does nothing. */
void co4__exits_free(struct co4__exits *e);

#endif
