/* departures.c - what sockets of the simulated network send, and when it arrives.
 *
 * An event in a heap is an arrival: of a packet, or of a message of a connection. Its time is that
 * of the clock of the simulation, and a latency that the seed draws.
 *
 * Packets of one sender arrive in order, each byte once; a lost segment comes 200 ms later. A reset
 * comes in place of a segment, so the receiver has a prefix of what was sent, then ECONNRESET. A
 * sender counts the bytes that the reader has not taken yet; the acknowledgement travels back. IP
 * has losses, resets and refusals; Unix sockets and pipes have order and latency only. */
#include <string.h>

#include "base/alloc.h"
#include "io/network.h"
#include "platform/clock.h"

/* ---- the heap: a skew heap, by time, then by the order in which events were made ---- */

static struct co4__net_event *merge(struct co4__net_event *a, struct co4__net_event *b)
{
    struct co4__net_event *root = NULL, **at = &root;
    while (a && b) {
        if (b->at != a->at ? b->at < a->at : b->order < a->order) {
            struct co4__net_event *other = a;
            a = b;
            b = other;
        }
        *at = a;
        struct co4__net_event *rest = a->right;
        a->right = a->left;
        a->left = NULL;
        at = &a->left;
        a = rest;
    }
    *at = a ? a : b;
    return root;
}

void co4__network_schedule(struct co4__network *n, struct co4__net_event *e,
                           enum co4__net_what what, struct co4__sim_socket *of, int64_t at)
{
    e->left = e->right = NULL;
    e->at = at;
    e->order = ++n->order;
    e->what = (uint8_t)what;
    e->of = of;
    e->queued = true;
    of->refs++;
    n->heap = merge(n->heap, e);
}

void co4__network_set_timer(struct co4__network *n, struct co4__net_timer *t, int64_t at)
{
    struct co4__net_event *e = &t->event;
    *e = (struct co4__net_event){ .at = at, .order = ++n->order, .what = CO4__NET_TIMER };
    e->queued = true;
    n->heap = merge(n->heap, e);
}

/* There are few events: it takes all before this one out, and puts them back. */
void co4__network_stop_timer(struct co4__network *n, struct co4__net_timer *t)
{
    struct co4__net_event *before = NULL, *e;
    if (!t->event.queued)
        return;
    while ((e = co4__network_take_first(n)) != &t->event) {
        e->left = NULL;
        e->right = before;
        before = e;
    }
    for (; before; before = e) {
        e = before->right;
        before->right = NULL;
        n->heap = merge(n->heap, before);
    }
    t->event.queued = false;
}

struct co4__net_event *co4__network_take_first(struct co4__network *n)
{
    struct co4__net_event *e = n->heap;
    n->heap = merge(e->left, e->right);
    return e;
}

/* ---- the clock ---- */

int64_t co4__network_now(const struct co4__network *n)
{
    int64_t now = n->simulation->ops->now(n->simulation);
    return now > n->now ? now : n->now;
}

int64_t co4__network_arrival(struct co4__network *n)
{
    int64_t range = n->options.latency_max - n->options.latency_min;
    int64_t unit = (range >> 30) + 1;
    int64_t drawn = co4__network_below(n, (unsigned)(range / unit) + 1) * unit;
    return co4__network_now(n) + n->options.latency_min + drawn;
}

/* ---- sending ---- */

void co4__network_send_in_order(struct co4__network *n, struct co4__net_event *e,
                                enum co4__net_what what, struct co4__sim_socket *sender)
{
    int64_t at = co4__network_arrival(n);
    if (what == CO4__NET_DATA && !co4__network_is_local(sender) &&
        co4__network_happens(n, n->options.loss)) {
        at += CO4__NET_RETRY_AFTER;
        n->result.lost++;
    }
    if (at < sender->last_arrival)
        at = sender->last_arrival;
    sender->last_arrival = at;
    co4__network_schedule(n, e, what, sender, at);
}

static void copy_from(char *to, const struct iovec *iov, size_t skip, size_t bytes)
{
    for (; skip >= iov->iov_len && bytes > 0; iov++)
        skip -= iov->iov_len;
    while (bytes > 0) {
        size_t part = iov->iov_len - skip < bytes ? iov->iov_len - skip : bytes;
        memcpy(to, (const char *)iov->iov_base + skip, part);
        to += part;
        bytes -= part;
        iov++;
        skip = 0;
    }
}

static struct co4__packet *packet(struct co4__sim_socket *s, const struct msghdr *m, size_t skip,
                                  size_t bytes, const struct co4__net_address *to)
{
    size_t addresses = s->type == SOCK_DGRAM ? 2 : 0;
    struct co4__packet *p = co4__alloc(sizeof *p + addresses * sizeof *p->from + bytes);
    if (!p)
        return NULL;
    p->data = (char *)(p + 1) + addresses * sizeof *p->from;
    p->bytes = bytes;
    if (addresses) {
        p->from = (struct co4__net_address *)(void *)(p + 1);
        *p->from = s->local;
        if (to) {
            p->to = p->from + 1;
            *p->to = *to;
        }
    }
    copy_from(p->data, m->msg_iov, skip, bytes);
    return p;
}

bool co4__network_send(struct co4__network *n, struct co4__sim_socket *s, const struct msghdr *m,
                       size_t skip, size_t bytes, const struct co4__net_address *to)
{
    bool is_datagram = s->type == SOCK_DGRAM, is_local = co4__network_is_local(s);
    if (is_datagram && !is_local && co4__network_happens(n, n->options.loss)) {
        n->result.lost++;
        return true;
    }
    struct co4__packet *p = packet(s, m, skip, bytes, to);
    if (!p)
        return false;
    if (!is_datagram || is_local) {
        s->outstanding += bytes;
        co4__network_send_in_order(n, &p->event, is_datagram ? CO4__NET_DATAGRAM : CO4__NET_DATA,
                                   s);
    } else {
        co4__network_schedule(n, &p->event, CO4__NET_DATAGRAM, s, co4__network_arrival(n));
    }
    if (is_datagram && !is_local && co4__network_happens(n, n->options.duplicate) &&
        (p = packet(s, m, skip, bytes, to)) != NULL) {
        n->result.duplicates++;
        co4__network_schedule(n, &p->event, CO4__NET_DATAGRAM, s, co4__network_arrival(n));
    }
    return true;
}

void co4__network_fin(struct co4__network *n, struct co4__sim_socket *s)
{
    if (!s->fin.queued && !s->write_shut)
        co4__network_send_in_order(n, &s->fin, CO4__NET_FIN, s);
    s->write_shut = true;
}

void co4__network_ack(struct co4__network *n, struct co4__sim_socket *sender, size_t bytes)
{
    sender->acknowledged += bytes;
    if (!sender->ack.queued && !sender->closed)
        co4__network_schedule(n, &sender->ack, CO4__NET_ACK, sender, co4__network_arrival(n));
}

bool co4__network_reset(struct co4__network *n, struct co4__sim_socket *target, int64_t after)
{
    int64_t at = co4__network_arrival(n);
    if (target->broken || (target->closed && target->has_left))
        return false;
    if (!target->rst.queued)
        co4__network_schedule(n, &target->rst, CO4__NET_RST, target, at > after ? at : after);
    return true;
}
