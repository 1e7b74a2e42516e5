/* co4/small.h - the small library: for programs without an operating system.
 *
 * libco4_small.a is another choice of the library's source files: tasks on one thread, generators,
 * mailboxes, sleeping, join, cancelling; no threads, no malloc. What it has is declared in the
 * headers as ever and means the same (docs/targets.md has the list); all else is missing when the
 * program is linked. It asks the program for three things. */
#ifndef CO4_SMALL_H
#define CO4_SMALL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All memory that tasks, frames, generators and mailboxes will ever have; *bytes: how much. Asked
 * for once, when the first of it is needed. What does not fit there is CO4_ENOMEM. */
void *co4_port_memory(size_t *bytes);

/* Nanoseconds since some moment; never goes back. */
int64_t co4_port_now(void);

/* Nothing is ready until co4_port_now() is `deadline`; CO4_NEVER: no timer runs. Waits for that or
 * for an interrupt, and may come back early. This is the place to hand on what interrupts have
 * left: co4_mailbox_try_send() and its like, which interrupts themselves must not call. 0; not 0:
 * nothing will ever come, and a co4_run() that still waits ends with CO4_EDEADLK. */
int co4_port_idle(int64_t deadline);

/* What takes how much of it, to make a sum of. All is rounded up; what is given back is used again
 * for what has that size. Of a task's functions co4weave --report says what they keep, frame by
 * frame and in all; a call that is spawned, or a task created of it, keeps a frame with its
 * arguments until it begins. */
#define CO4_MEMORY_OF(bytes)                                                                       \
    (((bytes) + _Alignof(max_align_t) - 1) / _Alignof(max_align_t) * _Alignof(max_align_t))
#define CO4_MEMORY_TASK CO4_MEMORY_OF(sizeof(void *) == 4 ? 72 : 96)
#define CO4_MEMORY_RUN  CO4_MEMORY_OF(sizeof(void *) == 4 ? 112 : 176) /* a co4_run */
#define CO4_MEMORY_CALL(arguments)                                                                 \
    CO4_MEMORY_OF(2 * sizeof(void *) + (arguments)) /* bytes of them */
#define CO4_MEMORY_MAILBOX(elem_size, capacity)                                                    \
    CO4_MEMORY_OF(CO4_MEMORY_OF(4 * sizeof(void *) + 17) + (elem_size) * (capacity))

/* How much of that memory has never been used. */
size_t co4_memory_left(void);

#ifdef __cplusplus
}
#endif

#endif
