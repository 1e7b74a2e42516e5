/* sim_socket.c - the sockets of the simulated network: their references, readiness and end.
 *
 * A socket ends in steps: its descriptor is closed, a message travels to the peer, and the peer
 * learns of it. Until then both hold each other, and packets hold their sender. */
#define _GNU_SOURCE /* POLLRDHUP */
#include <errno.h>
#include <poll.h>
#include <string.h>

#include "io/descriptor.h"
#include "io/network.h"
#include "platform/thread.h"

/* ---- references, and what has arrived ---- */

struct co4__sim_socket *co4__network_create(struct co4__network *n, int domain, int type,
                                            int protocol)
{
    struct co4__sim_socket *s = co4__network_alloc(n, sizeof *s);
    if (!s)
        return NULL;
    s->refs = 1;
    s->fd = -1;
    s->number = ++n->numbers;
    s->host = n->host;
    s->domain = domain;
    s->type = type;
    s->protocol = protocol;
    s->capacity = n->common->options.buffer;
    return s;
}

void co4__network_release(struct co4__sim_socket *s)
{
    while (s && --s->refs == 0) {
        struct co4__sim_socket *peer = s->peer;
        co4__network_purge(s);
        if (s->embryo)
            co4__network_release(s->embryo);
        co4__network_free(s);
        s = peer;
    }
}

void co4__packet_free(struct co4__packet *p)
{
    struct co4__sim_socket *sender = p->event.of;
    co4__network_free(p);
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

/* ---- what a partition holds back ---- */

struct co4__net_event *co4__network_next_held(struct co4__sim_socket *sender)
{
    struct co4__net_event *e = sender->held;
    sender->held = e->right;
    if (!sender->held)
        sender->last_held = NULL;
    return e;
}

void co4__network_drop(struct co4__net_event *e)
{
    struct co4__sim_socket *of = e->of;
    e->queued = false;
    if (e->what == CO4__NET_DATA || e->what == CO4__NET_DATAGRAM)
        co4__packet_free((struct co4__packet *)(void *)e);
    else
        co4__network_release(of);
}

void co4__network_drop_held(struct co4__sim_socket *sender)
{
    sender->has_hole = sender->has_hole || sender->held;
    while (sender->held)
        co4__network_drop(co4__network_next_held(sender));
}

/* ---- the state ---- */

void co4__network_join(struct co4__sim_socket *a, struct co4__sim_socket *b)
{
    a->peer = b;
    b->peer = a;
    a->refs++;
    b->refs++;
}

int co4__network_connect(struct co4__network *n, struct co4__sim_socket *s)
{
    struct co4__sim_socket *l = NULL;
    if (co4__network_is_local(s)) {
        l = co4__address_find(n, s, &s->remote);
        if (!l)
            return co4__name_missing(n, s, &s->remote);
        if (l->nwaiting > l->backlog)
            return EAGAIN;
        s->remote.file = l->file;
    }
    if (!(s->embryo = co4__network_create(n, s->domain, s->type, s->protocol)))
        return ENOMEM;
    co4__address_assign(n, s, &s->remote);
    s->tries = 0;
    s->state = CO4__NET_CONNECTING;
    int64_t at = l ? co4__network_now(n) : co4__network_arrival(n);
    co4__network_schedule(n, &s->syn, CO4__NET_SYN, s, at);
    return EINPROGRESS;
}

void co4__network_drop_peer(struct co4__network *n, struct co4__sim_socket *s)
{
    struct co4__sim_socket *peer = s->peer;
    if (!peer || !s->closed || !(s->has_left || s->broken || n->ending))
        return;
    s->peer = NULL;
    co4__network_release(peer);
}

void co4__network_note(struct co4__network *n, const struct co4__sim_socket *s, const char *what,
                       uint64_t number)
{
    n->simulation->ops->note(n->simulation, "socket", s->number, what, number);
}

/* The first one of its descriptors from this number on; -1: there is none. */
static int next_name(const struct co4__network *n, const struct co4__sim_socket *s, int fd)
{
    if (s->names == 1 && fd >= 0)
        return fd == s->fd ? fd : -1;
    for (; fd >= 0 && (size_t)fd < n->nby_fd; fd++)
        if (n->by_fd[fd].socket == s)
            return fd;
    return -1;
}

void co4__network_edge(struct co4__network *n, const struct co4__sim_socket *s, unsigned what)
{
    for (int fd = n->watcher ? s->fd : -1; (fd = next_name(n, s, fd)) >= 0; fd++)
        n->watcher(fd, what);
}

void co4__network_tell(struct co4__sim_socket *s, unsigned what)
{
    struct co4__network *n = co4__network_of(co4__local()->simulate.state->world);
    for (int fd = s->fd; (fd = next_name(n, s, fd)) >= 0; fd++)
        co4__descriptor_event(fd, n->by_fd[fd].generation, what);
    co4__network_edge(n, s, what);
}

void co4__network_fail(struct co4__network *n, struct co4__sim_socket *s, int error)
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
    co4__network_note(n, s, "fails", (uint64_t)error);
    co4__network_tell(s, CO4__NET_ALL);
    co4__network_drop_peer(n, s);
    if (lost)
        co4__network_release(lost);
}

/* ---- the end ---- */

