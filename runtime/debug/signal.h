/* signal.h - a dump at a signal. */
#ifndef CO4_SIGNAL_INTERNAL_H
#define CO4_SIGNAL_INTERNAL_H

#include "platform/fork.h"

/* Without threads: the thread that drives looks whether the signal has come. */
void co4__signal_look(void);

co4__fork_handler co4__signal_fork;

#endif
