/* unseen.h - whether code that this link does not contain may signal a condition. */
#ifndef CO4_POSIX_UNSEEN_H
#define CO4_POSIX_UNSEEN_H

#include <stdbool.h>

#include "base/compiler.h"

/* Whether a shared library is there now that signals conditions. */
CO4__OWN bool co4__signals_unseen(void);

#endif
