/* co4/source.h - waiting for one source, or for the first of several.
 *
 * A source has, sooner or later, a value or an error code to give: a mailbox a message or a place
 * for one, a future its result, a timer its moment. co4_await() waits for one of them, co4_select()
 * for the first of several:
 *
 *     co4_case cases[] = { CO4_CASE(co4_mailbox_source(in), &message),
 *                          CO4_CASE(co4_future_source(done), NULL) };
 *     switch (co4_select_until(cases, 2, CO4_SELECT_IN_ORDER, co4_now() + CO4_SEC)) {
 *     case 0: …                 a message
 *     case CO4_ENDED(0): …      the mailbox is closed: cases[0].code is CO4_ECLOSED
 *     case 1: …
 *     case CO4_ETIMEDOUT: …
 *     default: …                the future has failed, or the task was cancelled
 *     }
 *
 * The case that is chosen has taken place, the others have not: no message is received or sent for
 * them. Of several that are ready one is chosen at random, so that none starves;
 * CO4_SELECT_IN_ORDER takes the first. A source that ends with an error (closed, failed) is ready
 * as well: the result is CO4_ENDED() of its index then, never the index itself.
 *
 * A program's own sources implement co4_source_ops below. */
#ifndef CO4_SOURCE_H
#define CO4_SOURCE_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include "mark.h"
#include "waiter.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct co4_source co4_source;
typedef struct co4_source_ops co4_source_ops;
typedef struct co4_listener co4_listener;
typedef struct co4_listener_ops co4_listener_ops;

/* Sources, futures and streams that are made of others are nested so deep at most: their functions
 * call those below on the C stack. A deeper one is refused, and the program's first such one is
 * reported on standard error. */
#define CO4_NEST_MAX 500

/* A source. A program's own source begins with this struct. */
struct co4_source {
    const co4_source_ops *ops;
};

/* Unless a function says otherwise:
 *
 * Returns: CO4_EINVAL for NULL, and when *out is of another size than the source's values; of those
 *     that pause, CO4_ESTATE inside a generator. _until: CO4_ETIMEDOUT, and CO4_ENOMEM for the
 *     timer. co4_block: CO4_EDEADLK inside a task, and when nothing could end the wait.
 * Pauses: until a source is ready. Plain: blocks the thread.
 * Blocks: in a co4_block(), the thread, likewise; else never.
 * Cancellation: CO4_ECANCELED; nothing was taken from a source.
 * Thread safety: any task and thread, for sources of the library.
 * Ownership: sources, cases and *out stay the caller's, and where they are, until the call returns.
 * Since: 0.1. */

/* Waits for the source, and copies its value to *out, unless that is NULL.
 *
 * Returns: the source's code: CO4_OK with a value, or its error. CO4_NOW: CO4_EEMPTY when it is not
 *     ready. Else as above; then nothing was taken. */
pausable_or_block int co4_await(co4_source *source, void *out, size_t size);
pausable_or_block int co4_await_until(co4_source *source, void *out, size_t size, int64_t deadline);
#define co4_await(source, out) co4_await((source), (out), CO4_SIZE_OF(out))
#define co4_await_until(source, out, deadline)                                                     \
    co4_await_until((source), (out), CO4_SIZE_OF(out), (deadline))

/* Bytes of the source's values.
 *
 * Returns: the number; 0 when it has no values, and for NULL. */
size_t co4_source_size(const co4_source *source);

/* A waiter at a source. Its memory belongs to the task or thread that waits; between add and drop,
 * or complete, the source may link it. */
struct co4_listener {
    const co4_listener_ops *ops;
    const co4_source_ops *source; /* the adder sets it for the drop */
    void *data; /* for a source of one's own: a link of its list, or whatever it needs */
    struct {    /* for the sources of the library */
        struct co4__waiter waiter;
        void (*looked)(co4_listener *listener);
        unsigned char mark;
        unsigned refused;
    } co4_private;
};

/* One case of a select. The memory is the caller's; its address must not change while the select
 * waits. Afterwards it may be used for another select as it is. */
