/* actor.c - an inbox, the task that serves it, and answers to come.
 *
 * Purpose: the inbox is a mailbox of the user's messages. The actor learns of its task's end by a
 * call that is deferred before the task is scheduled. That call is the oldest, so it runs last, and
 * before any other task learns of the end.
 *
 * Answers have numbers: a place in a table, and how often that place was used. An ask takes a
 * place, puts the future of its answer there, and sends the number. A thread takes the place back
 * under the lock, and gets the future: for the answer, for an asker that stops waiting, or for the
 * actor's end. So an answer finds an asker that waits, or no future.
 *
 * An actor that stays has tasks one after another. A message that no task has received waits for
 * the next task. A message that the last task has received will not be answered any more. So a
 * receive looks for the number in the message, and marks its place.
 *
 * Rejected: pointers to replies in messages (a message may never be received, or be forgotten); an
 * envelope around each message (every send would copy twice). */
#include "extras/actor.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/public.h"
#include "core/defer.h"
#include "core/task.h"
#include "core/task_extension.h"
#include "core/wait.h"
#include "memory/pool.h"
#include "platform/lock.h"
#include "structured/future.h"
#include "sync/mailbox.h"

#define FIRST_ROOM 4

struct ask {
    co4_future *answer; /* a reference; NULL: the place is unused */
    uint32_t uses;      /* the upper half of the number */
    uint32_t next;      /* of an unused place: the next one, from 1 */
    bool received;
};

/* A block has as many places as all older ones together. So places never move, and a search for one
 * takes log n steps. */
struct co4__asks {
    struct co4__asks *older;
    uint32_t first, count; /* its places, from 0 */
    struct ask place[];
};

/* ---- owners ---- */

co4_actor *co4_actor_create(size_t msg_size, size_t capacity, int flags)
{
    co4_mailbox *inbox = flags & ~CO4_ACTOR_STAYS || capacity == 0
                             ? NULL
                             : co4_mailbox_create(msg_size, capacity);
    co4_actor *a = inbox ? co4__pool_take(sizeof *a) : NULL;
    if (!a) {
        co4_mailbox_destroy(inbox);
        return NULL;
    }
    memset(a, 0, sizeof *a);
    a->inbox = inbox;
    a->flags = flags;
    atomic_store_explicit(&a->refs, 1, memory_order_relaxed);
    return a;
}

co4_actor *co4_actor_retain(co4_actor *actor)
{
    if (actor)
        atomic_fetch_add_explicit(&actor->refs, 1, memory_order_relaxed);
    return actor;
}

static void fail_all(co4_actor *a, bool only_received);

void co4_actor_release(co4_actor *actor)
{
    if (!actor || atomic_fetch_sub_explicit(&actor->refs, 1, memory_order_acq_rel) != 1)
        return;
    fail_all(actor, false); /* of requests, whose askers have no reference */
    co4_mailbox_close(actor->inbox);
    co4_mailbox_destroy(actor->inbox);
    co4_future_release(actor->end);
    for (struct co4__asks *b = actor->asks, *older; b; b = older) {
        older = b->older;
        co4__free(b);
    }
    co4__pool_drop(actor, sizeof *actor);
}

/* ---- numbers ---- */

/* Called without the lock. Returns the next block for an actor with `room` places. All its places
 * are unused, and each is linked to the next. NULL: out of memory, or too many places. */
static struct co4__asks *make_block(uint32_t room)
{
    uint32_t count = room ? room : FIRST_ROOM;
    size_t bytes = sizeof(struct co4__asks) + count * sizeof(struct ask);
    struct co4__asks *b = count <= UINT32_MAX - room ? co4__alloc(bytes) : NULL;
    if (!b)
        return NULL;
    memset(b, 0, bytes);
    b->first = room;
    b->count = count;
    for (uint32_t i = 0; i + 1 < count; i++)
        b->place[i].next = room + i + 2;
    return b;
}

/* Called under the lock, which it releases meanwhile. False: out of memory. True: the caller looks
 * again. */
