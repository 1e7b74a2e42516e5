/* co4/small.h - the small library: for programs without an operating system.
 *
 * libco4_small.a is another choice of the library's source files: tasks on one thread, generators,
 * mailboxes, sleeping, join, cancelling; no threads, no malloc. The usual headers declare its
 * functions, which do the same as elsewhere (docs/targets.md has the list). A program that uses
 * other functions does not link. It asks the program for three things. */
#ifndef CO4_SMALL_H
#define CO4_SMALL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Unless a function says otherwise:
 *
 * Blocks: never.
 * Thread safety: the one thread there is; not in an interrupt.
 * Ownership: nothing changes hands.
 * Since: 0.1. */

/* Provided by the program: all memory that tasks, frames, generators and mailboxes will ever have.
 * Called once, when the first memory is needed. An allocation beyond it is CO4_ENOMEM.
 *
 * Returns: the memory; *bytes is its size.
 * Ownership: the library's, for good. */
void *co4_port_memory(size_t *bytes);

/* Provided by the program: the clock.
 *
 * Returns: nanoseconds since some moment; it never goes back. */
int64_t co4_port_now(void);

/* Provided by the program: waits until co4_port_now() is `deadline`, or for an interrupt; no task
 * is ready meanwhile. CO4_NEVER: no timer runs. It may return early. Here the program sends the
 * messages of interrupts, by co4_mailbox_send_until() with CO4_NOW and the like, which interrupts
 * must not call.
 *
 * Returns: 0; not 0 when nothing will ever come: a co4_run() that still waits ends with
 *     CO4_EDEADLK.
 * Blocks: the thread, until then. */
int co4_port_idle(int64_t deadline);

/* The share of that memory that each object needs, for a sum. All sizes are rounded up; freed
 * memory is used again for objects of its size. co4weave --report prints the frames of a task's
 * functions, one by one and in all. A call that is spawned, or a task created of it, keeps a frame
 * with its arguments until it begins. */
#define CO4_MEMORY_OF(bytes)                                                                       \
    (((bytes) + _Alignof(max_align_t) - 1) / _Alignof(max_align_t) * _Alignof(max_align_t))
#define CO4_MEMORY_TASK CO4_MEMORY_OF(sizeof(void *) == 4 ? 72 : 96)
#define CO4_MEMORY_RUN  CO4_MEMORY_OF(sizeof(void *) == 4 ? 112 : 176) /* a co4_run */
#define CO4_MEMORY_CALL(arguments)                                                                 \
    CO4_MEMORY_OF(2 * sizeof(void *) + (arguments)) /* bytes of them */
#define CO4_MEMORY_MAILBOX(elem_size, capacity)                                                    \
    CO4_MEMORY_OF(CO4_MEMORY_OF(4 * sizeof(void *) + 17) + (elem_size) * (capacity))

/* How much of the memory has never been used.
 *
 * Returns: bytes. */
size_t co4_memory_left(void);

#ifdef __cplusplus
}
#endif

#endif
