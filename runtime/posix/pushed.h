/* pushed.h - handlers of pthread_cleanup_push() in woven code that a thread runs. */
#ifndef CO4_POSIX_PUSHED_H
#define CO4_POSIX_PUSHED_H

#include "base/compiler.h"

/* A program may lack it. Runs those of the calling thread, the newest first. */
extern CO4__IF_LINKED void co4__pushed_run(void);

#endif
