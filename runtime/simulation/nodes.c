/* nodes.c - several machines in one simulation, each a process: whose turn it is.
 *
 * Purpose: programs that talk to each other run as they are, each with its own statics,
 * descriptors, disk and clock, but in one order. One process at a time has the turn; the others
 * sleep. It keeps the turn while nothing could happen elsewhere that it would have to know: up to
 * the earliest time at which another one goes on, and the shortest latency. Then it passes the turn
 * to the node that is furthest behind. So a message never arrives in the past of its receiver, and
 * one sequence of turns follows from the seed.
 *
 * The network is in memory that all share, at the same address (io/network.h). What arrives at a
 * machine is handled by its process, as descriptors are; while there is none, by the one that has
 * the turn. The script's lines (script.c) are carried out there as well. hub.c begins processes,
 * and notices their ends.
 *
 * Concurrency: all fields of struct co4__nodes belong to the process that has the turn. It gives
 * the turn by a store with release to the `turn` of another, which waits for it with acquire.
 *
 * Rejected: a process in between that all ask (two switches instead of one); copies of statics in
 * one process (those of the C library cannot be changed). */
#define _GNU_SOURCE
#include "simulation/nodes.h"

#include <errno.h>
#include <linux/futex.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/simulation.h"
#include "platform/fork.h"
#include "platform/thread.h"
#include "posix/decides.h"
#include "simulation/run.h"

long __real_syscall(long number, ...);
_Noreturn void __real__exit(int status);
ssize_t __real_write(int fd, const void *from, size_t bytes);

struct co4__nodes *co4__nodes;
struct co4__node *co4__node;

static void (*end_process)(enum co4__script_what how);

/* ---- the turn ---- */

static void give_turn_to(uint32_t k)
{
    uint64_t one = 1;
    co4__nodes->holder = k;
    if (k == CO4__NODES_NONE) {
        if (__real_write(co4__nodes->asks, &one, sizeof one) != (ssize_t)sizeof one)
            __real__exit(CO4__REFUSED);
        return;
    }
    __atomic_store_n(&co4__nodes->nodes[k].turn, 1, __ATOMIC_RELEASE);
    __real_syscall(SYS_futex, &co4__nodes->nodes[k].turn, FUTEX_WAKE, 1, (void *)NULL, (void *)NULL,
                   0);
}

static void await_turn(void)
{
    struct co4__node *self = co4__node;
    while (__atomic_load_n(&self->turn, __ATOMIC_ACQUIRE) == 0)
        __real_syscall(SYS_futex, &self->turn, FUTEX_WAIT, 0, (void *)NULL, (void *)NULL, 0);
    self->turn = 0;
    if (self->command != 0)
        end_process((enum co4__script_what)self->command);
}

/* ---- what comes next ---- */

static int64_t next_of(uint32_t k)
{
    const struct co4__node *node = &co4__nodes->nodes[k];
    const struct co4__net_event *first = co4__nodes->common->hosts[k].heap;
    int64_t next = node->state == CO4__NODE_UP ? node->next : CO4_NEVER;
    return first && first->at < next ? first->at : next;
}

/* The node that is furthest behind, but for one. CO4__NODES_NONE: nothing happens at any. */
static uint32_t earliest(uint32_t except, int64_t *at)
{
    uint32_t found = CO4__NODES_NONE;
    *at = CO4_NEVER;
    for (uint32_t k = 0; k < co4__nodes->count; k++) {
        int64_t next = k == except ? CO4_NEVER : next_of(k);
        if (next < *at) {
            *at = next;
            found = k;
        }
    }
    return found;
}

/* A node of which a life is due first. */
static uint32_t next_life(int64_t *at)
{
    uint32_t found = CO4__NODES_NONE;
    *at = CO4_NEVER;
    for (uint32_t k = 0; k < co4__nodes->count; k++) {
        const struct co4__node *node = &co4__nodes->nodes[k];
        if (node->state == CO4__NODE_DOWN && node->begins_at < *at) {
            *at = node->begins_at;
            found = k;
        }
    }
    return found;
}

static int64_t next_line(void)
{
    const struct co4__nodes *all = co4__nodes;
    int64_t begins_at, at = all->line < all->nlines ? all->lines[all->line].at : CO4_NEVER;
    next_life(&begins_at);
    return begins_at < at ? begins_at : at;
}

