/* co4/actor.h - a task with its inbox.
 *
 *     struct request {
 *         int add;
 *         co4_reply reply;
 *     };
 *
 *     static pausable int counter(co4_actor *self)
 *     {
 *         struct request r;
 *         int sum = 0, err;
 *         while ((err = co4_actor_receive(self, &r)) == CO4_OK) {
 *             sum += r.add;
 *             co4_actor_reply(self, r.reply, &sum);
 *         }
 *         return err == CO4_ECLOSED ? CO4_OK : err;
 *     }
 *     …
 *     co4_actor *a = co4_actor_create(sizeof(struct request), 100, 0);
 *     co4_actor_spawn(a, counter(a));
 *     struct request r = { .add = 5 };
 *     int sum, err = co4_actor_ask_until(a, &r, &r.reply, &sum, co4_now() + CO4_SEC);
 *     co4_actor_stop(a);
 *     co4_actor_join(a);
 *     co4_actor_release(a); */
#ifndef CO4_ACTOR_H
#define CO4_ACTOR_H

#include <stddef.h>
#include <stdint.h>

#include "future.h"
#include "group.h"
#include "mailbox.h"
#include "mark.h"
#include "source.h"
#include "task.h"

/* The actor is the address: other tasks send to it, no matter which task serves it. It is
 * reference-counted; its task has a reference until it ends. The inbox is a mailbox, and the rules
 * of mailbox.h for messages apply here.
 *
 * Asking. A question is a message with the number of its answer in it. The actor answers in any
 * order, from any task that has the number. An asker that is cancelled, or reaches its deadline,
 * takes the number back: a later answer is CO4_ECLOSED, and touches nothing. When an actor ends
 * without an answer, all askers that wait for it get CO4_ECLOSED. */

