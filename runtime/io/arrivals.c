/* arrivals.c - what arrives at sockets of the simulated network.
 *
 * An arrival changes the receiver and reports to its descriptor. Beyond a partition the packets of
 * a stream are held back, and sent again as TCP does it: after 200 ms, 400 ms, …, until the
 * connection is given up. */
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "io/descriptor.h"
#include "io/network.h"

#define SYN_RETRIES 6

/* NULL: the peer has forgotten this connection. */
static struct co4__sim_socket *peer_of(const struct co4__sim_socket *s)
{
    return s->peer && s->peer->peer == s ? s->peer : NULL;
}

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

/* A closed or broken end of a connection answers with a reset. */
static void data_arrives(struct co4__network *n, struct co4__sim_socket *sender,
                         struct co4__packet *p)
{
    struct co4__sim_socket *s = peer_of(sender);
    if (s && !s->closed && !s->broken && !s->read_shut && !co4__network_is_local(s) &&
        co4__network_happens(n, n->common->options.reset, "reset")) {
        n->result.resets++;
        co4__network_reset(n, sender, 0);
        co4__network_fail(n, s, ECONNRESET);
        co4__packet_free(p);
    } else if (!s || s->closed || s->broken) {
        if (!co4__network_is_local(sender))
            co4__network_reset(n, sender, 0);
        if (sender->peer)
            sender->peer->past_until = 0;
        co4__packet_free(p);
    } else if (s->read_shut && s->write_shut && !co4__network_is_local(s)) {
        co4__network_reset(n, sender, 0); /* this end is closed, though it has a descriptor */
        co4__network_fail(n, s, ECONNRESET);
        co4__packet_free(p);
    } else if (s->read_shut && co4__network_is_local(s)) {
        co4__network_ack(n, sender, p->bytes);
        co4__packet_free(p);
    } else {
        n->result.segments++;
        n->result.bytes += p->bytes;
        co4__network_note(n, s, "receives", p->bytes);
        s->heard = co4__network_now(n);
        append(s, p);
        co4__network_tell(s, CO4__MAY_READ);
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

static bool takes_datagram(const struct co4__sim_socket *s, const struct co4__packet *p)
{
    bool has_room = co4__network_is_local(s) || s->nreceived + p->bytes <= s->capacity;
    bool is_other = s->remote.bytes > 0 && !s->peer && !co4__address_is(&s->remote, p->from);
    return has_room && !is_other && !s->read_shut;
}

static void take_datagram(struct co4__network *n, struct co4__sim_socket *s, struct co4__packet *p)
{
    n->result.datagrams++;
    co4__network_note(n, s, "gets a datagram of", p->bytes);
    append(s, p);
    co4__network_tell(s, CO4__MAY_READ);
}

static void datagram_arrives(struct co4__network *n, struct co4__packet *p)
{
    struct co4__sim_socket *sender = p->event.of;
    struct co4__sim_socket *s = p->to ? co4__address_find(n, sender, p->to) : sender->peer;
    bool is_local = co4__network_is_local(sender);
    if (!is_local && co4__network_is_cut_from(n, sender, p->from, p->to)) {
        datagram_is_lost(n, p);
    } else if (!s || s->closed) {
        if (!is_local && sender->remote.bytes > 0 && !sender->closed && !sender->rst.queued)
            co4__network_schedule(n, &sender->rst, CO4__NET_NOBODY, sender,
                                  co4__network_arrival(n));
        datagram_is_lost(n, p);
    } else if (!takes_datagram(s, p)) {
        datagram_is_lost(n, p);
    } else {
        take_datagram(n, s, p);
    }
}

/* Without memory it is lost. */
static void copy_arrives(struct co4__network *n, struct co4__sim_socket *s,
                         const struct co4__packet *p)
{
    size_t addresses = sizeof *p->from;
    struct co4__packet *copy = co4__network_alloc(n, sizeof *copy + addresses + p->bytes);
    if (!copy)
        return;
    copy->event.of = p->event.of;
    copy->event.of->refs++;
    copy->from = (struct co4__net_address *)(void *)(copy + 1);
    *copy->from = *p->from;
    copy->bytes = p->bytes;
    copy->data = (char *)(copy->from + 1);
    memcpy(copy->data, p->data, p->bytes);
    take_datagram(n, s, copy);
}

/* Each socket of the machine with that port has one. */
static void broadcast_arrives(struct co4__network *n, struct co4__packet *p)
{
    unsigned host = p->to_host - 1;
    struct co4__sim_socket *s = n->common->hosts[host].bound;
    if (!co4__network_is_cut_to(n, p->event.of, host, p->from, p->to))
        for (; s; s = s->next_bound)
            if (co4__address_gets(s, p->to) && takes_datagram(s, p))
                copy_arrives(n, s, p);
    co4__packet_free(p);
}

static void end_arrives(struct co4__network *n, struct co4__sim_socket *sender, bool gone)
{
    struct co4__sim_socket *s = peer_of(sender);
    sender->has_left = gone || !co4__network_is_local(sender);
    if (sender->peer && sender->peer->is_past && sender->peer->past_until > co4__network_now(n))
        sender->peer->past_until = co4__network_now(n) + CO4__NET_PAST;
    if (s)
        s->heard = co4__network_now(n);
    if (s && !s->closed && !s->broken) {
        s->ended = true;
        s->gone = s->gone || gone;
        if (gone && sender->unread && !s->is_pipe)
            s->error = ECONNRESET;
        co4__network_note(n, s, "has the end of", sender->number);
        co4__network_tell(s, gone ? CO4__NET_ALL : CO4__MAY_READ | CO4__HAS_ENDED);
    }
    co4__network_drop_peer(n, sender);
}

static void connection_is_made(struct co4__network *n, struct co4__sim_socket *server)
{
    struct co4__sim_socket *s = peer_of(server);
    if (!s || s->closed || s->state != CO4__NET_CONNECTING)
        return;
    s->state = CO4__NET_JOINED;
    s->heard = co4__network_now(n);
    n->result.connected++;
    co4__network_note(n, s, "is connected with", server->number);
    co4__network_tell(s, CO4__MAY_WRITE);
}

/* Handles an event that arrives in the order in which it was sent. */
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

/* When to try again what has had no answer since `unanswered`; CO4_NEVER: it is given up. */
static int64_t next_try(const struct co4__network *n, const struct co4__sim_socket *s,
                        unsigned *times)
{
    int64_t now = co4__network_now(n), user = co4__network_keepalive(s).user;
    int64_t next = now + co4__network_retry_after((*times)++);
    if (user == 0)
        return *times > CO4__NET_RETRIES + 1 ? CO4_NEVER : next;
    user += s->unanswered;
    return now >= user ? CO4_NEVER : next < user ? next : user;
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
    sender->unanswered = co4__network_now(n);
    co4__network_schedule(n, &sender->retry, CO4__NET_RETRY, sender,
                          next_try(n, sender, &sender->retries));
}

/* What the socket has sent is lost for good: it learns so. */
static void give_up(struct co4__network *n, struct co4__sim_socket *s)
{
    co4__network_drop_held(s);
    s->has_left = true;
    if (s->peer && s->peer->state == CO4__NET_CONNECTING)
        co4__network_fail(n, s->peer, ETIMEDOUT);
    if (!s->rst.queued)
        co4__network_schedule(n, &s->rst, CO4__NET_LOST, s, co4__network_now(n));
    co4__keepalive_look(n); /* the peer has no end of it */
}

static void is_lost(struct co4__network *n, struct co4__sim_socket *s)
{
    if (!s->broken)
        co4__network_fail(n, s, ETIMEDOUT);
    co4__network_drop_peer(n, s);
}

/* The answer of a host. */
static void nobody_is_there(struct co4__sim_socket *s)
{
    if (s->closed)
        return;
    s->error = ECONNREFUSED;
    co4__network_tell(s, CO4__MAY_READ | CO4__MAY_WRITE);
}

static void retry(struct co4__network *n, struct co4__sim_socket *s)
{
    if (co4__network_is_cut(n, s)) {
        int64_t at = s->held ? next_try(n, s, &s->retries) : 0;
        if (at == CO4_NEVER)
            give_up(n, s);
        else if (s->held)
            co4__network_schedule(n, &s->retry, CO4__NET_RETRY, s, at);
        return;
    }
    s->retries = 0;
    while (s->held)
        arrive_in_order(n, co4__network_next_held(s));
}

static void ack_arrives(struct co4__network *n, struct co4__sim_socket *s)
{
    if (co4__network_is_cut(n, s)) {
        if (s->ack_retries == 0) {
            s->ack_retries = 1;
            s->unanswered = s->held ? s->unanswered : co4__network_now(n);
        }
        int64_t at = next_try(n, s, &s->ack_retries);
        if (at == CO4_NEVER)
            give_up(n, s);
        else
            co4__network_schedule(n, &s->ack, CO4__NET_ACK, s, at);
        return;
    }
    s->ack_retries = 0;
    s->heard = co4__network_now(n);
    s->outstanding -= s->acknowledged < s->outstanding ? s->acknowledged : s->outstanding;
    s->acknowledged = 0;
    if (!s->closed && !s->broken)
        co4__network_tell(s, CO4__MAY_WRITE);
}

static void reset_arrives(struct co4__network *n, struct co4__sim_socket *s)
{
    struct co4__sim_socket *sender = s->peer;
    if (!co4__network_is_cut(n, s) && !s->broken) {
        s->past_until = 0;
        if (s->closed)
            s->broken = true;
        else
            co4__network_fail(n, s,
                              s->state == CO4__NET_CONNECTING ? ECONNREFUSED
                              : s->ended                      ? EPIPE
                                                              : ECONNRESET);
    }
    if (sender && sender->closed) {
        sender->has_left = true;
        co4__network_drop_peer(n, sender);
    }
    co4__network_drop_peer(n, s);
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
    co4__network_tell(l, CO4__MAY_READ);
}

/* After 1 s, 2 s, …, so (1 << tries) - 1 s have passed before. */
static void try_again_later(struct co4__network *n, struct co4__sim_socket *s)
{
    int64_t user = co4__network_keepalive(s).user, after = CO4_SEC << s->tries;
    bool is_last = user > 0 ? 2 * after - CO4_SEC >= user : s->tries == SYN_RETRIES;
    n->result.lost++;
    if (user > 0 && is_last)
        after = user - (after - CO4_SEC);
    s->tries++;
    if (is_last) {
        co4__network_release(s->embryo);
        s->embryo = NULL;
    }
    co4__network_schedule(n, &s->syn, is_last ? CO4__NET_REFUSED : CO4__NET_SYN, s,
                          co4__network_now(n) + after);
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
    if ((!is_local && co4__network_is_cut_from(n, s, &s->local, &s->remote)) ||
        (l && l->nwaiting > l->backlog)) {
        try_again_later(n, s);
        return;
    }
    s->embryo = NULL;
    if (!l || (!is_local && co4__network_happens(n, n->common->options.refuse, "refuse"))) {
        co4__network_release(other);
        n->result.refused++;
        s->tries = 0;
        co4__network_schedule(n, &s->syn, CO4__NET_REFUSED, s, co4__network_arrival(n));
        return;
    }
    other->host = l->host;
    other->domain = l->domain;
    other->local = s->remote;
    other->remote = s->local;
    other->state = CO4__NET_JOINED;
    other->heard = co4__network_now(n);
    co4__network_inherit(other, l);
    co4__network_join(s, other);
    wait_in_backlog(l, other);
    if (is_local)
        connection_is_made(n, other);
    else
        co4__network_send_in_order(n, &other->made, CO4__NET_CONNECTED, other);
}

void co4__network_arrive(struct co4__network *n, struct co4__net_event *e)
{
    struct co4__sim_socket *s = e->of;
    struct co4__net_timer *t = (struct co4__net_timer *)(void *)e;
    e->queued = false;
    switch (e->what) {
    case CO4__NET_TIMER:
        t->fire(t);
        return;
    case CO4__NET_DATA:
    case CO4__NET_CONNECTED:
    case CO4__NET_FIN:
    case CO4__NET_GONE:
        e->queued = true;
        if (s->has_hole)
            co4__network_drop(e);
        else if (s->held || co4__network_is_cut(n, s))
            hold(n, e);
        else
            arrive_in_order(n, e);
        return;
    case CO4__NET_DATAGRAM:
        if (packet_of(e)->to_host > 0)
            broadcast_arrives(n, packet_of(e));
        else
            datagram_arrives(n, packet_of(e));
        return;
    case CO4__NET_SYN:
        syn_arrives(n, s);
        break;
    case CO4__NET_REFUSED:
        if (!s->closed && s->state == CO4__NET_CONNECTING)
            co4__network_fail(n, s, s->tries == 0 ? ECONNREFUSED : ETIMEDOUT);
        break;
    case CO4__NET_ACK:
        ack_arrives(n, s);
        break;
    case CO4__NET_RST:
        reset_arrives(n, s);
        break;
    case CO4__NET_NOBODY:
        nobody_is_there(s);
        break;
    case CO4__NET_LOST:
        is_lost(n, s);
        break;
    case CO4__NET_PROBE:
        co4__keepalive_probe(n, s);
        break;
    default:
        retry(n, s);
    }
    co4__network_release(s);
}

void co4__network_arrive_at(struct co4__network *n, unsigned host)
{
    unsigned own = n->host;
    struct co4__net_event *timers = n->timers;
    int64_t now = n->now;
    n->host = host;
    n->timers = NULL;
    if (co4__network_first(n) > n->now)
        n->now = co4__network_first(n);
    co4__network_arrive(n, co4__network_take_first(n));
    n->host = own;
    n->timers = timers;
    n->now = now;
}
