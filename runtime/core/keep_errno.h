/* keep_errno.h - errno across a forced pause. */
#ifndef CO4_KEEP_ERRNO_H
#define CO4_KEEP_ERRNO_H

#include "base/public.h"

/* Called when the fiber has begun to pause. */
void co4__keep_errno(co4_fiber *co4);

#endif
