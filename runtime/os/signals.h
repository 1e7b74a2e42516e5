/* signals.h - subscriptions to signals. */
#ifndef CO4_SIGNALS_INTERNAL_H
#define CO4_SIGNALS_INTERNAL_H

#include "platform/fork.h"

co4__fork_handler co4__signals_fork;

#endif
