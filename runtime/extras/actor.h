/* actor.h - types and functions that actor.c, the woven waits and supervisors share. */
#ifndef CO4_ACTOR_INTERNAL_H
#define CO4_ACTOR_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/public.h"
#include "core/task.h"
#include "platform/lock.h"
#include "structured/future.h"
#include "sync/mailbox.h"

struct co4__asks;

struct co4_actor {
    co4_mailbox *inbox; /* constant, like flags */
    int flags;
    _Atomic uint32_t refs;
    co4__lock lock;         /* guards the other fields */
    co4_future *end;        /* of the current or last task; a reference */
    const co4_task *task;   /* NULL: none; only compared */
    struct co4__asks *asks; /* places for `room` answers, in blocks, the newest first */
    uint32_t room, unused;  /* head of the list of unused places, from 1 */
    uint32_t reply_at;      /* the number's offset in messages, plus 1; 0 before the first ask */
};

/* An ask that is under way. */
struct co4__asking {
    co4_actor *actor; /* a reference; NULL: nothing is under way */
    co4_future *answer;
    co4_reply reply;
};

/* CO4_OK: the ask has a number, which is in *reply, a member of *msg. */
int co4__ask_begin(struct co4__asking *a, co4_actor *actor, const void *msg, size_t msg_size,
                   co4_reply *reply, size_t answer_size);
/* Takes the number back, if it has not been answered, and releases the references. May be called
 * more than once. */
void co4__ask_end(struct co4__asking *a);
/* Called after the message was received. */
void co4__actor_received(co4_actor *self, const void *msg);
bool co4__actor_is_me(co4_actor *actor);
static inline void co4__future_drop(co4_future **f)
{
    co4_future_release(*f);
}

CO4__PUBLIC int co4_plain_actor(co4_actor *actor, co4_future *end); /* for CO4_PLAIN */

#endif
