/* network.c - the simulated network: what is sent arrives by the clock of the test.
 *
 * Purpose: a socket has queues in memory. A write makes a packet, whose arrival is an event in a
 * heap, after a latency that the seed draws. The simulation asks for the events that are due before
 * each step, and skips to the next one when no task is ready. An arrival changes the socket of the
 * receiver, and then reports to its descriptor, as a driver does.
 *
 * Streams: packets of one sender arrive in order, each byte once. Beyond a partition they are held
 * back, and sent again as TCP does it: after 200 ms, 400 ms, …, until the connection is given up. A
 * lost segment comes 200 ms later. A reset comes in place of a segment, so the receiver has a
 * prefix of what was sent, then ECONNRESET. A sender counts the bytes that the reader has not taken
 * yet; the acknowledgement travels back. IP has resets and refusals; Unix sockets and pipes have
 * order and latency only.
 *
 * Invariants: no decision depends on an address in memory, the number of a descriptor, or other
 * threads. Sockets have numbers of their own. Only calls of tasks allocate: a connection makes its
 * other end before it is sent, and events are parts of sockets and packets. So an arrival cannot
 * fail. A socket holds its peer until the peer knows that it is closed.
 *
 * Concurrency: the thread of the simulation alone uses it.
 *
 * Rejected: real sockets with a delay before each call (the system decides the order); a model of
 * windows and congestion (programs do not see them). */
#define _GNU_SOURCE /* POLLRDHUP */
#include "io/network.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "io/descriptor.h"
#include "platform/clock.h"
#include "platform/thread.h"

#define RETRY       (200 * CO4_MS) /* when a segment is sent again */
#define RETRY_MAX   (120 * CO4_SEC)
#define RETRIES     15
#define SYN_RETRIES 6
#define EAGER       4 /* once in so many steps the next event comes before ready tasks run */

static struct co4__network *of_world(struct co4__simulated_world *w)
{
    return (struct co4__network *)(void *)w;
}

static int64_t latency(struct co4__network *n)
{
    int64_t range = n->options.latency_max - n->options.latency_min;
    int64_t unit = (range >> 30) + 1;
    return n->options.latency_min + co4__network_below(n, (unsigned)(range / unit) + 1) * unit;
}

/* ---- the heap: a skew heap, by time, then by the order in which events were made ---- */

static bool precedes(const struct co4__net_event *a, const struct co4__net_event *b)
{
    return a->at != b->at ? a->at < b->at : a->order < b->order;
}