static bool asks_grow(co4_actor *a)
{
    uint32_t room = a->room;
    co4__lock_give(&a->lock);
    struct co4__asks *b = make_block(room), *surplus = b;
    co4__lock_take(&a->lock);
    if (b && a->room == room) {
        b->place[b->count - 1].next = a->unused;
        b->older = a->asks;
        a->asks = b;
        a->unused = room + 1;
        a->room = room + b->count;
        surplus = NULL;
    }
    if (surplus) {
        co4__lock_give(&a->lock);
        co4__free(surplus);
        co4__lock_take(&a->lock);
    }
    return b != NULL;
}

/* Called under the lock. Returns place i, from 0, which exists. */
static struct ask *at(const co4_actor *a, uint32_t i)
{
    struct co4__asks *b = a->asks;
    while (i < b->first)
        b = b->older;
    return &b->place[i - b->first];
}

/* Called under the lock. NULL: no asker waits for this answer. */
static struct ask *ask_find(co4_actor *a, co4_reply reply)
{
    uint32_t place = (uint32_t)reply.number;
    if (place == 0 || place > a->room)
        return NULL;
    struct ask *ask = at(a, place - 1);
    return ask->answer && ask->uses == reply.number >> 32 ? ask : NULL;
}

/* Called under the lock. Frees place i; the reference to its future goes to the caller. */
static co4_future *actor_take_future(co4_actor *a, uint32_t i)
{
    struct ask *ask = at(a, i);
    co4_future *answer = ask->answer;
    ask->answer = NULL;
    ask->next = a->unused;
    a->unused = i + 1;
    return answer;
}

/* The same for an ask that ask_find() has returned; it may be NULL. */
static co4_future *take_found(co4_actor *a, const struct ask *ask, co4_reply reply)
{
    return ask ? actor_take_future(a, (uint32_t)reply.number - 1) : NULL;
}

/* ---- asking ---- */

/* Called without the lock. */
static int give_number(co4_actor *a, co4_future *answer, uint32_t reply_at, co4_reply *reply)
{
    int err = CO4_OK;
    co4__lock_take(&a->lock);
    while (!a->unused && err == CO4_OK)
        err = asks_grow(a) ? CO4_OK : CO4_ENOMEM;
    if (a->reply_at != 0 && a->reply_at != reply_at) {
        err = CO4_EINVAL;
    } else if (a->unused) {
        uint32_t place = a->unused;
        struct ask *ask = at(a, place - 1);
        a->reply_at = reply_at;
        a->unused = ask->next;
        *ask = (struct ask){ co4_future_retain(answer), ask->uses + 1, 0, false };
        reply->number = (unsigned long long)ask->uses << 32 | place;
        err = CO4_OK;
    }
    co4__lock_give(&a->lock);
    return err;
}

int co4__ask_begin(struct co4__asking *a, co4_actor *actor, const void *msg, size_t msg_size,
                   co4_reply *reply, size_t answer_size)
{
    *a = (struct co4__asking){ .actor = NULL };
    if (!actor || !msg || !reply)
        return CO4_EINVAL;
    uintptr_t at = (uintptr_t)reply - (uintptr_t)msg;
    if (msg_size != co4_source_size(co4_mailbox_source(actor->inbox)) ||
        (uintptr_t)reply < (uintptr_t)msg || at + sizeof *reply > msg_size)
        return CO4_EINVAL;
    co4_future *answer = co4_future_create(answer_size);
    if (!answer)
        return CO4_ENOMEM;
    int err = give_number(actor, answer, (uint32_t)at + 1, reply);
    if (err != CO4_OK) {
        co4_future_release(answer);
        return err;
    }
    *a = (struct co4__asking){ co4_actor_retain(actor), answer, *reply };
    return CO4_OK;
}

void co4__ask_end(struct co4__asking *a)
{
    if (!a->actor)
        return;
    co4__lock_take(&a->actor->lock);
    struct ask *ask = ask_find(a->actor, a->reply);
    co4_future *answer = take_found(a->actor, ask, a->reply);
    co4__lock_give(&a->actor->lock);
    co4_future_release(answer);
    co4_future_release(a->answer);
    co4_actor_release(a->actor);
    a->actor = NULL;
}

