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

/* The actor is the address: others send to it, whatever task serves it. It has counted owners; so
 * has its task a share until it ends. All that is said here of a message is what mailbox.h says;
 * the inbox is a mailbox.
 *
 * Asking. An ask is a send with the number of the answer in it. The actor answers when it likes, in
 * any order, from any task that knows the number. An asker whose time is up, or who is cancelled,
 * takes the number back: an answer that comes later is CO4_ECLOSED, and touches nothing. An actor
 * that ends without having answered is CO4_ECLOSED for all who wait for it.
 *
 * Codes that all share: CO4_EINVAL for NULL. Functions that pause: CO4_ECANCELED when the task is
 * cancelled, CO4_ESTATE inside a generator. On any error nothing has been sent or taken.
 * */

#ifdef __cplusplus
extern "C" {
#endif

typedef struct co4_actor co4_actor;

/* The inbox outlives the task: what is in it waits for the next co4_actor_spawn(). For actors that
 * are started again. */
#define CO4_ACTOR_STAYS 1

/* An actor without a task, for messages of msg_size bytes; messages may be sent already. The caller
 * owns a share. NULL when out of memory, for sizes that a mailbox does not take and other flags. */
CO4_MUST_USE co4_actor *co4_actor_create(size_t msg_size, size_t capacity, int flags);
/* One more owner; returns `actor`, also NULL. One less: the last frees it. Who sends or asks has a
 * share. NULL does nothing. */
co4_actor *co4_actor_retain(co4_actor *actor);
void co4_actor_release(co4_actor *actor);

/* co4_actor_spawn(actor, f(actor, a)): starts f as the actor's task, where co4_spawn would. When f
 * returns the actor has ended: the inbox is closed, unless it stays, and what is left in it is
 * lost. A negative int result is a failure. CO4_OK; CO4_ENOMEM; CO4_ESTATE when it has a task, or
 * there is no runtime; CO4_ECLOSED when it has ended. Nothing has run then. Plain: runs f at
 * once. */
#ifdef CO4_PLAIN
int co4_plain_actor(co4_actor *actor, int code);
#define co4_actor_spawn(actor, call)                                                               \
    co4_plain_actor((actor), __builtin_choose_expr(CO4__IS_INT(call), (call), ((void)(call), 0)))
#else
#define co4_actor_spawn(actor, call)                                                               \
    co4_actor_start((actor), co4_task_create(call), CO4__IS_INT(call))
#endif
/* The same for a task that has been prepared, whose share it takes over; is_code: its function
 * returns an int that is a code. CO4_ESTATE also when it was scheduled before. */
int co4_actor_start(co4_actor *actor, co4_task *task, int is_code);

/* ---- for others ---- */

/* Sends *msg; waits while the inbox is full. CO4_OK; CO4_ECLOSED: it has been stopped, or has
 * ended; CO4_ENOMEM. */
pausable int co4_actor_send_sized(co4_actor *actor, const void *msg, size_t size);
pausable int co4_actor_send_until_sized(co4_actor *actor, const void *msg, size_t size,
                                        int64_t deadline);
CO4_MUST_USE int co4_actor_try_send_sized(co4_actor *actor, const void *msg, size_t size);
int co4_actor_send_block_sized(co4_actor *actor, const void *msg, size_t size);
#define co4_actor_send(actor, ...)                                                                 \
    co4_actor_send_sized((actor), (__VA_ARGS__), CO4_SIZE_OF((__VA_ARGS__)))
#define co4_actor_send_until(actor, msg, deadline)                                                 \
    co4_actor_send_until_sized((actor), (msg), CO4_SIZE_OF(msg), (deadline))
#define co4_actor_try_send(actor, ...)                                                             \
    co4_actor_try_send_sized((actor), (__VA_ARGS__), CO4_SIZE_OF((__VA_ARGS__)))
#define co4_actor_send_block(actor, ...)                                                           \
    co4_actor_send_block_sized((actor), (__VA_ARGS__), CO4_SIZE_OF((__VA_ARGS__)))

/* The number of an answer, a member of the messages that ask. 0: none is wanted, so let it be 0 in
 * messages that are only sent. */
typedef struct co4_reply {
    unsigned long long number;
} co4_reply;

/* Sends *msg, with its member *reply set, and waits for the answer, both until the deadline.
 * CO4_OK: *answer is the answer; CO4_ETIMEDOUT; CO4_ECLOSED: the actor has ended, or was stopped;
 * CO4_ENOMEM; CO4_EDEADLK: it asks itself; CO4_EINVAL: `reply` is not in *msg, or elsewhere than in
 * earlier ones; or the code that it was answered with. After an error the question may have been
 * received, or will be. */
#define co4_actor_ask_until(actor, msg, reply, answer, deadline)                                   \
    co4_actor_ask_until_sized((actor), (msg), CO4_SIZE_OF(msg), (reply), (answer),                 \
                              CO4_SIZE_OF(answer), (deadline))
pausable int co4_actor_ask_until_sized(co4_actor *actor, void *msg, size_t msg_size,
                                       co4_reply *reply, void *answer, size_t answer_size,
                                       int64_t deadline);
/* For a thread that is not inside a task: blocks it. CO4_EDEADLK inside a task. */
#define co4_actor_ask_block_until(actor, msg, reply, answer, deadline)                             \
    co4_actor_ask_block_until_sized((actor), (msg), CO4_SIZE_OF(msg), (reply), (answer),           \
                                    CO4_SIZE_OF(answer), (deadline))
int co4_actor_ask_block_until_sized(co4_actor *actor, void *msg, size_t msg_size, co4_reply *reply,
                                    void *answer, size_t answer_size, int64_t deadline);
/* Sends the question, and does not wait: the answer comes to *answer, a future that the caller
 * releases. CO4_OK; CO4_EFULL, and as above; *answer is NULL then. */
#define co4_actor_request(actor, msg, reply, answer_size, answer)                                  \
    co4_actor_request_sized((actor), (msg), CO4_SIZE_OF(msg), (reply), (answer_size), (answer))
CO4_MUST_USE int co4_actor_request_sized(co4_actor *actor, void *msg, size_t msg_size,
                                         co4_reply *reply, size_t answer_size, co4_future **answer);

/* No more messages: sends are CO4_ECLOSED; the actor takes what is left, and is then told
 * CO4_ECLOSED, to end. CO4_OK, CO4_EINVAL. Any thread. */
int co4_actor_stop(co4_actor *actor);
/* Cancels its task (task.h). CO4_OK; CO4_ESTATE: it has none. */
int co4_actor_cancel(co4_actor *actor, int reason);

/* Waits until its task has ended; returns how: CO4_OK, a negative result of its function, or the
 * task's error. CO4_ESTATE: it never had one; with a deadline CO4_ETIMEDOUT, CO4_ENOMEM.
 * CO4_EDEADLK for its own task. */
pausable int co4_actor_join(co4_actor *actor);
pausable int co4_actor_join_until(co4_actor *actor, int64_t deadline);
/* The result of its task as a future, of which the caller gets a share: for select, or to learn the
 * value. NULL: it never had one. */
CO4_MUST_USE co4_future *co4_actor_end(co4_actor *actor);

/* ---- for its own task ---- */

/* Takes the next message. CO4_OK; CO4_ECLOSED when it was stopped and nothing is left. */
pausable int co4_actor_receive_sized(co4_actor *self, void *msg, size_t size);
pausable int co4_actor_receive_until_sized(co4_actor *self, void *msg, size_t size,
                                           int64_t deadline);
CO4_MUST_USE int co4_actor_try_receive_sized(co4_actor *self, void *msg, size_t size);
#define co4_actor_receive(self, ...)                                                               \
    co4_actor_receive_sized((self), (__VA_ARGS__), CO4_SIZE_OF((__VA_ARGS__)))
#define co4_actor_receive_until(self, msg, deadline)                                               \
    co4_actor_receive_until_sized((self), (msg), CO4_SIZE_OF(msg), (deadline))
#define co4_actor_try_receive(self, ...)                                                           \
    co4_actor_try_receive_sized((self), (__VA_ARGS__), CO4_SIZE_OF((__VA_ARGS__)))
/* Messages as a source. One that is taken so by a task that is started again is not counted as
 * received: its asker waits on when the task ends. NULL for NULL. */
co4_source *co4_actor_source(co4_actor *self);

/* Answers: copies *answer to who has asked, or tells a negative code. Any task or thread with a
 * share in the actor, once. CO4_OK; CO4_ECLOSED: nobody waits for it any more, or ever did;
 * CO4_EINVAL: the asker wants another size, and goes on waiting. */
#define co4_actor_reply(actor, reply, ...)                                                         \
    co4_actor_reply_sized((actor), (reply), (__VA_ARGS__), CO4_SIZE_OF((__VA_ARGS__)))
int co4_actor_reply_sized(co4_actor *actor, co4_reply reply, const void *answer, size_t size);
int co4_actor_reply_error(co4_actor *actor, co4_reply reply, int code);
/* Does a task or thread wait for the answer? 1 or 0. */
int co4_actor_is_asked(co4_actor *actor, co4_reply reply);

#ifdef __cplusplus
}
#endif

#endif
