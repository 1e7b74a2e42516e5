/* network.c - the simulated network: what is sent arrives by the clock of the test.
 *
 * Purpose: a socket has queues in memory. A write makes a packet, whose arrival is an event in a
 * heap, after a latency that the seed draws. The simulation asks for the events that are due before
 * each step, and skips to the next one when no task is ready. An arrival changes the socket of the
 * receiver, and then reports to its descriptor, as a driver does. This file takes the events in
 * turn, and makes and ends the network. departures.c has the heap and what sockets send, arrivals.c
 * what arrives, sim_socket.c the sockets, addresses.c their addresses. simulated.c has the calls of
 * POSIX.
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
#include "io/network.h"

#include "base/alloc.h"
#include "io/descriptor.h"
#include "platform/clock.h"
#include "platform/thread.h"

#define EAGER 4 /* once in so many steps the next event comes before ready tasks run */

/* ---- the steps of a simulation ---- */

static int64_t turn(struct co4__simulated_world *w, int64_t now, int64_t limit)
{
    struct co4__network *n = co4__network_of(w);
    int64_t at = co4__network_global(n, now);
    if (at > n->horizon)
        n->pass(n, at);
    int64_t first = co4__network_first(n);
    if (first > at && first <= n->horizon && first <= co4__network_global(n, limit) &&
        first - at <= n->common->options.latency_max && co4__network_draws(n, EAGER)) {
        at = first;
        now = co4__network_local(n, at);
    }
    n->now = at;
    while (co4__network_first(n) <= at && co4__network_first(n) != CO4_NEVER)
        co4__network_arrive(n, co4__network_take_first(n));
    return now;
}

static int64_t next(const struct co4__simulated_world *w)
{
    const struct co4__network *n = (const struct co4__network *)(const void *)w;
    return co4__network_local(n, co4__network_first(n));
}

static int64_t until(struct co4__simulated_world *w, int64_t time)
{
    struct co4__network *n = co4__network_of(w);
    int64_t wanted = co4__network_global(n, time);
    if (wanted <= n->horizon && wanted != CO4_NEVER)
        return time;
    int64_t reached = n->pass ? n->pass(n, wanted) : wanted;
    return reached < wanted ? co4__network_local(n, reached) : time;
}

static void world_end(struct co4__simulated_world *w)
{
    struct co4__network *n = co4__network_of(w);
    struct co4__local *here = co4__local();
    struct co4__simulation *outer = here->simulate.state;
    here->simulate.state = n->simulation;
    n->ending = true;
    for (size_t fd = 0; fd < n->nby_fd; fd++) {
        const struct co4__net_name *name = &n->by_fd[fd];
        struct co4__descriptor *d = name->socket ? co4__descriptor_find((int)fd) : NULL;
        if (d && co4__generation_of(atomic_load(&d->use)) == name->generation)
            co4__descriptor_close((int)fd);
        if (n->by_fd[fd].socket)
            co4__network_close(n, n->by_fd[fd].socket, (int)fd);
    }
    while (co4__network_first(n) != CO4_NEVER) {
        struct co4__net_event *e = co4__network_take_first(n);
        struct co4__sim_socket *s = e->of;
        if (!s) /* a timer's memory is another's */
            continue;
        s->refs++;
        co4__network_drop_held(s);
        co4__network_drop(e);
        if (s->peer)
            co4__network_drop_peer(n, s->peer); /* nothing that either end has sent travels */
        co4__network_drop_peer(n, s);
        co4__network_release(s);
    }
    for (unsigned i = 0; i < n->common->nhosts; i++) {
        co4__network_forget(n, i);
        co4__names_forget(n, i, true);
    }
    while (n->common->cuts) {
        struct co4__cut *c = n->common->cuts;
        n->common->cuts = c->next;
        co4__network_free(c);
    }
    co4__free(n->by_fd);
    co4__free(n->common);
    n->simulation->world = NULL;
    co4__free(n);
    here->simulate.state = outer;
}

static const struct co4__simulated_world_ops ops = { turn, next, until, world_end };

/* Options that are zero get their defaults. */
void co4__network_set_options(struct co4__network *n, const co4_test_network_options *options)
{
    n->common->options = *options;
    if (options->latency_max == 0) {
        n->common->options.latency_min = 20 * CO4_US;
        n->common->options.latency_max = CO4_MS;
    }
    if (options->buffer == 0)
        n->common->options.buffer = 65536;
    if (options->short_counts == 0)
        n->common->options.short_counts = 3;
}

/* One machine. */
static bool make_common(struct co4__network *n)
{
    n->common = co4__alloc(sizeof *n->common + sizeof *n->common->hosts);
    if (n->common)
        n->common->nhosts = 1;
    return n->common != NULL;
}

struct co4__network *co4__network_here(void)
{
    static const co4_test_network_options defaults = { .latency_min = 0 };
    struct co4__simulation *s = co4__local()->simulate.state;
    if (s->world)
        return co4__network_of(s->world);
    struct co4__network *n = co4__alloc(sizeof *n);
    if (!n)
        return NULL;
    if (!make_common(n)) {
        co4__free(n);
        return NULL;
    }
    n->world.ops = &ops;
    n->simulation = s;
    n->horizon = CO4_NEVER;
    co4__network_set_options(n, &defaults);
    s->world = &n->world;
    return n;
}

void co4__network_share(struct co4__network *n, struct co4__net_common *common, unsigned host)
{
    co4__free(n->common);
    n->common = common;
    n->host = host;
    co4__network_memory_is(common->arena);
}

bool co4__network_part(struct co4__network *n)
{
    const struct co4__net_common *shared = n->common;
    co4__network_memory_is(NULL);
    for (size_t fd = 0; fd < n->nby_fd; fd++)
        n->by_fd[fd].socket = NULL;
    n->host = 0;
    if (!make_common(n))
        return false;
    n->common->options = shared->options;
    return true;
}

int co4_test_network_result_of(co4_test_network_result *out)
{
    const struct co4__simulation *s = co4__local()->simulate.state;
    if (!out)
        return CO4_EINVAL;
    if (!s || !s->world)
        return CO4_ESTATE;
    *out = co4__network_of(s->world)->result;
    return CO4_OK;
}

/* Returns whether the partition separates these two, in this order. */
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
    struct co4__cut **at = &n->common->cuts;
    while (*at && !is_between(*at, &sides[0], &sides[1]) && !is_between(*at, &sides[1], &sides[0]))
        at = &(*at)->next;
    if (*at && !on) {
        struct co4__cut *c = *at;
        *at = c->next;
        co4__network_free(c);
    } else if (!*at && on) {
        struct co4__cut *c = co4__network_alloc(n, sizeof *c);
        if (!c)
            return CO4_ENOMEM;
        c->a = sides[0];
        c->b = sides[1];
        *at = c;
        co4__keepalive_look(n);
    }
    return CO4_OK;
}
