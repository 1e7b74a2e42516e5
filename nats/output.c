/* output.c - limits how many bytes wait in the output of a connection.
 *
 * A message is charged from the time it enters the output until it was sent or dropped. It may
 * enter if there is room for its bytes, or if the output is empty, so that a message which is
 * larger than the limit can be sent, too. Otherwise its sender waits in a queue, and later senders
 * wait behind it. So a large message does not wait longer than small ones.
 *
 * Concurrency: while the queue is empty, a charge is one atomic operation. A sender first counts
 * itself in `waiting`, and then looks at `bytes` again. A thread that gives bytes back first
 * changes `bytes`, and then looks at `waiting`. All four accesses are sequentially consistent, so
 * at least one of the two sees the other. */
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

/* Lets senders in, the first ones of the queue. Called under the lock, under which it also gives
 * the permits: a waiter may be gone as soon as it can take the lock. */
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
    serve(r); /* the next message may be smaller, and fit */
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
