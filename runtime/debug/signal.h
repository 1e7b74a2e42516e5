/* signal.h - a dump when a signal comes. */
#ifndef CO4_SIGNAL_INTERNAL_H
#define CO4_SIGNAL_INTERNAL_H

#include "platform/fork.h"

/* Dumps if the signal has come. Without threads the driver of a runtime calls it. */
void co4__signal_look(void);

co4__fork_handler co4__signal_fork;

#endif
