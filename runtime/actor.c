/* actor.c - an inbox, the task that serves it, and answers that are to come.
 *
 * The inbox is a mailbox of the user's messages. The task tells its end by a call deferred for it
 * before it is scheduled: the oldest, so the last of all, made before anyone learns that it has
 * ended.
 *
 * Answers have numbers: a place in a table and how often that place was used. An ask takes a place,
 * puts the future of its answer there, and sends the number. Whoever takes the place back under the
 * lock has the future: the answer, the asker who gives up, or the end of the actor. So an answer
 * meets an asker that waits, or nothing.
 *
 * An actor that stays has tasks one after another. What has been asked and not yet received waits
 * for the next; what the last one has received it will not answer any more. Hence receiving looks
 * for the number in the message, and marks its place.
 *
 * Rejected: pointers to replies in messages (what of those that are never received, or forgotten?);
 * an envelope around each message (every send would copy twice). */
#include "actor.h"

#include "future.h"

#define FIRST_ROOM 4

struct co4__ask {
    co4_future *answer; /* a share; NULL: the place is unused */
    uint32_t uses;      /* the upper half of the number */
    uint32_t next;      /* unused: the next such place, from 1 */
    bool received;
};

/* ---- owners ---- */

co4_actor *co4_actor_create(size_t msg_size, size_t capacity, int flags)
{
    co4_mailbox *inbox = flags & ~CO4_ACTOR_STAYS ? NULL : co4_mailbox_create(msg_size, capacity);
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
    fail_all(actor, false); /* of requests, whose askers have no share */
    co4_mailbox_close(actor->inbox);
    co4_mailbox_destroy(actor->inbox);
    co4_future_release(actor->end);
    co4__free(actor->asks);
    co4__pool_drop(actor, sizeof *actor);
}

/* ---- numbers, under the lock ---- */

static bool grow(co4_actor *a)
{
    uint32_t room = a->room ? 2 * a->room : FIRST_ROOM;
    struct co4__ask *asks = room > a->room ? co4__alloc(room * sizeof *asks) : NULL;
    if (!asks)
        return false;
    if (a->room)
        memcpy(asks, a->asks, a->room * sizeof *asks);
    for (uint32_t i = room; i > a->room; i--) {
        asks[i - 1].next = a->unused;
        a->unused = i;
    }
    co4__free(a->asks);
    a->asks = asks;
    a->room = room;
    return true;
}

/* NULL: nobody waits for this answer. */
static struct co4__ask *find(co4_actor *a, co4_reply reply)
{
    uint32_t at = (uint32_t)reply.number;
    if (at == 0 || at > a->room)
        return NULL;
    struct co4__ask *ask = &a->asks[at - 1];
    return ask->answer && ask->uses == reply.number >> 32 ? ask : NULL;
}

/* The future is the caller's. */
static co4_future *take(co4_actor *a, struct co4__ask *ask)
{
    co4_future *answer = ask->answer;
    ask->answer = NULL;
    ask->next = a->unused;
    a->unused = (uint32_t)(ask - a->asks) + 1;
    return answer;
}

/* ---- asking ---- */

/* Without the lock. */
static int give_number(co4_actor *a, co4_future *answer, uint32_t reply_at, co4_reply *reply)
{
    int err = CO4_OK;
    co4__lock_take(&a->lock);
    if (a->reply_at != 0 && a->reply_at != reply_at) {
        err = CO4_EINVAL;
    } else if (!a->unused && !grow(a)) {
        err = CO4_ENOMEM;
    } else {
        uint32_t at = a->unused;
        struct co4__ask *ask = &a->asks[at - 1];
        a->reply_at = reply_at;
        a->unused = ask->next;
        *ask = (struct co4__ask){ co4_future_retain(answer), ask->uses + 1, 0, false };
        reply->number = (unsigned long long)ask->uses << 32 | at;
    }
    co4__lock_give(&a->lock);
    return err;
}

