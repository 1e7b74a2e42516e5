/* pool.h - memory by size class. */
#ifndef CO4_POOL_INTERNAL_H
#define CO4_POOL_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/public.h"
#include "platform/fork.h"

struct co4__pool_use {
    uint64_t tasks, task_bytes, blocks, block_bytes, reserved;
};
void co4__pool_use(struct co4__pool_use *out);

CO4__PRIVATE void *co4__pool_take(size_t bytes); /* not zeroed; NULL: allocation failed */
/* Takes a frame for `func`, aligned as that requires. co4__pool_drop() returns it. */
void *co4__pool_take_frame(const co4_abi_func *func);
CO4__PRIVATE void co4__pool_drop(void *p, size_t bytes);
/* Makes the cache of a thread that may drop many objects and take none: a drop never makes one. */
void co4__pool_thread_begin(void);
void co4__pool_thread_exit(void);
/* Gives the objects in this thread's cache to the depot. */
void co4__pool_flush(void);

co4__fork_handler co4__pool_fork;

#endif