static struct co4__net_event *merge(struct co4__net_event *a, struct co4__net_event *b)
{
    struct co4__net_event *root = NULL, **at = &root;
    while (a && b) {
        if (precedes(b, a)) {
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

static void schedule(struct co4__network *n, struct co4__net_event *e, enum co4__net_what what,
                     struct co4__sim_socket *of, int64_t at)
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

static int64_t now_in(const struct co4__network *n)
{
    int64_t now = n->simulation->ops->now(n->simulation);
    return now > n->now ? now : n->now;
}

/* After all that the sender has sent before. */
static void schedule_in_order(struct co4__network *n, struct co4__net_event *e,
                              enum co4__net_what what, struct co4__sim_socket *sender)
{
    int64_t at = now_in(n) + latency(n);
    if (what == CO4__NET_DATA && !co4__network_is_local(sender) &&
        co4__network_happens(n, n->options.loss)) {
        at += RETRY;
        n->result.lost++;
    }
    if (at < sender->last_arrival)
        at = sender->last_arrival;
    sender->last_arrival = at;
    schedule(n, e, what, sender, at);
}

/* ---- sockets ---- */

struct co4__sim_socket *co4__network_create(struct co4__network *n, int domain, int type,
                                            int protocol)
{
    struct co4__sim_socket *s = co4__alloc(sizeof *s);
    if (!s)
        return NULL;
    s->refs = 1;
    s->fd = -1;
    s->number = ++n->numbers;
    s->domain = domain;
    s->type = type;
    s->protocol = protocol;
    s->capacity = n->options.buffer;
    return s;
}

void co4__network_release(struct co4__sim_socket *s)
{
    while (s && --s->refs == 0) {
        struct co4__sim_socket *peer = s->peer;
        co4__network_purge(s);
        if (s->embryo)
            co4__network_release(s->embryo);
        co4__free(s);
        s = peer;
    }
}

void co4__packet_free(struct co4__packet *p)
{
    struct co4__sim_socket *sender = p->event.of;
    co4__free(p);
    co4__network_release(sender);
}

void co4__network_purge(struct co4__sim_socket *s)
{
    struct co4__packet *p = s->received, *next;
    s->received = s->last_received = NULL;
    s->nreceived = 0;
    for (; p; p = next) {
        next = p->next;
        co4__packet_free(p);
    }
}

void co4__network_join(struct co4__sim_socket *a, struct co4__sim_socket *b)
{
    a->peer = b;
    b->peer = a;
    a->refs++;
    b->refs++;
}

/* The peer is not needed any more if this end is closed and nothing of it travels. */
static void part(struct co4__network *n, struct co4__sim_socket *s)
{
    struct co4__sim_socket *peer = s->peer;
    if (!peer || !s->closed || !(s->has_left || s->broken || n->ending))
        return;
    s->peer = NULL;
    co4__network_release(peer);
}

static void note_network(struct co4__network *n, const struct co4__sim_socket *s, const char *what,
                         uint64_t number)
{
    n->simulation->ops->note(n->simulation, "socket", s->number, what, number);
}

static void tell(struct co4__sim_socket *s, unsigned what)
{
    if (s->fd >= 0)
        co4__descriptor_event(s->fd, s->generation, what);
}

#define ALL (CO4__MAY_READ | CO4__MAY_WRITE | CO4__HAS_ENDED)

static void socket_fails(struct co4__network *n, struct co4__sim_socket *s, int error)
{
    struct co4__sim_socket *lost = NULL;
    if (s->state == CO4__NET_CONNECTING) { /* it may try another time */
        s->state = CO4__NET_FRESH;
        lost = s->peer;
        s->peer = NULL;
    } else {
        s->broken = true;
    }
    s->error = error;
    s->outstanding = 0;
    note_network(n, s, "fails", (uint64_t)error);
    tell(s, ALL);
    part(n, s);
    if (lost)
        co4__network_release(lost);
}

/* NULL: the peer has forgotten this connection. */
static struct co4__sim_socket *peer_of(const struct co4__sim_socket *s)
{
    return s->peer && s->peer->peer == s ? s->peer : NULL;
}

/* Sends a reset. False: the target does not need one. */
static bool reset(struct co4__network *n, struct co4__sim_socket *target, int64_t after)
{
    int64_t at = now_in(n) + latency(n);
    if (target->broken || (target->closed && target->has_left))
        return false;
    if (!target->rst.queued)
        schedule(n, &target->rst, CO4__NET_RST, target, at > after ? at : after);
    return true;
}

static bool is_cut(const struct co4__network *n, const struct co4__sim_socket *s)
{
    return n->cuts && !co4__network_is_local(s) && s->peer &&
           co4__address_is_cut(n, &s->local, &s->peer->local);
}

void co4__network_ack(struct co4__network *n, struct co4__sim_socket *sender, size_t bytes)
{
    sender->acknowledged += bytes;
    if (!sender->ack.queued && !sender->closed)
        schedule(n, &sender->ack, CO4__NET_ACK, sender, now_in(n) + latency(n));
}

void co4__network_fin(struct co4__network *n, struct co4__sim_socket *s)
{
    if (!s->fin.queued && !s->write_shut)
        schedule_in_order(n, &s->fin, CO4__NET_FIN, s);
    s->write_shut = true;
}

static bool lingers_not(const struct co4__sim_socket *s)
{
    for (unsigned i = 0; i < s->noptions; i++) {
        const struct co4__net_option *o = &s->options[i];
        struct linger l;
        if (o->level != SOL_SOCKET || o->name != SO_LINGER || o->bytes != sizeof l)
            continue;
        memcpy(&l, o->value, sizeof l);
        return l.l_onoff && l.l_linger == 0;
    }
    return false;
}

/* The other end finds out. */
static void say_goodbye(struct co4__network *n, struct co4__sim_socket *s, bool accepted)
{
    if (co4__network_is_local(s)) {
        s->unread = s->nreceived > 0 || !accepted;
        schedule_in_order(n, &s->left, CO4__NET_GONE, s);
    } else if (!accepted || s->nreceived > 0 || lingers_not(s) || s->state == CO4__NET_CONNECTING) {
        s->has_left = !reset(n, s->peer, s->last_arrival);
    } else {
        co4__network_fin(n, s);
    }
}

static void close_backlog(struct co4__network *n, struct co4__sim_socket *s)
{
    while (s->waiting) {
        struct co4__sim_socket *other = s->waiting;
        s->waiting = other->next_waiting;
        co4__network_close(n, other);
    }
    s->last_waiting = NULL;
    s->nwaiting = 0;
}

/* Drops the caller's reference. */
void co4__network_close(struct co4__network *n, struct co4__sim_socket *s)
{
    bool accepted = s->fd >= 0;
    s->closed = true;
    if (accepted && (size_t)s->fd < n->nby_fd)
        n->by_fd[s->fd] = NULL;
    s->fd = -1;
    n->result.open -= accepted;
    co4__address_unbind(n, s);
    close_backlog(n, s);
    if (s->peer && !s->broken && s->type != SOCK_DGRAM)
        say_goodbye(n, s, accepted);
    else
        s->has_left = true;
    co4__network_purge(s);
    part(n, s);
    co4__network_release(s);
}

/* ---- sending ---- */

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
    if (!is_datagram || is_local)
        s->outstanding += bytes;
    if (!is_datagram || is_local)
        schedule_in_order(n, &p->event, is_datagram ? CO4__NET_DATAGRAM : CO4__NET_DATA, s);
    else
        schedule(n, &p->event, CO4__NET_DATAGRAM, s, now_in(n) + latency(n));
    if (is_datagram && !is_local && co4__network_happens(n, n->options.duplicate) &&
        (p = packet(s, m, skip, bytes, to)) != NULL) {
        n->result.duplicates++;
        schedule(n, &p->event, CO4__NET_DATAGRAM, s, now_in(n) + latency(n));
    }
    return true;
}

int co4__network_connect(struct co4__network *n, struct co4__sim_socket *s)
{
    struct co4__sim_socket *l = NULL;
    if (co4__network_is_local(s)) {
        l = co4__address_find(n, s, &s->remote);
        if (!l)
            return ECONNREFUSED;
        if (l->nwaiting > l->backlog)
            return EAGAIN;
    }
    if (!(s->embryo = co4__network_create(n, s->domain, s->type, s->protocol)))
        return ENOMEM;
    co4__address_assign(n, s, &s->remote);
    s->tries = 0;
    s->state = CO4__NET_CONNECTING;
    schedule(n, &s->syn, CO4__NET_SYN, s, now_in(n) + (l ? 0 : latency(n)));
    return EINPROGRESS;
}

/* ---- arrivals ---- */

static struct co4__packet *packet_of(struct co4__net_event *e)
{
    return (struct co4__packet *)(void *)e;
}

static void append(struct co4__sim_socket *s, struct co4__packet *p)
{
    p->next = NULL;
    if (s->last_received)
        s->last_received->next = p;
    else
        s->received = p;
    s->last_received = p;
    s->nreceived += p->bytes;
}

/* What is sent to a closed or broken end of a connection is answered by a reset. */
static void data_arrives(struct co4__network *n, struct co4__sim_socket *sender,
                         struct co4__packet *p)
{
    struct co4__sim_socket *s = peer_of(sender);
    if (s && !s->closed && !s->broken && !s->read_shut && !co4__network_is_local(s) &&
        co4__network_happens(n, n->options.reset)) {
        n->result.resets++;
        reset(n, sender, 0);
        socket_fails(n, s, ECONNRESET);
        co4__packet_free(p);
    } else if (!s || s->closed || s->broken) {
        if (!co4__network_is_local(sender))
            reset(n, sender, 0);
        co4__packet_free(p);
    } else if (s->read_shut) {
        co4__network_ack(n, sender, p->bytes);
        co4__packet_free(p);
    } else {
        n->result.segments++;
        n->result.bytes += p->bytes;
        note_network(n, s, "receives", p->bytes);
        append(s, p);
        tell(s, CO4__MAY_READ);
    }
}

static void datagram_is_lost(struct co4__network *n, struct co4__packet *p)
{
    if (co4__network_is_local(p->event.of))
        co4__network_ack(n, p->event.of, p->bytes);
    else
        n->result.lost++;
    co4__packet_free(p);
}

static void datagram_arrives(struct co4__network *n, struct co4__packet *p)
{
    struct co4__sim_socket *sender = p->event.of;
    struct co4__sim_socket *s = p->to ? co4__address_find(n, sender, p->to) : sender->peer;
    bool is_local = co4__network_is_local(sender);
    if (!is_local && co4__address_is_cut(n, p->from, p->to)) {
        datagram_is_lost(n, p);
    } else if (!s || s->closed) {
        if (!is_local && sender->remote.bytes > 0 && !sender->closed) {
            sender->error = ECONNREFUSED; /* the answer of the host */
            tell(sender, CO4__MAY_READ | CO4__MAY_WRITE);
        }
        datagram_is_lost(n, p);
    } else if (s->read_shut ||
               (s->remote.bytes > 0 && !s->peer && !co4__address_is(&s->remote, p->from)) ||
               (!is_local && s->nreceived + p->bytes > s->capacity)) {
        datagram_is_lost(n, p);
    } else {
        n->result.datagrams++;
        note_network(n, s, "gets a datagram of", p->bytes);
        append(s, p);
        tell(s, CO4__MAY_READ);
    }
}

static void end_arrives(struct co4__network *n, struct co4__sim_socket *sender, bool gone)
{
    struct co4__sim_socket *s = peer_of(sender);
    sender->has_left = gone || !co4__network_is_local(sender);
    if (s && !s->closed && !s->broken) {
        s->ended = true;
        s->gone = s->gone || gone;
        if (gone && sender->unread && !s->is_pipe)
            s->error = ECONNRESET;
        note_network(n, s, "has the end of", sender->number);
        tell(s, gone ? ALL : CO4__MAY_READ | CO4__HAS_ENDED);
    }
    part(n, sender);
}

static void connection_is_made(struct co4__network *n, struct co4__sim_socket *server)
{
    struct co4__sim_socket *s = peer_of(server);
    if (!s || s->closed || s->state != CO4__NET_CONNECTING)
        return;
    s->state = CO4__NET_JOINED;
    n->result.connected++;
    note_network(n, s, "is connected with", server->number);
    tell(s, CO4__MAY_WRITE);
}

/* What arrives in the order in which it was sent. */
static void arrive_in_order(struct co4__network *n, struct co4__net_event *e)
{
    struct co4__sim_socket *sender = e->of;
    e->queued = false;
    switch (e->what) {
    case CO4__NET_DATA:
        data_arrives(n, sender, packet_of(e));
        return; /* the packet keeps its reference */
    case CO4__NET_CONNECTED:
        connection_is_made(n, sender);
        break;
    default:
        end_arrives(n, sender, e->what == CO4__NET_GONE);
    }
    co4__network_release(sender);
}

static int64_t retry_after(unsigned times)
{
    int64_t after = times < 16 ? RETRY << times : RETRY_MAX;
    return after < RETRY_MAX ? after : RETRY_MAX;
}

static void hold(struct co4__network *n, struct co4__net_event *e)
{
    struct co4__sim_socket *sender = e->of;
    e->right = NULL;
    if (sender->held)
        sender->last_held->right = e;
    else
        sender->held = e;
    sender->last_held = e;
    if (sender->retry.queued)
        return;
    n->result.lost++;
    schedule(n, &sender->retry, CO4__NET_RETRY, sender, now_in(n) + retry_after(sender->retries));
}

static struct co4__net_event *next_held(struct co4__sim_socket *sender)
{
    struct co4__net_event *e = sender->held;
    sender->held = e->right;
    if (!sender->held)
        sender->last_held = NULL;
    return e;
}

static void drop(struct co4__net_event *e)
{
    struct co4__sim_socket *of = e->of;
    e->queued = false;
    if (e->what == CO4__NET_DATA || e->what == CO4__NET_DATAGRAM)
        co4__packet_free(packet_of(e));
    else
        co4__network_release(of);
}

/* The peer has not answered for too long. */
static void give_up(struct co4__network *n, struct co4__sim_socket *s)
{
    while (s->held)
        drop(next_held(s));
    s->has_left = true;
    if (s->peer && s->peer->state == CO4__NET_CONNECTING)
        socket_fails(n, s->peer, ETIMEDOUT);
    if (!s->broken)
        socket_fails(n, s, ETIMEDOUT);
    part(n, s);
}

static void retry(struct co4__network *n, struct co4__sim_socket *s)
{
    if (is_cut(n, s)) {
        if (s->held && ++s->retries > RETRIES)
            give_up(n, s);
        else if (s->held)
            schedule(n, &s->retry, CO4__NET_RETRY, s, now_in(n) + retry_after(s->retries));
        return;
    }
    s->retries = 0;
    while (s->held)
        arrive_in_order(n, next_held(s));
}

static void ack_arrives(struct co4__network *n, struct co4__sim_socket *s)
{
    if (is_cut(n, s)) {
        if (++s->ack_retries > RETRIES)
            give_up(n, s);
        else
            schedule(n, &s->ack, CO4__NET_ACK, s, now_in(n) + retry_after(s->ack_retries));
        return;
    }
    s->ack_retries = 0;
    s->outstanding -= s->acknowledged < s->outstanding ? s->acknowledged : s->outstanding;
    s->acknowledged = 0;
    if (!s->closed && !s->broken)
        tell(s, CO4__MAY_WRITE);
}

static void reset_arrives(struct co4__network *n, struct co4__sim_socket *s)
{
    struct co4__sim_socket *sender = s->peer;
    if (!is_cut(n, s) && !s->broken) {
        if (s->closed)
            s->broken = true;
        else
            socket_fails(n, s,
                         s->state == CO4__NET_CONNECTING ? ECONNREFUSED
                         : s->ended                      ? EPIPE
                                                         : ECONNRESET);
    }
    if (sender && sender->closed) {
        sender->has_left = true;
        part(n, sender);
    }
    part(n, s);
}

static void wait_in_backlog(struct co4__sim_socket *l, struct co4__sim_socket *s)
{
    s->next_waiting = NULL;
    if (l->last_waiting)
        l->last_waiting->next_waiting = s;
    else
        l->waiting = s;
    l->last_waiting = s;
    l->nwaiting++;
    tell(l, CO4__MAY_READ);
}

static void try_again_later(struct co4__network *n, struct co4__sim_socket *s)
{
    n->result.lost++;
    if (s->tries == SYN_RETRIES) {
        co4__network_release(s->embryo);
        s->embryo = NULL;
        schedule(n, &s->syn, CO4__NET_REFUSED, s, now_in(n) + (CO4_SEC << s->tries));
    } else {
        schedule(n, &s->syn, CO4__NET_SYN, s, now_in(n) + (CO4_SEC << s->tries++));
    }
}

/* A socket asks a listener for a connection. */
static void syn_arrives(struct co4__network *n, struct co4__sim_socket *s)
{
    struct co4__sim_socket *other = s->embryo, *l = co4__address_find(n, s, &s->remote);
    bool is_local = co4__network_is_local(s);
    if (s->closed || s->state != CO4__NET_CONNECTING) {
        co4__network_release(other);
        s->embryo = NULL;
        return;
    }
    if ((!is_local && co4__address_is_cut(n, &s->local, &s->remote)) ||
        (l && l->nwaiting > l->backlog)) {
        try_again_later(n, s);
        return;
    }
    s->embryo = NULL;
    if (!l || (!is_local && co4__network_happens(n, n->options.refuse))) {
        co4__network_release(other);
        n->result.refused++;
        s->tries = 0;
        schedule(n, &s->syn, CO4__NET_REFUSED, s, now_in(n) + latency(n));
        return;
    }
    other->local = s->remote;
    other->remote = s->local;
    other->state = CO4__NET_JOINED;
    co4__network_join(s, other);
    wait_in_backlog(l, other);
    if (is_local)
        connection_is_made(n, other);
    else
        schedule_in_order(n, &other->made, CO4__NET_CONNECTED, other);
}

static void arrive(struct co4__network *n, struct co4__net_event *e)
{
    struct co4__sim_socket *s = e->of;
    e->queued = false;
    switch (e->what) {
    case CO4__NET_DATA:
    case CO4__NET_CONNECTED:
    case CO4__NET_FIN:
    case CO4__NET_GONE:
        e->queued = true;
        if (s->held || is_cut(n, s))
            hold(n, e);
        else
            arrive_in_order(n, e);
        return;
    case CO4__NET_DATAGRAM:
        datagram_arrives(n, packet_of(e));
        return;
    case CO4__NET_SYN:
        syn_arrives(n, s);
        break;
    case CO4__NET_REFUSED:
        if (!s->closed && s->state == CO4__NET_CONNECTING)
            socket_fails(n, s, s->tries == 0 ? ECONNREFUSED : ETIMEDOUT);
        break;
    case CO4__NET_ACK:
        ack_arrives(n, s);
        break;
    case CO4__NET_RST:
        reset_arrives(n, s);
        break;
    default:
        retry(n, s);
    }
    co4__network_release(s);
}

/* ---- readiness ---- */

static bool can_read(const struct co4__sim_socket *s)
{
    return s->received || s->ended || s->read_shut || s->broken || s->error != 0 || s->waiting;
}

static bool can_write(const struct co4__sim_socket *s)
{
    if (s->cannot_write || s->state == CO4__NET_LISTENING)
        return false;
    if (co4__network_is_shut(s) || s->error != 0)
        return true;
    if (s->state == CO4__NET_CONNECTING)
        return false;
    size_t least = s->is_pipe ? CO4__PIPE_ATOMIC : 1;
    return s->outstanding == 0 || s->outstanding + least <= s->capacity;
}

short co4__network_events(const struct co4__sim_socket *s)
{
    short events = 0;
    bool is_stream = s->type != SOCK_DGRAM;
    if (!s->cannot_read && can_read(s))
        events |= POLLIN;
    if (can_write(s))
        events |= POLLOUT;
    if (s->error != 0 || (s->is_pipe && s->cannot_read && s->gone))
        events |= POLLERR;
    if (s->broken || (s->ended && (s->write_shut || s->gone)) ||
        (is_stream && s->state == CO4__NET_FRESH))
        events |= POLLHUP;
#ifdef POLLRDHUP
    if (s->ended && !s->is_pipe)
        events |= POLLRDHUP;
#endif
    return events;
}

/* ---- the events of a simulation ---- */

static struct co4__net_event *take_first(struct co4__network *n)
{
    struct co4__net_event *e = n->heap;
    n->heap = merge(e->left, e->right);
    return e;
}

static int64_t turn(struct co4__simulated_world *w, int64_t now, int64_t limit)
{
    struct co4__network *n = of_world(w);
    if (n->heap && n->heap->at > now && n->heap->at <= limit &&
        n->heap->at - now <= n->options.latency_max && co4__network_happens(n, EAGER))
        now = n->heap->at;
    n->now = now;
    while (n->heap && n->heap->at <= now)
        arrive(n, take_first(n));
    return now;
}

static int64_t next(const struct co4__simulated_world *w)
{
    const struct co4__network *n = (const struct co4__network *)(const void *)w;
    return n->heap ? n->heap->at : CO4_NEVER;
}

static void world_end(struct co4__simulated_world *w)
{
    struct co4__network *n = of_world(w);
    struct co4__local *here = co4__local();
    struct co4__simulation *outer = here->simulate.state;
    here->simulate.state = n->simulation;
    n->ending = true;
    for (size_t fd = 0; fd < n->nby_fd; fd++) {
        struct co4__sim_socket *s = n->by_fd[fd];
        struct co4__descriptor *d = s ? co4__descriptor_find((int)fd) : NULL;
        if (d && co4__generation_of(atomic_load(&d->use)) == s->generation)
            co4__descriptor_close((int)fd);
        if (n->by_fd[fd])
            co4__network_close(n, n->by_fd[fd]);
    }
    while (n->heap) {
        struct co4__net_event *e = take_first(n);
        struct co4__sim_socket *s = e->of;
        s->refs++;
        while (s->held)
            drop(next_held(s));
        drop(e);
        if (s->peer)
            part(n, s->peer); /* nothing of both travels any more */
        part(n, s);
        co4__network_release(s);
    }
    while (n->cuts) {
        struct co4__cut *c = n->cuts;
        n->cuts = c->next;
        co4__free(c);
    }
    co4__free(n->by_fd);
    n->simulation->world = NULL;
    co4__free(n);
    here->simulate.state = outer;
}

/* ---- the public calls ---- */

static const struct co4__simulated_world_ops ops = { turn, next, world_end };

/* Options that are zero get their defaults. */
void co4__network_set_options(struct co4__network *n, const co4_test_network_options *options)
{
    n->options = *options;
    if (options->latency_max == 0) {
        n->options.latency_min = 20 * CO4_US;
        n->options.latency_max = CO4_MS;
    }
    if (options->buffer == 0)
        n->options.buffer = 65536;
    if (options->short_counts == 0)
        n->options.short_counts = 3;
}

struct co4__network *co4__network_here(void)
{
    static const co4_test_network_options defaults = { .latency_min = 0 };
    struct co4__simulation *s = co4__local()->simulate.state;
    if (s->world)
        return of_world(s->world);
    struct co4__network *n = co4__alloc(sizeof *n);
    if (!n)
        return NULL;
    n->world.ops = &ops;
    n->simulation = s;
    co4__network_set_options(n, &defaults);
    s->world = &n->world;
    return n;
}

int co4_test_network_result_of(co4_test_network_result *out)
{
    const struct co4__simulation *s = co4__local()->simulate.state;
    if (!out)
        return CO4_EINVAL;
    if (!s || !s->world)
        return CO4_ESTATE;
    *out = of_world(s->world)->result;
    return CO4_OK;
}

/* Whether it separates the same hosts. */
static bool is_between(const struct co4__cut *c, const struct co4__net_address *a,
                       const struct co4__net_address *b)
{
    return co4__address_is(a, &c->a) && co4__address_is(b, &c->b);
}

int co4_test_network_partition(const char *a, const char *b, int on)
{
    struct co4__net_address sides[2];
    if (!co4__local()->simulate.state)
        return CO4_ESTATE;
    if (!co4__address_parse(a, &sides[0]) || !co4__address_parse(b, &sides[1]))
        return CO4_EINVAL;
    struct co4__network *n = co4__network_here();
    if (!n)
        return CO4_ENOMEM;
    struct co4__cut **at = &n->cuts;
    while (*at && !is_between(*at, &sides[0], &sides[1]) && !is_between(*at, &sides[1], &sides[0]))
        at = &(*at)->next;
    if (*at && !on) {
        struct co4__cut *c = *at;
        *at = c->next;
        co4__free(c);
    } else if (!*at && on) {
        struct co4__cut *c = co4__alloc(sizeof *c);
        if (!c)
            return CO4_ENOMEM;
        c->a = sides[0];
        c->b = sides[1];
        *at = c;
    }
    return CO4_OK;
}
