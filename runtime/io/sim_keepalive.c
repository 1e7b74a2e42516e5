/* sim_keepalive.c - probes of a connection whose peer says nothing: SO_KEEPALIVE, and those of a
 * writer that waits for room.
 *
 * Purpose: a read from a machine that has crashed, or is cut off, ends with ETIMEDOUT, as Linux
 * does it: the first probe goes TCP_KEEPIDLE after what was heard last, others follow each
 * TCP_KEEPINTVL, and TCP_KEEPCNT without an answer are the end; with TCP_USER_TIMEOUT it is the
 * time that decides. A peer that knows nothing of the connection answers with a reset.
 *
 * Invariants: a probe that would be answered is no event. So a connection is looked at when a way
 * is cut, when a machine ends, and when an option is set. A run whose threads all wait for ever is
 * still seen to.
 *
 * Rejected: an event for each probe (a deadlock would go on by the clock until the run's limit). */
#include <errno.h>

#include "io/network.h"

/* The peer has left no room, though all has come. */
static bool is_full(const struct co4__sim_socket *s)
{
    return s->outstanding >= s->capacity && !s->write_shut;
}

static bool is_probed(const struct co4__sim_socket *s)
{
    return s->type == SOCK_STREAM && !co4__network_is_local(s) && s->state == CO4__NET_JOINED &&
           s->peer && !s->closed && !s->broken && !s->ended &&
           (co4__network_keepalive(s).on || is_full(s));
}

/* A full buffer is asked after as unanswered bytes are: more and more seldom, fifteen times. */
static struct co4__keepalive probes_of(const struct co4__sim_socket *s)
{
    struct co4__keepalive k = co4__network_keepalive(s);
    if (k.on)
        return k;
    k.idle = CO4__NET_RETRY_AFTER;
    k.interval = co4__network_retry_after(s->probes + 1);
    k.probes = CO4__NET_RETRIES;
    return k;
}

/* The other end is no more, and what it has sent to say so is not on its way. */
static bool is_forgotten(const struct co4__sim_socket *s)
{
    const struct co4__sim_socket *peer = s->peer;
    return (peer->closed || peer->broken) && !peer->fin.queued && !s->rst.queued;
}

static bool is_answered(const struct co4__network *n, const struct co4__sim_socket *s)
{
    return !co4__network_is_cut(n, s) && !is_forgotten(s);
}

/* The next probe that has no answer. All before were answered. */
static void keepalive_look(struct co4__network *n, struct co4__sim_socket *s)
{
    if (!is_probed(s) || s->probe.queued || is_answered(n, s))
        return;
    int64_t idle = probes_of(s).idle, now = co4__network_now(n);
    if (now > s->heard + idle)
        s->heard += (now - s->heard - 1) / idle * idle;
    s->probes = 0;
    co4__network_schedule(n, &s->probe, CO4__NET_PROBE, s, s->heard + idle);
}

void co4__keepalive_look(struct co4__network *n)
{
    for (unsigned i = 0; i < n->common->nhosts; i++)
        for (struct co4__sim_socket *s = n->common->hosts[i].open; s; s = s->next_open)
            keepalive_look(n, s);
}

void co4__keepalive_is_set(struct co4__network *n, struct co4__sim_socket *s, bool begins)
{
    if (begins)
        s->heard = co4__network_now(n);
    if (s->probe.queued && s->probes == 0) {
        co4__network_cancel(n, &s->probe);
        co4__network_release(s);
    }
    keepalive_look(n, s);
}

void co4__keepalive_probe(struct co4__network *n, struct co4__sim_socket *s)
{
    if (!is_probed(s))
        return;
    const struct co4__keepalive k = probes_of(s);
    int64_t now = co4__network_now(n), silent = now - s->heard, next = now + k.interval;
    bool over = k.user > 0 ? silent >= k.user && s->probes > 0 : s->probes >= k.probes;
    if (s->held) { /* it is sent again and again anyway */
        next = now + k.idle;
    } else if (s->probes == 0 && silent < k.idle) {
        next = s->heard + k.idle;
    } else if (over) {
        co4__network_fail(n, s, ETIMEDOUT);
        return;
    } else if (is_answered(n, s)) {
        s->heard = now;
        return;
    } else if (co4__network_is_cut(n, s)) {
        s->probes++;
    } else {
        co4__network_reset(n, s, 0);
    }
    co4__network_schedule(n, &s->probe, CO4__NET_PROBE, s, next);
}