bool co4__actor_is_me(co4_actor *actor)
{
    if (!actor)
        return false;
    co4__lock_take(&actor->lock);
    bool me = actor->task && actor->task == co4_self();
    co4__lock_give(&actor->lock);
    return me;
}

int(co4_actor_request)(co4_actor *actor, void *msg, size_t msg_size, co4_reply *reply,
                       size_t answer_size, co4_future **answer)
{
    struct co4__asking a;
    if (!answer)
        return CO4_EINVAL;
    *answer = NULL;
    int err = co4__ask_begin(&a, actor, msg, msg_size, reply, answer_size);
    if (err == CO4_OK)
        err = (co4_mailbox_send_until)(actor->inbox, msg, msg_size, CO4_NOW);
    if (err != CO4_OK) {
        co4__ask_end(&a);
        return err;
    }
    *answer = a.answer; /* the number remains valid for the answer */
    co4_actor_release(a.actor);
    return CO4_OK;
}

/* ---- answering ---- */

int(co4_actor_reply)(co4_actor *actor, co4_reply reply, const void *answer, size_t size)
{
    if (!actor || (!answer && size > 0))
        return CO4_EINVAL;
    co4__lock_take(&actor->lock);
    struct ask *ask = ask_find(actor, reply);
    co4_future *f = take_found(actor, ask, reply);
    co4__lock_give(&actor->lock);
    if (!f)
        return CO4_ECLOSED;
    bool fits = f->size == size;
    int err = fits ? (co4_future_complete)(f, answer, size) : co4_future_fail(f, CO4_EINVAL);
    co4_future_release(f);
    /* the asker of a request may have completed the future */
    return err != CO4_OK ? CO4_ECLOSED : fits ? CO4_OK : CO4_EINVAL;
}

int co4_actor_reply_error(co4_actor *actor, co4_reply reply, int code)
{
    if (!actor || code >= 0)
        return CO4_EINVAL;
    co4__lock_take(&actor->lock);
    struct ask *ask = ask_find(actor, reply);
    co4_future *f = take_found(actor, ask, reply);
    co4__lock_give(&actor->lock);
    if (!f)
        return CO4_ECLOSED;
    int err = co4_future_fail(f, code) == CO4_OK ? CO4_OK : CO4_ECLOSED;
    co4_future_release(f);
    return err;
}

int co4_actor_is_asked(co4_actor *actor, co4_reply reply)
{
    if (!actor)
        return 0;
    co4__lock_take(&actor->lock);
    int asked = ask_find(actor, reply) != NULL;
    co4__lock_give(&actor->lock);
    return asked;
}

void co4__actor_received(co4_actor *self, const void *msg)
{
    co4_reply reply;
    if (!(self->flags & CO4_ACTOR_STAYS))
        return;
    co4__lock_take(&self->lock);
    if (self->reply_at != 0) {
        memcpy(&reply, (const char *)msg + self->reply_at - 1, sizeof reply);
        struct ask *ask = ask_find(self, reply);
        if (ask)
            ask->received = true;
    }
    co4__lock_give(&self->lock);
}

/* ---- the task ---- */

/* Takes places from *i on, and advances *i. Returns how many. */
static unsigned take_some(co4_actor *a, bool only_received, uint32_t *i,
                          co4_future *taken[CO4__BATCH])
{
    unsigned n = 0;
    co4__lock_take(&a->lock);
    for (uint32_t end = *i + CO4__BATCH; *i < a->room && *i < end; ++*i) {
        const struct ask *ask = at(a, *i);
        if (ask->answer && (ask->received || !only_received))
            taken[n++] = actor_take_future(a, *i);
    }
    co4__lock_give(&a->lock);
    return n;
}

/* One pass is enough. An asker that comes now finds the inbox closed, and takes its number back.
 * Only a task that has ended has marked places as received. */
