/* blocking.h - the pool of threads that make ordinary calls. */
#ifndef CO4_BLOCKING_INTERNAL_H
#define CO4_BLOCKING_INTERNAL_H

#include "platform/fork.h"

co4__fork_handler co4__blocking_fork;

#endif
