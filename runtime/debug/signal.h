/* signal.h - a dump at a signal. */
#ifndef CO4_SIGNAL_INTERNAL_H
#define CO4_SIGNAL_INTERNAL_H

#include "platform/fork.h"

co4__fork_handler co4__signal_fork;

#endif