/* Returns whether close() resets the connection, as SO_LINGER asks. */
static bool close_resets(const struct co4__sim_socket *s)
{
    const struct co4__net_option *o = co4__network_option(s, SOL_SOCKET, SO_LINGER);
    struct linger l;
    if (!o || o->bytes != sizeof l)
        return false;
    memcpy(&l, o->value, sizeof l);
    return l.l_onoff && l.l_linger == 0;
}

/* ---- connections that were ---- */

/* A reset, or the end of the minute, makes an entry old; it goes when the next one comes. */
static void keep_port(struct co4__network *n, struct co4__sim_socket *s)
{
    struct co4__net_host *h = &n->common->hosts[s->host];
    int64_t now = co4__network_now(n);
    for (struct co4__sim_socket **at = &h->past, *old; (old = *at) != NULL;) {
        if (old->past_until > now) {
            at = &old->next_past;
            continue;
        }
        *at = old->next_past;
        old->is_past = false;
        co4__network_release(old);
    }
    s->is_past = true;
    s->past_until = (s->ended ? s->heard : now) + CO4__NET_PAST;
    s->next_past = h->past;
    h->past = s;
    s->refs++;
}

void co4__network_forget(struct co4__network *n, unsigned host)
{
    struct co4__net_host *h = &n->common->hosts[host];
    while (h->past) {
        struct co4__sim_socket *s = h->past;
        h->past = s->next_past;
        s->is_past = false;
        co4__network_release(s);
    }
}

/* Sends what tells the peer that this end is closed. */
static void notify_peer(struct co4__network *n, struct co4__sim_socket *s, bool accepted)
{
    if (co4__network_is_local(s)) {
        s->unread = s->nreceived > 0 || !accepted;
        co4__network_send_in_order(n, &s->left, CO4__NET_GONE, s);
    } else if (!accepted || s->nreceived > 0 || close_resets(s) ||
               s->state == CO4__NET_CONNECTING) {
        s->has_left = !co4__network_reset(n, s->peer, s->last_arrival);
    } else {
        co4__network_fin(n, s);
        if (s->closes_first)
            keep_port(n, s);
    }
}

/* Returns whether the socket has others. */
static bool take_name(struct co4__network *n, struct co4__sim_socket *s, int fd)
{
    if (fd < 0)
        return false;
    n->by_fd[fd].socket = NULL;
    n->result.open--;
    if (n->watcher)
        n->watcher(fd, 0);
    s->names--;
    for (size_t i = n->nby_fd; s->names > 0 && i-- > 0;) /* the lowest one is the first */
        s->fd = n->by_fd[i].socket == s ? (int)i : s->fd;
    return s->names > 0;
}

/* The list of those that are not closed: a machine may end while they are open. */
void co4__network_list(struct co4__network *n, struct co4__sim_socket *s)
{
    struct co4__net_host *h = &n->common->hosts[s->host];
    s->next_open = h->open;
    s->open = &h->open;
    if (h->open)
        h->open->open = &s->next_open;
    h->open = s;
}

static void unlist(struct co4__sim_socket *s)
{
    if (!s->open)
        return;
    *s->open = s->next_open;
    if (s->next_open)
        s->next_open->open = s->open;
    s->open = NULL;
}

/* The socket is no more. Its peer learns of it now; or never, but that nobody answers. */
static void end_socket(struct co4__network *n, struct co4__sim_socket *s, bool tells)
{
    bool accepted = s->fd >= 0;
    s->closed = true;
    s->fd = -1;
    unlist(s);
    co4__address_unbind(n, s);
    while (s->waiting) {
        struct co4__sim_socket *other = s->waiting;
        s->waiting = other->next_waiting;
        end_socket(n, other, tells);
    }
    s->last_waiting = NULL;
    s->nwaiting = 0;
    if (!s->peer || s->broken || s->type == SOCK_DGRAM)
        s->has_left = true;
    else if (tells)
        notify_peer(n, s, accepted);
    if (!tells)
        co4__network_drop_held(s);
    co4__network_purge(s);
    co4__network_drop_peer(n, s);
    co4__network_release(s);
}

void co4__network_close(struct co4__network *n, struct co4__sim_socket *s, int fd)
{
    if (!take_name(n, s, fd))
        end_socket(n, s, true);
}

void co4__network_leave(struct co4__network *n, unsigned host, bool tells)
{
    while (n->common->hosts[host].open)
        end_socket(n, n->common->hosts[host].open, tells);
    if (!tells) {
        co4__network_forget(n, host);
        co4__names_forget(n, host, false);
    }
}

/* ---- readiness ---- */

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
    bool has_input = s->received || s->ended || s->read_shut || s->broken || s->error != 0 ||
                     s->waiting;
    if (!s->cannot_read && has_input)
        events |= POLLIN;
    if (can_write(s))
        events |= POLLOUT;
    if (s->error != 0 || (s->is_pipe && s->cannot_read && s->gone))
        events |= POLLERR;
    if (s->broken || ((s->ended || s->read_shut) && (s->write_shut || s->gone)) ||
        (is_stream && s->state == CO4__NET_FRESH))
        events |= POLLHUP;
#ifdef POLLRDHUP
    if ((s->ended || s->read_shut || s->broken) && !s->is_pipe)
        events |= POLLRDHUP;
#endif
    return events;
}
