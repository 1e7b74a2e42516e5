/* actor.c - sending to actors, asking them, receiving, waiting for their end. */
#include "extras/actor.h"

#include "sync/source.h"

#define INBOX(actor) ((actor) ? (actor)->inbox : NULL)

pausable int(co4_actor_send_until)(co4_actor *actor, const void *msg, size_t size, int64_t deadline)
{
    return (co4_mailbox_send_until)(INBOX(actor), msg, size, deadline);
}

pausable int(co4_actor_send)(co4_actor *actor, const void *msg, size_t size)
{
    return (co4_mailbox_send)(INBOX(actor), msg, size);
}

/* Ending the ask is a cleanup: it also happens when the asker is abandoned. */
pausable int(co4_actor_ask_until)(co4_actor *actor, void *msg, size_t msg_size, co4_reply *reply,
                                  void *answer, size_t answer_size, int64_t deadline)
{
    if (co4__actor_is_me(actor))
        return co4__spent(CO4_EDEADLK);
    __attribute__((cleanup(co4__ask_end))) struct co4__asking a = { .actor = NULL };
    int err = co4__ask_begin(&a, actor, msg, msg_size, reply, answer_size);
    if (err != CO4_OK)
        return co4__spent(err);
    err = (co4_mailbox_send_until)(actor->inbox, msg, msg_size, deadline);
    if (err == CO4_OK)
        err = (co4_future_await_until)(a.answer, answer, answer_size, deadline);
    return err;
}

pausable int(co4_actor_receive_until)(co4_actor *self, void *msg, size_t size, int64_t deadline)
{
    int err = (co4_mailbox_receive_until)(INBOX(self), msg, size, deadline);
    if (err == CO4_OK)
        co4__actor_received(self, msg);
    return err;
}

pausable int(co4_actor_receive)(co4_actor *self, void *msg, size_t size)
{
    return (co4_actor_receive_until)(self, msg, size, CO4_NEVER);
}

pausable int co4_actor_join_until(co4_actor *actor, int64_t deadline)
{
    if (!actor)
        return co4__spent(CO4_EINVAL);
    if (co4__actor_is_me(actor))
        return co4__spent(CO4_EDEADLK);
    __attribute__((cleanup(co4__future_drop))) co4_future *end = co4_actor_end(actor);
    if (!end)
        return co4__spent(CO4_ESTATE);
    return co4_future_await_until(end, NULL, deadline);
}

pausable int co4_actor_join(co4_actor *actor)
{
    return co4_actor_join_until(actor, CO4_NEVER);
}
