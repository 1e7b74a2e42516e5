/* output.c - how many bytes wait in the output of a connection.
 *
 * A message is charged when it comes in, and until it was sent or dropped. It comes in if there is
 * room for its bytes, or if there is nothing else: so one that is larger than the limit goes, too.
 * Otherwise its sender waits in a queue, and senders that come later behind it: large messages wait
 * no longer than small ones.
 *
 * Concurrency: with an empty queue a charge is one atomic operation. A sender counts itself as
 * waiting before it looks at the bytes again, and who gives bytes back looks at that count behind
 * it, both in one order for all: so one of the two sees the other. */
#include <stdlib.h>

#include "internal.h"

static bool charge(struct co4__nats_room *r, size_t size)
{
    size_t bytes = atomic_load(&r->bytes);
    do {
        if (bytes > 0 && !r->closed && (size > r->most || bytes > r->most - size))
            return false;
    } while (!atomic_compare_exchange_weak(&r->bytes, &bytes, bytes + size));
    return true;
}

bool co4__nats_room_try(struct co4_nats *c, struct co4__nats_out *out)
{
    if (atomic_load(&c->room.waiting) > 0 || !charge(&c->room, out->size))
        return false;
    out->charged = out->size;
    return true;
}

/* Under the lock. The permits, too: a waiter may be gone when it has the lock again. */
static void serve(struct co4__nats_room *r)
{
    struct co4__nats_room_wait *w;
    while ((w = r->first) != NULL && charge(r, w->size)) {
        r->first = w->behind;
        *(w->behind ? &w->behind->before : &r->last) = NULL;
        atomic_fetch_sub(&r->waiting, 1);
        w->queued = false;
        w->charged = w->size;
        co4_sem_release(&w->granted);
    }
}

void co4__nats_room_wait(struct co4__nats_room_wait *w, struct co4_nats *c, size_t size)
{
    struct co4__nats_room *r = &c->room;
    *w = (struct co4__nats_room_wait){
        .c = c, .size = size, .granted = CO4_SEM_INIT(0), .queued = true
    };
    pthread_mutex_lock(&c->lock);
    w->before = r->last;
    *(r->last ? &r->last->behind : &r->first) = w;
    r->last = w;
    atomic_fetch_add(&r->waiting, 1);
    serve(r);
    pthread_mutex_unlock(&c->lock);
}

void co4__nats_room_leave(struct co4__nats_room_wait *w)
{
    if (!w->c)
        return;
    struct co4__nats_room *r = &w->c->room;
    pthread_mutex_lock(&w->c->lock);
    if (w->queued) {
        *(w->before ? &w->before->behind : &r->first) = w->behind;
        *(w->behind ? &w->behind->before : &r->last) = w->before;
        atomic_fetch_sub(&r->waiting, 1);
    }
    atomic_fetch_sub(&r->bytes, w->charged);
    serve(r); /* the next may be smaller */
    pthread_mutex_unlock(&w->c->lock);
}

void co4__nats_room_give(struct co4_nats *c, size_t bytes)
{
    if (bytes == 0)
        return;
    atomic_fetch_sub(&c->room.bytes, bytes);
    if (atomic_load(&c->room.waiting) == 0)
        return;
    pthread_mutex_lock(&c->lock);
    serve(&c->room);
    pthread_mutex_unlock(&c->lock);
}

void co4__nats_room_close(struct co4_nats *c)
{
    pthread_mutex_lock(&c->lock);
    c->room.closed = true;
    serve(&c->room);
    pthread_mutex_unlock(&c->lock);
}

void co4__nats_out_free(struct co4_nats *c, struct co4__nats_out *out)
{
    if (out)
        co4__nats_room_give(c, out->charged);
    free(out);
}

int co4__nats_try_append(struct co4_nats *c, struct co4__nats_out *out)
{
    if (!out)
        return CO4_ENOMEM;
    int err = co4__nats_room_try(c, out) ? co4_mailbox_send_until(c->output, &out, CO4_NOW)
                                         : CO4_EFULL;
    if (err != CO4_OK)
        co4__nats_out_free(c, out);
    return err;
}