#ifdef __cplusplus
extern "C" {
#endif

/* Unless a function says otherwise:
 *
 * Returns: CO4_OK; CO4_EINVAL for NULL, and for messages of another size. Of those that pause:
 *     CO4_ESTATE inside a generator. _until: CO4_ETIMEDOUT, and CO4_ENOMEM for the timer. After an
 *     error nothing was sent or received.
 * Blocks: in a co4_block(), the thread, as tasks pause, and CO4_EDEADLK inside a task;
 *     else never.
 * Cancellation: CO4_ECANCELED.
 * Thread safety: any task and thread with a reference, at the same time.
 * Ownership: the caller keeps its reference; no pointer is kept.
 * Since: 0.1. */

typedef struct co4_actor co4_actor;

/* For actors that are started again: the inbox outlives the task. Its messages wait for the next
 * co4_actor_spawn(). */
#define CO4_ACTOR_STAYS 1

/* Creates an actor without a task. Messages may be sent to it already.
 *
 * Returns: the actor; NULL when out of memory, for sizes that a mailbox does not take, a capacity
 *     of 0 and other flags.
 * Ownership: the caller has a reference. */
CO4_MUST_USE co4_actor *co4_actor_create(size_t msg_size, size_t capacity, int flags);

/* retain: takes a reference. release: releases one; the last frees the actor. NULL does nothing.
 *
 * Returns: retain: `actor`, also NULL.
 * Ownership: one release for each reference. */
co4_actor *co4_actor_retain(co4_actor *actor);
void co4_actor_release(co4_actor *actor);

/* co4_actor_spawn(actor, f(actor, a)): starts f as the actor's task, where co4_spawn() would. When
 * f returns the actor has ended: its inbox is closed, unless it stays, and the messages in it are
 * lost. A negative int result is a failure. Plain: runs f at once.
 *
 * Returns: CO4_OK. CO4_ENOMEM; CO4_ESTATE when it has a task, or there is no runtime; CO4_ECLOSED
 *     when it has ended: nothing has run. */
#ifdef CO4_PLAIN
int co4_plain_actor(co4_actor *actor, co4_future *end);
#define co4_actor_spawn(actor, call) co4_plain_actor((actor), co4_async(call))
#else
#define co4_actor_spawn(actor, call) co4_actor_start((actor), co4_task_create(call))
#endif
/* The same for a prepared task.
 *
 * Returns: as above; CO4_ESTATE also when the task was scheduled before.
 * Ownership: takes over the caller's reference to the task, also when it fails. */
int co4_actor_start(co4_actor *actor, co4_task *task);

/* ---- for other tasks ---- */

/* Sends a copy of *msg.
 *
 * Returns: CO4_OK; CO4_ECLOSED when the actor was stopped, or has ended; CO4_ENOMEM. CO4_NOW:
 *     CO4_EFULL instead of a wait. Else as above.
 * Pauses: while the inbox is full.
 * Ownership: *msg stays the caller's, and must not change until the call returns. */
pausable_or_block int co4_actor_send(co4_actor *actor, const void *msg, size_t size);
pausable_or_block int co4_actor_send_until(co4_actor *actor, const void *msg, size_t size,
                                           int64_t deadline);
#define co4_actor_send(actor, ...)                                                                 \
    co4_actor_send((actor), (__VA_ARGS__), CO4_SIZE_OF((__VA_ARGS__)))
#define co4_actor_send_until(actor, msg, deadline)                                                 \
    co4_actor_send_until((actor), (msg), CO4_SIZE_OF(msg), (deadline))

/* The number of an answer, a member of the messages that ask. 0 means that no answer is wanted, so
 * it is 0 in messages that are only sent. */
typedef struct co4_reply {
    unsigned long long number;
} co4_reply;

/* Asks: sends *msg, whose member *reply it sets, and waits for the answer, both up to the deadline.
 *
 * Returns: CO4_OK with the answer in *answer; the code of co4_actor_reply_error(). CO4_ETIMEDOUT;
 *     CO4_ECLOSED when the actor has ended, or was stopped; CO4_ENOMEM; CO4_EDEADLK when it asks
 *     itself. CO4_EINVAL also when the answer has another size, and when `reply` is not in *msg, or
 *     elsewhere than in earlier questions. After an error the question may have been received, or
 *     may be later.
 * Pauses: until then.
 * Blocks: in a co4_block(), the thread, likewise.
 * Ownership: *msg and *answer stay the caller's, and where they are, until the call returns. */
pausable_or_block int co4_actor_ask_until(co4_actor *actor, void *msg, size_t msg_size,
                                          co4_reply *reply, void *answer, size_t answer_size,
                                          int64_t deadline);
#define co4_actor_ask_until(actor, msg, reply, answer, deadline)                                   \
    co4_actor_ask_until((actor), (msg), CO4_SIZE_OF(msg), (reply), (answer), CO4_SIZE_OF(answer),  \
                        (deadline))

/* The same for a thread that is not inside a task.
 *
 * Returns: as above; CO4_EDEADLK inside a task.
 * Blocks: the thread, until then. */

/* Sends a question without waiting. *answer becomes the future of the answer, of `answer_size`
 * bytes.
 *
 * Returns: CO4_OK; CO4_EFULL, and as for an ask; *answer is NULL then.
 * Ownership: the caller has a reference to *answer. */
CO4_MUST_USE int co4_actor_request(co4_actor *actor, void *msg, size_t msg_size, co4_reply *reply,
                                   size_t answer_size, co4_future **answer);
#define co4_actor_request(actor, msg, reply, answer_size, answer)                                  \
    co4_actor_request((actor), (msg), CO4_SIZE_OF(msg), (reply), (answer_size), (answer))

/* Stops the actor: sends are CO4_ECLOSED from now on. The actor receives the messages in its inbox.
 * Then it receives CO4_ECLOSED, and ends.
 *
 * Returns: CO4_OK; CO4_EINVAL for NULL. */
int co4_actor_stop(co4_actor *actor);

/* Cancels the actor's task (task.h).
 *
 * Returns: CO4_OK; CO4_ESTATE when it has none; CO4_EINVAL for NULL. */
int co4_actor_cancel(co4_actor *actor, int reason);

/* Waits until the actor's task has ended.
 *
 * Returns: how it has ended: CO4_OK, a negative result of its function, or the task's error.
 *     CO4_ESTATE when it never had a task; CO4_EDEADLK for its own task.
 * Pauses: until then. */
pausable_or_block int co4_actor_join(co4_actor *actor);
pausable_or_block int co4_actor_join_until(co4_actor *actor, int64_t deadline);

/* The result of the actor's task as a future: for select, or for its value.
 *
 * Returns: the future; NULL when it never had a task.
 * Ownership: the caller has a reference to the future. */
CO4_MUST_USE co4_future *co4_actor_end(co4_actor *actor);

/* ---- for its own task ---- */

/* Receives the next message into *msg.
 *
 * Returns: CO4_OK; CO4_ECLOSED when the actor was stopped and the inbox is empty. CO4_NOW:
 *     CO4_EEMPTY instead of a wait. Else as above.
 * Pauses: while the inbox is empty.
 * Cancellation: CO4_ECANCELED, and no message is lost. */
pausable_or_block int co4_actor_receive(co4_actor *self, void *msg, size_t size);
pausable_or_block int co4_actor_receive_until(co4_actor *self, void *msg, size_t size,
                                              int64_t deadline);
#define co4_actor_receive(self, ...)                                                               \
    co4_actor_receive((self), (__VA_ARGS__), CO4_SIZE_OF((__VA_ARGS__)))
#define co4_actor_receive_until(self, msg, deadline)                                               \
    co4_actor_receive_until((self), (msg), CO4_SIZE_OF(msg), (deadline))
/* The messages as a source. In an actor that stays, such a message does not count as received: if
 * the task ends without an answer, its asker waits for the next task.
 *
 * Returns: the source; NULL for NULL.
 * Ownership: the source is part of the actor. */
co4_source *co4_actor_source(co4_actor *self);

/* Answers a question once: with a copy of *answer, or with a negative code.
 *
 * Returns: CO4_OK; CO4_ECLOSED when no asker waits for this answer, or ever did; CO4_EINVAL when
 *     the asker wants another size, and gets CO4_EINVAL too, and for a code that is not
 *     negative. */
int co4_actor_reply(co4_actor *actor, co4_reply reply, const void *answer, size_t size);
#define co4_actor_reply(actor, reply, ...)                                                         \
    co4_actor_reply((actor), (reply), (__VA_ARGS__), CO4_SIZE_OF((__VA_ARGS__)))
int co4_actor_reply_error(co4_actor *actor, co4_reply reply, int code);

/* Checks whether an asker waits for this answer.
 *
 * Returns: 1 or 0. */
int co4_actor_is_asked(co4_actor *actor, co4_reply reply);

#ifdef __cplusplus
}
#endif

#endif