int co4__ask_begin(struct co4__asking *a, co4_actor *actor, const void *msg, co4_reply *reply,
                   size_t size)
{
    *a = (struct co4__asking){ .actor = NULL };
    if (!actor || !msg || !reply)
        return CO4_EINVAL;
    uintptr_t at = (uintptr_t)reply - (uintptr_t)msg;
    size_t msg_size = co4_source_size(co4_mailbox_source(actor->inbox));
    if ((uintptr_t)reply < (uintptr_t)msg || at + sizeof *reply > msg_size)
        return CO4_EINVAL;
    co4_future *answer = co4_future_create(size);
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
    struct co4__ask *ask = find(a->actor, a->reply);
    co4_future *answer = ask ? take(a->actor, ask) : NULL;
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

int co4_actor_ask_block(co4_actor *actor, void *msg, co4_reply *reply, void *answer, size_t size,
                        int64_t deadline)
{
    struct co4__asking a;
    int err = co4__ask_begin(&a, actor, msg, reply, size);
    if (err == CO4_OK)
        err = co4_mailbox_put_block_until(actor->inbox, msg, deadline);
    if (err == CO4_OK)
        err = co4_future_await_block_until(a.answer, answer, deadline);
    co4__ask_end(&a);
    return err;
}

int co4_actor_request(co4_actor *actor, void *msg, co4_reply *reply, size_t size,
                      co4_future **answer)
{
    struct co4__asking a;
    if (!answer)
        return CO4_EINVAL;
    *answer = NULL;
    int err = co4__ask_begin(&a, actor, msg, reply, size);
    if (err == CO4_OK)
        err = co4_mailbox_try_put(actor->inbox, msg);
    if (err != CO4_OK) {
        co4__ask_end(&a);
        return err;
    }
    *answer = a.answer; /* the number stays, for whoever answers */
    co4_actor_release(a.actor);
    return CO4_OK;
}

/* ---- answering ---- */

int co4_actor_reply_sized(co4_actor *actor, co4_reply reply, const void *answer, size_t size)
{
    co4_future *f = NULL;
    if (!actor || (!answer && size > 0))
        return CO4_EINVAL;
    co4__lock_take(&actor->lock);
    struct co4__ask *ask = find(actor, reply);
    int err = !ask ? CO4_ECLOSED : ask->answer->size != size ? CO4_EINVAL : CO4_OK;
    if (err == CO4_OK)
        f = take(actor, ask);
    co4__lock_give(&actor->lock);
    if (f && co4_future_complete(f, answer) != CO4_OK)
        err = CO4_ECLOSED; /* of a request: the asker has done so */
    co4_future_release(f);
    return err;
}

int co4_actor_reply_error(co4_actor *actor, co4_reply reply, int code)
{
    if (!actor || code >= 0)
        return CO4_EINVAL;
    co4__lock_take(&actor->lock);
    struct co4__ask *ask = find(actor, reply);
    co4_future *f = ask ? take(actor, ask) : NULL;
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
    int asked = find(actor, reply) != NULL;
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
        struct co4__ask *ask = find(self, reply);
        if (ask)
            ask->received = true;
    }
    co4__lock_give(&self->lock);
}

/* ---- the task ---- */

static co4_future *next_to_fail(co4_actor *a, bool only_received)
{
    co4_future *f = NULL;
    co4__lock_take(&a->lock);
    for (uint32_t i = 0; i < a->room && !f; i++)
        if (a->asks[i].answer && (a->asks[i].received || !only_received))
            f = take(a, &a->asks[i]);
    co4__lock_give(&a->lock);
    return f;
}