static void fail_all(co4_actor *a, bool only_received)
{
    co4_future *taken[CO4__BATCH];
    for (uint32_t i = 0, next = 0;; i = next) {
        unsigned n = take_some(a, only_received, &next, taken);
        if (next == i)
            return;
        for (unsigned k = 0; k < n; k++) {
            co4_future_fail(taken[k], CO4_ECLOSED);
            co4_future_release(taken[k]);
        }
    }
}

static void ended(void *actor)
{
    co4_actor *a = actor;
    if (!(a->flags & CO4_ACTOR_STAYS))
        co4_mailbox_close(a->inbox);
    co4__lock_take(&a->lock);
    a->task = NULL;
    co4__lock_give(&a->lock);
    fail_all(a, !co4_mailbox_is_closed(a->inbox));
    co4_actor_release(a);
}

int co4_actor_stop(co4_actor *actor)
{
    if (!actor)
        return CO4_EINVAL;
    co4_mailbox_close(actor->inbox);
    co4__lock_take(&actor->lock);
    bool serves = actor->task != NULL;
    co4__lock_give(&actor->lock);
    if (!serves)
        fail_all(actor, false);
    return CO4_OK;
}

/* Exchanges the actor's reference to the end and *end. CO4_OK, CO4_ECLOSED, CO4_ESTATE. */
static int actor_enter(co4_actor *a, const co4_task *task, co4_future **end)
{
    int err = co4_mailbox_is_closed(a->inbox) ? CO4_ECLOSED : CO4_OK;
    co4__lock_take(&a->lock);
    if (err == CO4_OK && a->task)
        err = CO4_ESTATE;
    if (err == CO4_OK) {
        co4_future *before = a->end;
        a->end = *end;
        *end = before;
        a->task = task;
    }
    co4__lock_give(&a->lock);
    return err;
}

static void actor_leave(co4_actor *a, co4_future **end)
{
    co4__lock_take(&a->lock);
    co4_future *before = *end;
    *end = a->end;
    a->end = before;
    a->task = NULL;
    co4__lock_give(&a->lock);
}

int co4_actor_start(co4_actor *actor, co4_task *task)
{
    if (!actor || !task) {
        co4_task_release(task);
        return actor ? CO4_ENOMEM : CO4_EINVAL;
    }
    bool fresh = atomic_load_explicit(&task->state, memory_order_acquire) == CO4__NEW;
    co4_future *started = co4_future_of(task), *end = started;
    if (!end)
        return fresh ? CO4_ENOMEM : CO4_ESTATE;
    int err = actor_enter(actor, task, &end);
    if (err == CO4_OK) {
        co4_actor_retain(actor); /* for the call of ended() at the end of the task */
        err = co4__defer(task, ended, actor);
        if (err == CO4_OK && (err = co4_future_start(started)) != CO4_OK)
            co4__undefer(task, ended, actor);
        if (err != CO4_OK) {
            actor_leave(actor, &end);
            co4_actor_release(actor);
        }
    }
    co4_future_release(end);
    return err;
}

int co4_plain_actor(co4_actor *actor, co4_future *end)
{
    int err = !actor ? CO4_EINVAL : !end ? CO4_ENOMEM : actor_enter(actor, NULL, &end);
    co4_future_release(end);
    if (err == CO4_OK)
        ended(co4_actor_retain(actor));
    return err;
}

co4_future *co4_actor_end(co4_actor *actor)
{
    if (!actor)
        return NULL;
    co4__lock_take(&actor->lock);
    co4_future *end = actor->end ? co4_future_retain(actor->end) : NULL;
    co4__lock_give(&actor->lock);
    return end;
}

int co4_actor_cancel(co4_actor *actor, int reason)
{
    if (!actor)
        return CO4_EINVAL;
    co4_future *end = co4_actor_end(actor);
    if (!end || co4_future_await_until(end, NULL, CO4_NOW) != CO4_EEMPTY) {
        co4_future_release(end);
        return CO4_ESTATE;
    }
    int err = co4_future_cancel(end, reason);
    co4_future_release(end);
    return err;
}

/* ---- the inbox ---- */

#define INBOX(actor) ((actor) ? (actor)->inbox : NULL)

co4_source *co4_actor_source(co4_actor *self)
{
    return co4_mailbox_source(INBOX(self));
}