/* One that waits though nothing will happen: it says so. */
static uint32_t first_waiting(void)
{
    uint32_t found = CO4__NODES_NONE;
    for (uint32_t k = co4__nodes->count; k-- > 0;) {
        const struct co4__node *node = &co4__nodes->nodes[k];
        bool is_better = found == CO4__NODES_NONE || co4__nodes->nodes[found].is_server;
        if (node->state == CO4__NODE_UP && (is_better || !node->is_server))
            found = k;
    }
    return found;
}

/* ---- the script ---- */

/* The network at a line's time: there may be no node that has one. */
static struct co4__network network_now(uint32_t k)
{
    return (struct co4__network){ .common = co4__nodes->common, .host = k, .now = co4__nodes->now };
}

static void part(uint32_t a, uint32_t b, bool on)
{
    struct co4__net_host *hosts = co4__nodes->common->hosts;
    for (uint32_t i = 0; i < co4__nodes->count; i++)
        for (uint32_t k = 0; k < co4__nodes->count; k++) {
            bool is_way = i != k && (a == CO4__NODES_NONE || i == a) &&
                          (b == CO4__NODES_NONE || k == b);
            if (!is_way)
                continue;
            hosts[i].cut = on ? hosts[i].cut | UINT64_C(1) << k
                              : hosts[i].cut & ~(UINT64_C(1) << k);
            hosts[k].cut = on ? hosts[k].cut | UINT64_C(1) << i
                              : hosts[k].cut & ~(UINT64_C(1) << i);
        }
    struct co4__network n = network_now(0);
    co4__keepalive_look(&n);
}

static void drift(uint32_t k, int64_t parts)
{
    struct co4__net_host *h = &co4__nodes->common->hosts[k];
    const struct co4__network of = network_now(k);
    int64_t local = co4__network_local(&of, co4__nodes->now);
    h->since = co4__nodes->now;
    h->local = local;
    h->drift = parts;
}

/* Carries out a line. Returns the node that has to end, which gets the turn for it. */
static uint32_t carry_out(const struct co4__script_line *line)
{
    struct co4__nodes *all = co4__nodes;
    switch (line->what) {
    case CO4__SCRIPT_PART:
    case CO4__SCRIPT_HEAL:
        part(line->a, line->b, line->what == CO4__SCRIPT_PART);
        break;
    case CO4__SCRIPT_CRASH:
    case CO4__SCRIPT_KILL:
        if (all->nodes[line->a].state != CO4__NODE_UP)
            break;
        all->nodes[line->a].command = line->what;
        all->nodes[line->a].begins_at = line->at + line->number;
        return line->a;
    case CO4__SCRIPT_CLOCK:
        all->nodes[line->a].ahead += line->number;
        break;
    case CO4__SCRIPT_DRIFT:
        drift(line->a, line->number);
        break;
    case CO4__SCRIPT_NETWORK:
        co4__network_set_options(&(struct co4__network){ .common = all->common }, &line->options);
        break;
    case CO4__SCRIPT_END:
        all->ends = true;
        break;
    }
    return CO4__NODES_NONE;
}

/* Does what the script says next. Returns who has the turn then: a node; the hub, with *hub; or
 * CO4__NODES_NONE, and the caller keeps it. */
static uint32_t carry_out_next(bool *hub)
{
    struct co4__nodes *all = co4__nodes;
    int64_t at;
    uint32_t k = next_life(&at);
    all->now = next_line();
    *hub = true;
    if (k != CO4__NODES_NONE && at == all->now) {
        all->begins = k;
        all->nodes[k].begins_at = CO4_NEVER;
        return CO4__NODES_NONE;
    }
    k = carry_out(&all->lines[all->line++]);
    *hub = all->ends;
    return k;
}

/* By its own clock, when the wall clock of this node jumps, or when both are faster or slower from
 * then on: it looks at the clock again. */
static int64_t clock_is_set(void)
{
    static uint32_t next; /* no line before this one is of that kind */
    const struct co4__nodes *all = co4__nodes;
    uint32_t self = (uint32_t)(co4__node - all->nodes);
    next = next > all->line ? next : all->line;
    for (; next < all->nlines; next++) {
        const struct co4__script_line *line = &all->lines[next];
        if (line->a == self && (line->what == CO4__SCRIPT_CLOCK || line->what == CO4__SCRIPT_DRIFT))
            return co4__network_local(co4__network_here(), line->at);
    }
    return CO4_NEVER;
}