typedef struct co4_case {
    co4_source *source; /* NULL: this case is passed over */
    void *out;          /* room for its value; NULL: it is thrown away */
    size_t size;        /* of *out; another one than the source's is CO4_EINVAL */
    int code;           /* of the chosen case: the source's; of the others CO4_EEMPTY */
    struct {
        co4_listener listener;
        struct co4__selecting *selecting;
    } co4_private;
} co4_case;

/* Initializes a co4_case: its source, and the place for its value, or NULL. */
#define CO4_CASE(source_, out_)                                                                    \
    {                                                                                              \
        .source = (source_), .out = (out_), .size = CO4_SIZE_OF(out_)                              \
    }

/* Of several ready cases the first is chosen. */
#define CO4_SELECT_IN_ORDER 1

/* The result of a select whose case i has ended; cases[i].code is the error. A constant expression
 * if i is one; it differs from all error codes. Its own inverse: CO4_ENDED(result) is i. */
#define CO4_ENDED(i) (-0x10000 - (i))

/* Waits until one of `count` cases takes place, and takes it. `flags` is 0 or CO4_SELECT_IN_ORDER.
 *
 * Returns: the index of the case, if its source's code is not negative: *out has the value.
 *     CO4_ENDED() of the index, if that code is negative: closed, failed, timed out. CO4_EINVAL
 *     also when there is no case to wait for; the code of a source that cannot be waited for.
 *     CO4_NOW: CO4_EEMPTY when none is ready. Else as above; then no case has taken place. */
pausable_or_block int co4_select(co4_case *cases, int count);
pausable_or_block int co4_select_until(co4_case *cases, int count, int flags, int64_t deadline);

/* ---- the protocol ---- */

/* The functions of a source. Each may be called on any thread; none may pause. A source calls its
 * listeners' functions under its own lock, or otherwise never two at a time: acquire, then complete
 * or release. Then it calls wake, without any lock.
 *
 *   poll   completes the listener if it has something for it right now. 1: completed it;
 *          0: it has nothing, or the listener refused
 *   add    the same, but keeps the listener when there is nothing: 1 completed, 0 kept, or a
 *          negative code: neither
 *   drop   forgets a listener that was kept, if it is still there; afterwards the source does not
 *          use it any more. Selects and combined sources call it after each add that did not
 *          return 1, also one that failed. If the source has forgotten it before, the source may
 *          have been freed */
struct co4_source_ops {
    int (*poll)(co4_source *source, co4_listener *listener);
    int (*add)(co4_source *source, co4_listener *listener);
    void (*drop)(co4_source *source, co4_listener *listener);
    size_t (*size)(const co4_source *source);
};

/* The functions of a listener.
 *
 *   acquire   1: it still wants a value, and from now on no other source can give it one.
 *             0: it wants none; outside poll and add that is final, and a source may forget it
 *             then. May spin while another source is between acquire and release
 *   complete  after acquire: takes the code and the value (NULL when the source gives none), and
 *             is done for good
 *   release   after acquire: undoes it
 *   wake      after complete, without any lock: the waiter goes on
 *   owner     two listeners that must be acquired together are, in the order of this address
 *   look      the library's own; NULL in others
 *
 * A function that was given to a map or a filter runs in acquire, on the thread that called poll or
 * add, and may refuse the value there. For another thread such a listener returns 0, and wakes its
 * task, which polls, and adds it again. */
struct co4_listener_ops {
    int (*acquire)(co4_listener *listener, int code, const void *value);
    void (*complete)(co4_listener *listener, int code, const void *value);
    void (*release)(co4_listener *listener);
    void (*wake)(co4_listener *listener);
    const void *(*owner)(const co4_listener *listener);
    int (*look)(co4_listener *listener, int code, const void *value);
};

/* The code of a listener that is completed without a value, so that it looks for one. It polls
 * again, or is added again. */
#define CO4_LOOK INT_MIN

/* For a source that gives to one listener at a time: acquires it, and completes it.
 *
 * Returns: 1 when it took the value, and its `wake` is to be called; else 0.
 * Pauses: never. */
static inline int co4_listener_offer(co4_listener *l, int code, const void *value)
{
    if (!l->ops->acquire(l, code, value))
        return 0;
    l->ops->complete(l, code, value);
    return 1;
}

#ifdef __cplusplus
}
#endif

#endif
