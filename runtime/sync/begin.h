/* begin.h - a pausing call begins: it is an operation, which may have to let others run first. */
#ifndef CO4_BEGIN_H
#define CO4_BEGIN_H

#include "sync/source.h"

/* CO4_OK, or the code for which the call may not wait. */
#ifdef CO4_PLAIN
#define CO4__BEGIN() CO4_OK
#else
#define CO4__BEGIN() co4__may_wait()
#endif

#endif