/* ---- passing it ---- */

/* Sockets of processes that are no more. */
static void leave(struct co4__network *n)
{
    for (uint32_t k = 0; k < co4__nodes->count; k++) {
        struct co4__node *node = &co4__nodes->nodes[k];
        if (!node->has_left)
            continue;
        int64_t now = n->now; /* it may be before that of the end */
        n->now = node->left_at > now ? node->left_at : now;
        co4__network_leave(n, k, !node->crashed);
        co4__keepalive_look(n);
        n->now = now;
        node->has_left = false;
    }
}

/* No node is due yet: does what is due before. Returns whether this node is next. */
static bool advance(struct co4__network *n, uint32_t self)
{
    bool hub = false;
    leave(n);
    int64_t at, line = next_line();
    uint32_t k = earliest(CO4__NODES_NONE, &at);
    if (line <= at && line != CO4_NEVER) {
        k = carry_out_next(&hub);
        if (k == CO4__NODES_NONE && !hub)
            return false;
    } else if (k == CO4__NODES_NONE) {
        k = first_waiting();
    } else if (co4__nodes->nodes[k].state != CO4__NODE_UP) {
        co4__network_arrive_at(n, k);
        return false;
    }
    if (!hub && k == self && co4__node->command == 0) {
        co4__nodes->now = at == CO4_NEVER ? co4__nodes->now : at;
        return true;
    }
    give_turn_to(hub ? CO4__NODES_NONE : k);
    await_turn();
    return false;
}

static int64_t pass(struct co4__network *n, int64_t until)
{
    uint32_t self = n->host;
    int64_t at, line, latency = n->common->options.latency_min;
    co4__node->next = until;
    co4__node_note();
    while (!advance(n, self))
        ;
    earliest(self, &at);
    line = next_line();
    n->horizon = at < CO4_NEVER - latency ? at + latency : CO4_NEVER;
    if (line <= n->horizon && line != CO4_NEVER)
        n->horizon = line;
    at = next_of(self);
    n->now = at == CO4_NEVER ? n->now : at;
    return at;
}

void co4__node_note(void)
{
    co4_test_result result;
    if (!co4__node || co4_test_result_of(NULL, &result) != CO4_OK)
        return;
    co4__node->digest = result.digest;
    co4__node->steps = result.steps;
    co4__node->choices = result.choices;
    co4__node->now = co4_now();
    co4__node->time = co4__network_now(co4__network_here());
}

/* ---- beginning, and going on without a process ---- */

static _Noreturn int64_t refuse_child(struct co4__network *n, int64_t until)
{
    (void)n, (void)until;
    fputs("co4: a child of a node waits, or uses its network: this cannot be simulated\n", stderr);
    __real__exit(CO4__REFUSED);
}

static void end_in_child(enum co4__fork how)
{
    if (how != CO4__FORK_CHILD || !co4__node || !co4__program_is_simulated())
        return;
    struct co4__network *n = co4__network_here();
    co4__node = NULL;
    if (!co4__network_part(n))
        co4__simulation_refuses("a child of a node", "out of memory");
    n->pass = refuse_child;
    n->horizon = -1;
}

void co4__node_begin(void (*ends)(enum co4__script_what how))
{
    static struct co4__fork_member member = { .handler = end_in_child };
    struct co4__network *n = co4__network_here();
    if (!n) {
        co4__simulation_refuses("a node", "out of memory");
        return;
    }
    end_process = ends;
    co4__network_share(n, co4__nodes->common, (unsigned)(co4__node - co4__nodes->nodes));
    n->pass = pass;
    co4__simulated_wall_is(&co4__node->ahead, clock_is_set);
    co4__fork_join(&member);
    await_turn();
    pass(n, co4__network_now(n)); /* before its first step */
}

uint32_t co4__nodes_go_on(void)
{
    struct co4__nodes *all = co4__nodes;
    bool hub = false;
    uint32_t k = first_waiting();
    if (k != CO4__NODES_NONE) {
        give_turn_to(k);
        return CO4__NODES_NONE;
    }
    while (!hub && next_line() != CO4_NEVER)
        carry_out_next(&hub); /* no node is there that it could end */
    k = all->begins;
    all->begins = CO4__NODES_NONE;
    return k;
}
