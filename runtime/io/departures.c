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

/* ---- heaps: skew heaps, by time, then by the order in which events were made ---- */

static bool is_before(const struct co4__net_event *a, const struct co4__net_event *b)
{
    return a->at != b->at ? a->at < b->at : a->order < b->order;
}

static struct co4__net_event *merge(struct co4__net_event *a, struct co4__net_event *b)
{
    struct co4__net_event *root = NULL, **at = &root;
    while (a && b) {
        if (is_before(b, a)) {
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

static struct co4__net_event *take_first(struct co4__net_event **heap)
{
    struct co4__net_event *e = *heap;
    *heap = merge(e->left, e->right);
    return e;
}

/* Returns the machine at which the event happens. */
static unsigned host_of(const struct co4__network *n, const struct co4__net_event *e)
{
    const struct co4__sim_socket *of = e->of;
    const struct co4__packet *p = (const struct co4__packet *)(const void *)e;
    int host;
    switch (e->what) {
    case CO4__NET_SYN:
        host = co4__address_host(n, of->host, &of->remote);
        break;
    case CO4__NET_DATAGRAM:
        host = p->to_host > 0 ? (int)p->to_host - 1
               : of->peer     ? (int)of->peer->host
               : p->to        ? co4__address_host(n, of->host, p->to)
                              : -1;
        break;
    case CO4__NET_DATA:
    case CO4__NET_CONNECTED:
    case CO4__NET_FIN:
    case CO4__NET_GONE:
    case CO4__NET_RETRY:
        host = of->peer ? (int)of->peer->host : -1;
        break;
    default:
        host = -1;
    }
    return host < 0 ? of->host : (unsigned)host;
}

void co4__network_schedule(struct co4__network *n, struct co4__net_event *e,
                           enum co4__net_what what, struct co4__sim_socket *of, int64_t at)
{
    e->left = e->right = NULL;
    e->at = at;
    e->order = ++n->common->order;
    e->what = (uint8_t)what;
    e->of = of;
    e->queued = true;
    of->refs++;
    unsigned host = host_of(n, e);
    int64_t answer = at + n->common->options.latency_min;
    n->common->hosts[host].heap = merge(n->common->hosts[host].heap, e);
    if (host != n->host && answer < n->horizon)
        n->horizon = answer;
}

void co4__network_set_timer(struct co4__network *n, struct co4__net_timer *t, int64_t at)
{
    struct co4__net_event *e = &t->event;
    *e = (struct co4__net_event){ .at = co4__network_global(n, at), .what = CO4__NET_TIMER };
    e->order = ++n->common->order;
    e->queued = true;
    n->timers = merge(n->timers, e);
}

/* There are few events: it takes all before this one out, and puts them back. */
static void take_out(struct co4__net_event **heap, struct co4__net_event *taken)
{
    struct co4__net_event *before = NULL, *e;
    while ((e = take_first(heap)) != taken) {
        e->left = NULL;
        e->right = before;
        before = e;
    }
    for (; before; before = e) {
        e = before->right;
        before->right = NULL;
        *heap = merge(*heap, before);
    }
    taken->queued = false;
}

void co4__network_stop_timer(struct co4__network *n, struct co4__net_timer *t)
{
    if (t->event.queued)
        take_out(&n->timers, &t->event);
}

void co4__network_cancel(struct co4__network *n, struct co4__net_event *e)
{
    take_out(&n->common->hosts[host_of(n, e)].heap, e);
}

static struct co4__net_event **first_heap(const struct co4__network *n)
{
    struct co4__net_event **timers = (struct co4__net_event **)(uintptr_t)&n->timers;
    struct co4__net_event **arrivals = &co4__network_host(n)->heap;
    return !*timers || (*arrivals && is_before(*arrivals, *timers)) ? arrivals : timers;
}

int64_t co4__network_first(const struct co4__network *n)
{
    const struct co4__net_event *e = *first_heap(n);
    return e ? e->at : CO4_NEVER;
}

struct co4__net_event *co4__network_take_first(struct co4__network *n)
{
    return take_first(first_heap(n));
}

/* ---- the clock: that of the network, and that of the machine ---- */

#define PARTS 1000000

int64_t co4__network_global(const struct co4__network *n, int64_t local)
{
    const struct co4__net_host *h = co4__network_host(n);
    if (h->drift == 0 || local == CO4_NEVER)
        return local == CO4_NEVER ? local : local - h->local + h->since;
    int64_t passed = local - h->local, rest = passed % (PARTS + h->drift);
    return h->since + passed / (PARTS + h->drift) * PARTS + rest * PARTS / (PARTS + h->drift);
}

/* The first time of the machine that is not before this one. */
int64_t co4__network_local(const struct co4__network *n, int64_t global)
{
    const struct co4__net_host *h = co4__network_host(n);
    if (global == CO4_NEVER)
        return global;
    int64_t passed = global - h->since;
    int64_t local = h->local + passed + passed / PARTS * h->drift +
                    passed % PARTS * h->drift / PARTS;
    while (co4__network_global(n, local) < global)
        local++;
    return local;
}

int64_t co4__network_now(const struct co4__network *n)
{
    const struct co4__simulation *s = n->simulation;
    int64_t now = s ? co4__network_global(n, s->ops->now(s)) : n->now;
    return now > n->now ? now : n->now;
}

int64_t co4__network_arrival(struct co4__network *n)
{
    int64_t range = n->common->options.latency_max - n->common->options.latency_min;
    int64_t unit = (range >> 30) + 1;
    int64_t drawn = co4__network_below(n, (unsigned)(range / unit) + 1) * unit;
    return co4__network_now(n) + n->common->options.latency_min + drawn;
}

/* ---- sending ---- */

void co4__network_send_in_order(struct co4__network *n, struct co4__net_event *e,
                                enum co4__net_what what, struct co4__sim_socket *sender)
{
    int64_t at = co4__network_arrival(n);
    if (what == CO4__NET_DATA && !co4__network_is_local(sender) &&
        co4__network_happens(n, n->common->options.loss, "loss")) {
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

static struct co4__packet *packet(struct co4__network *n, struct co4__sim_socket *s,
                                  const struct msghdr *m, size_t skip, size_t bytes,
                                  const struct co4__net_address *to)
{
    size_t addresses = s->type == SOCK_DGRAM ? 2 : 0;
    struct co4__packet *p = co4__network_alloc(n, sizeof *p + addresses * sizeof *p->from + bytes);
    if (!p)
        return NULL;
    p->data = (char *)(p + 1) + addresses * sizeof *p->from;
    p->bytes = bytes;
    if (addresses) {
        p->from = (struct co4__net_address *)(void *)(p + 1);
        co4__address_from(p->from, n, s, to);
        if (to) {
            p->to = p->from + 1;
            *p->to = *to;
        }
    }
    copy_from(p->data, m->msg_iov, skip, bytes);
    return p;
}

/* Sends a datagram, which may be lost or come twice. to_host: of a broadcast, or 0. */
static bool send_datagram(struct co4__network *n, struct co4__sim_socket *s, const struct msghdr *m,
                          size_t bytes, const struct co4__net_address *to, unsigned to_host)
{
    if (co4__network_happens(n, n->common->options.loss, "loss")) {
        n->result.lost++;
        return true;
    }
    for (int i = 0; i < 2; i++) {
        if (i > 0 && !co4__network_happens(n, n->common->options.duplicate, "duplicate"))
            break;
        struct co4__packet *p = packet(n, s, m, 0, bytes, to);
        if (!p)
            return i > 0;
        n->result.duplicates += i > 0;
        p->to_host = to_host;
        co4__network_schedule(n, &p->event, CO4__NET_DATAGRAM, s, co4__network_arrival(n));
    }
    return true;
}

static bool send_broadcast(struct co4__network *n, struct co4__sim_socket *s,
                           const struct msghdr *m, size_t bytes, const struct co4__net_address *to)
{
    for (unsigned i = 0; i < n->common->nhosts; i++)
        if (co4__address_hears(n, i, to) && !send_datagram(n, s, m, bytes, to, i + 1))
            return false;
    return true;
}

bool co4__network_send(struct co4__network *n, struct co4__sim_socket *s, const struct msghdr *m,
                       size_t skip, size_t bytes, const struct co4__net_address *to)
{
    bool is_datagram = s->type == SOCK_DGRAM, is_local = co4__network_is_local(s);
    if (is_datagram && !is_local)
        return to && co4__address_is_broadcast(n, to) ? send_broadcast(n, s, m, bytes, to)
                                                      : send_datagram(n, s, m, bytes, to, 0);
    struct co4__packet *p = packet(n, s, m, skip, bytes, to);
    if (!p)
        return false;
    s->outstanding += bytes;
    co4__network_send_in_order(n, &p->event, is_datagram ? CO4__NET_DATAGRAM : CO4__NET_DATA, s);
    return true;
}

void co4__network_fin(struct co4__network *n, struct co4__sim_socket *s)
{
    if (!s->fin.queued && !s->write_shut)
        co4__network_send_in_order(n, &s->fin, CO4__NET_FIN, s);
    if (!s->write_shut)
        s->closes_first = !s->ended;
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