static void fail_all(co4_actor *a, bool only_received)
{
    for (co4_future *f; (f = next_to_fail(a, only_received)) != NULL;) {
        co4_future_fail(f, CO4_ECLOSED);
        co4_future_release(f);
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

/* Has ended(a) called at the end of the task, which nobody else knows yet. */
static int defer_end(co4_task *task, co4_actor *a)
{
    struct co4__extra *x = co4__extra_make(task);
    struct co4__defer *d = x ? co4__pool_take(sizeof *d) : NULL;
    if (!d)
        return CO4_ENOMEM;
    *d = (struct co4__defer){ x->defers, ended, co4_actor_retain(a) };
    x->defers = d;
    return CO4_OK;
}

static void undefer_end(co4_task *task)
{
    struct co4__extra *x = co4__extra_of(task);
    struct co4__defer *d = x->defers;
    x->defers = d->older;
    co4_actor_release(d->arg);
    co4__pool_drop(d, sizeof *d);
}

/* The actor's share in `end` is *before afterwards, and the other way round. CO4_OK, CO4_ECLOSED,
 * CO4_ESTATE. */
static int enter(co4_actor *a, const co4_task *task, bool is_code, co4_future **end)
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
        a->is_code = is_code;
    }
    co4__lock_give(&a->lock);
    return err;
}

static void leave(co4_actor *a, co4_future **end)
{
    co4__lock_take(&a->lock);
    co4_future *before = *end;
    *end = a->end;
    a->end = before;
    a->task = NULL;
    co4__lock_give(&a->lock);
}

int co4_actor_start(co4_actor *actor, co4_task *task, int is_code)
{
    if (!actor || !task) {
        co4_task_release(task);
        return actor ? CO4_ENOMEM : CO4_EINVAL;
    }
    bool fresh = atomic_load_explicit(&task->state, memory_order_acquire) == CO4__NEW;
    co4_future *started = co4_future_of(task), *end = started;
    if (!end)
        return fresh ? CO4_ENOMEM : CO4_ESTATE;
    int err = enter(actor, task, is_code != 0, &end);
    if (err == CO4_OK) {
        err = defer_end(task, actor);
        if (err == CO4_OK && (err = co4_future_start(started)) != CO4_OK)
            undefer_end(task);
        if (err != CO4_OK)
            leave(actor, &end);
    }
    co4_future_release(end);
    return err;
}

int co4_plain_actor(co4_actor *actor, int code)
{
    co4_future *end = actor ? co4_future_create(sizeof code) : NULL;
    if (!end)
        return actor ? CO4_ENOMEM : CO4_EINVAL;
    co4_future_complete(end, &code);
    int err = enter(actor, NULL, true, &end);
    co4_future_release(end);
    if (err == CO4_OK)
        ended(co4_actor_retain(actor));
    return err;
}

co4_future *co4__actor_end(co4_actor *actor, bool *is_code)
{
    co4__lock_take(&actor->lock);
    co4_future *end = actor->end ? co4_future_retain(actor->end) : NULL;
    *is_code = actor->is_code;
    co4__lock_give(&actor->lock);
    return end;
}

co4_future *co4_actor_end(co4_actor *actor)
{
    bool is_code;
    return actor ? co4__actor_end(actor, &is_code) : NULL;
}

int co4_actor_cancel(co4_actor *actor, int reason)
{
    if (!actor)
        return CO4_EINVAL;
    co4_future *end = co4_actor_end(actor);
    if (!end || co4_future_try(end, NULL) != CO4_EEMPTY) {
        co4_future_release(end);
        return CO4_ESTATE;
    }
    int err = co4_future_cancel(end, reason);
    co4_future_release(end);
    return err;
}

int co4__end_code(co4_future *end, bool is_code)
{
    int value = 0, err = co4_future_try(end, is_code ? &value : NULL);
    return value < 0 ? value : err;
}

/* ---- the inbox ---- */

#define INBOX(actor) ((actor) ? (actor)->inbox : NULL)

int co4_actor_try_send(co4_actor *actor, const void *msg)
{
    return co4_mailbox_try_put(INBOX(actor), msg);
}

int co4_actor_send_block(co4_actor *actor, const void *msg)
{
    return co4_mailbox_put_block(INBOX(actor), msg);
}

int co4_actor_try_receive(co4_actor *self, void *msg)
{
    int err = co4_mailbox_try_get(INBOX(self), msg);
    if (err == CO4_OK)
        co4__actor_received(self, msg);
    return err;
}

co4_source *co4_actor_source(co4_actor *self)
{
    return co4_mailbox_source(INBOX(self));
}
