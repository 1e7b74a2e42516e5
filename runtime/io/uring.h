/* uring.h - a ring of io_uring: calls on files that the kernel makes while their tasks pause.
 * uring.c explains the protocol. Where the kernel has none, or forbids it, no ring opens. */
#ifndef CO4_URING_H
#define CO4_URING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "core/task.h"
#include "io/descriptor.h"

struct co4__reactor;
struct co4__uring;
struct co4__worker;

enum co4__uring_what { CO4__URING_READ, CO4__URING_WRITE };

/* A call. It is a part of the frame of its task, which stays until the call has ended. */
struct co4__uring_call {
    co4_task *task;
    struct co4__descriptor *descriptor; /* in use until the call has ended */
    int32_t result;                     /* bytes, or a negative error number */
    struct co4__uring_call *next;       /* of those that have ended */
};

/* What the kernel has to do. The vector is needed until the call has begun, the buffers until it
 * has ended. */
struct co4__uring_request {
    enum co4__uring_what what;
    const struct iovec *iov;
    int count;
    off_t offset;
};

/* Returns whether this process may have rings, as far as known: none was refused for good. */
bool co4__uring_is_allowed(void);
/* Returns a ring, and its descriptor, which is readable while calls have ended. NULL: there is
 * none, now or for good. */
struct co4__uring *co4__uring_open(int *fd);
/* No call is under way, or this is a child of fork, and the calls are the parent's. */
void co4__uring_close(struct co4__uring *u);

/* Called by the owner: the kernel begins the call. False: the ring is full, or the kernel does not
 * take the call; nothing was done. */
bool co4__uring_begin(struct co4__uring *u, struct co4__uring_call *call,
                      const struct co4__uring_request *request);
/* Any thread: returns calls that have ended, linked by `next`; NULL: there is none. */
struct co4__uring_call *co4__uring_take(struct co4__uring *u);
/* Any thread: returns whether calls have ended, at some moment; whether any have not. */
bool co4__uring_has(struct co4__uring *u);
bool co4__uring_is_busy(struct co4__uring *u);
/* Waits until a call has ended. False: it cannot. */
bool co4__uring_wait(struct co4__uring *u);

/* ---- the ring of a reactor ---- */

/* Returns whether the worker has a ring, or shall open one at its next call. */
bool co4__ring_is_wanted(const struct co4__worker *w);
/* Called by the owner: the kernel begins the call, in a ring that is opened if there is none. */
bool co4__ring_begin(struct co4__reactor *r, struct co4__uring_call *call,
                     const struct co4__uring_request *request);
/* Any thread: returns whether the kernel makes calls; whether it has ended any. */
bool co4__ring_is_busy(struct co4__reactor *r);
bool co4__ring_has_ended(struct co4__reactor *r);
/* Any thread: ends these calls, and wakes their tasks. Returns whether there were any. */
bool co4__ring_take(struct co4__reactor *r);
/* Called by the owner, in a child of fork; at the end, when it waits for the calls. */
void co4__ring_close(struct co4__reactor *r);
void co4__ring_end(struct co4__reactor *r);

#endif
