/* replog.c - a small replicated log: a leader, two followers, clients over sockets.
 *
 *     replog                     over loopback, with real time
 *     replog --seed N [--trace]  in the simulated network of test mode
 *     replog --search N          the seeds 1 … N: prints the first one that breaks an invariant
 *     … --bug                    with a bug that is planted
 *
 * A client sends a value, and sends it again until the leader has answered with its index. The
 * leader appends it, and answers when a majority of the logs has it. It sends each follower the
 * entries that this one lacks, and waits for the length of its log. A follower greets each new
 * connection with that length. From then on it takes nothing from older connections.
 *
 * Invariants: a majority of the logs has each acknowledged value at its index. The log of each
 * follower is the beginning of the leader's.
 *
 * The bug: after a connection is lost, the leader takes what it has sent for what the follower has.
 * That is right as long as no byte is lost with a connection. */
#include <arpa/inet.h>
#include <co4.h>
#include <co4/io.h>
#include <co4/test.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulated.h"

enum { NODES = 3, MAJORITY = 2, CLIENTS = 2, EACH = 10, ENTRIES = 1000 };
#define PATIENCE CO4_SEC

struct node {
    int listener;
    struct sockaddr_in at;
    int log[ENTRIES], length;
    int connections; /* of a follower: the latest one counts */
};

struct cluster {
    bool simulated, bug;
    struct node node[NODES]; /* node 0 is the leader */
    int has[NODES];          /* what the leader knows of the lengths of the logs */
    int sent[NODES];         /* and what it has sent */
    co4_mutex lock;          /* of `changed` */
    co4_cond changed;
    unsigned changes; /* of the leader's log, and of `has` */
    int acknowledged[ENTRIES],
        nacknowledged; /* index and value of each answer: what clients rely on */
    int lost_connections, failed;
};

/* ---- lines ---- */

struct lines {
    int fd;
    size_t begin, end;
    char bytes[256];
};

/* The number in the next line. False: there is none in time. */
static pausable bool read_number(struct lines *in, int *out, int64_t deadline)
{
    for (;;) {
        char *begin = in->bytes + in->begin;
        char *newline = memchr(begin, '\n', in->end - in->begin);
        if (newline) {
            *out = atoi(begin);
            in->begin = (size_t)(newline + 1 - in->bytes);
            return true;
        }
        memmove(in->bytes, begin, in->end - in->begin);
        in->end -= in->begin;
        in->begin = 0;
        if (in->end == sizeof in->bytes)
            return false;
        ssize_t n = co4_read_until(in->fd, in->bytes + in->end, sizeof in->bytes - in->end,
                                   deadline);
        if (n <= 0)
            return false;
        in->end += (size_t)n;
    }
}

static pausable bool write_number(int fd, int number, int64_t deadline)
{
    char line[16];
    int n = snprintf(line, sizeof line, "%d\n", number);
    return co4_write_until(fd, line, (size_t)n, deadline) == n;
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        co4_close(*fd);
}

/* ---- connections ---- */

/* Each node has a host of its own in the simulated network. */
static int open_listener(const struct cluster *c, struct node *node, int number)
{
    socklen_t length = sizeof node->at;
    node->at = (struct sockaddr_in){ .sin_family = AF_INET };
    node->at.sin_addr.s_addr = htonl(c->simulated ? 0x0a000001u + (unsigned)number
                                                  : INADDR_LOOPBACK);
    node->listener = co4_socket(AF_INET, SOCK_STREAM, 0);
    if (node->listener < 0)
        return -1;
    if (co4_bind(node->listener, (struct sockaddr *)&node->at, length) != 0 ||
        co4_listen(node->listener, 8) != 0)
        return -1;
    return co4_getsockname(node->listener, (struct sockaddr *)&node->at, &length);
}

/* From the host of one node to another one. Returns -1 if that does not come about in time. */
static pausable int dial(const struct node *from, const struct node *to)
{
    struct sockaddr_in self = { .sin_family = AF_INET };
    int fd = co4_socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0)
        return -1;
    if (from) {
        self.sin_addr = from->at.sin_addr;
        co4_bind(fd, (struct sockaddr *)&self, sizeof self);
    }
    if (co4_connect_until(fd, (const struct sockaddr *)&to->at, sizeof to->at,
                          co4_now() + PATIENCE) == 0)
        return fd;
    co4_close(fd);
    return -1;
}

/* ---- followers ---- */

static pausable int follow(struct node *node, int accepted)
{
    __attribute__((cleanup(close_fd))) int fd = accepted;
    struct lines in = { .fd = fd };
    int self = ++node->connections, value;
    if (!write_number(fd, node->length, CO4_NEVER))
        return CO4_OK;
    while (read_number(&in, &value, CO4_NEVER) && node->connections == self) {
        if (node->length == ENTRIES)
            return CO4_EFULL;
        node->log[node->length++] = value;
        if (!write_number(fd, node->length, CO4_NEVER))
            break;
    }
    return CO4_OK;
}

static pausable int run_follower(co4_scope *scope, struct node *node)
{
    int fd, err;
    while ((fd = co4_accept(node->listener, NULL, NULL)) >= 0)
        if ((err = co4_scope_spawn(scope, follow(node, fd))) != CO4_OK) {
            co4_close(fd);
            return err == CO4_ECANCELED ? CO4_OK : err;
        }
    return CO4_OK;
}

/* ---- the leader ---- */

static void note_change(struct cluster *c)
{
    c->changes++;
    co4_cond_broadcast(&c->changed);
}

/* Waits for a change after the first `seen` ones. */
static pausable int wait_for_change(struct cluster *c, unsigned seen)
{
    int err = co4_mutex_lock(&c->lock);
    if (err != CO4_OK)
        return err;
    while (err == CO4_OK && c->changes == seen)
        err = co4_cond_wait(&c->changed, &c->lock);
    co4_mutex_unlock(&c->lock);
    return err;
}

/* Sends what the follower lacks, until the connection is lost. Returns a code if all is over. */
static pausable int replicate_over(struct cluster *c, int k, int fd)
{
    const struct node *leader = &c->node[0];
    struct lines in = { .fd = fd };
    int length;
    if (!read_number(&in, &length, co4_now() + PATIENCE))
        return CO4_OK;
    if (!c->bug || length > c->sent[k])
        c->sent[k] = length;
    c->has[k] = c->sent[k];
    note_change(c);
    for (;;) {
        while (c->sent[k] < leader->length)
            if (!write_number(fd, leader->log[c->sent[k]++], co4_now() + PATIENCE))
                return CO4_OK;
        while (c->has[k] < c->sent[k]) {
            if (!read_number(&in, &length, co4_now() + PATIENCE) || length > leader->length)
                return CO4_OK;
            if (length > c->has[k])
                c->has[k] = length;
            note_change(c);
        }
        while (c->sent[k] == leader->length) {
            int err = wait_for_change(c, c->changes);
            if (err != CO4_OK)
                return err;
        }
    }
}

static pausable int replicate(struct cluster *c, int k)
{
    for (;;) {
        int fd = dial(&c->node[0], &c->node[k]);
        int err = CO4_OK;
        if (fd >= 0) {
            err = replicate_over(c, k, fd);
            co4_close(fd);
        }
        c->lost_connections++;
        if (err == CO4_OK)
            err = co4_sleep(10 * CO4_MS);
        if (err != CO4_OK)
            return CO4_OK;
    }
}

static bool is_replicated(const struct cluster *c, int index)
{
    int n = 1;
    for (int k = 1; k < NODES; k++)
        n += c->has[k] > index;
    return n >= MAJORITY;
}

static pausable int serve(struct cluster *c, int accepted)
{
    __attribute__((cleanup(close_fd))) int fd = accepted;
    struct node *leader = &c->node[0];
    struct lines in = { .fd = fd };
    int value;
    while (read_number(&in, &value, CO4_NEVER)) {
        int index = leader->length;
        if (index == ENTRIES)
            return CO4_EFULL;
        leader->log[leader->length++] = value;
        note_change(c);
        while (!is_replicated(c, index)) {
            int err = wait_for_change(c, c->changes);
            if (err != CO4_OK)
                return err == CO4_ECANCELED ? CO4_OK : err;
        }
        if (!write_number(fd, index, CO4_NEVER))
            break;
    }
    return CO4_OK;
}

static pausable int run_leader(co4_scope *scope, struct cluster *c)
{
    int fd, err;
    while ((fd = co4_accept(c->node[0].listener, NULL, NULL)) >= 0)
        if ((err = co4_scope_spawn(scope, serve(c, fd))) != CO4_OK) {
            co4_close(fd);
            return err == CO4_ECANCELED ? CO4_OK : err;
        }
    return CO4_OK;
}

/* ---- clients ---- */

/* Returns whether the leader has answered in time. */
static pausable bool append(struct cluster *c, struct lines *in, int value)
{
    int index;
    if (in->fd < 0) {
        *in = (struct lines){ .fd = dial(NULL, &c->node[0]) };
        if (in->fd < 0)
            return false;
    }
    if (!write_number(in->fd, value, co4_now() + PATIENCE) ||
        !read_number(in, &index, co4_now() + PATIENCE))
        return false;
    if (index < 0 || index >= ENTRIES)
        return false;
    c->acknowledged[index] = value;
    c->nacknowledged++;
    return true;
}

static pausable int client(struct cluster *c, int self)
{
    struct lines in = { .fd = -1 };
    for (int i = 1; i <= EACH; i++)
        while (!append(c, &in, self * 100 + i)) {
            close_fd(&in.fd);
            in.fd = -1;
            int err = co4_sleep(20 * CO4_MS);
            if (err != CO4_OK)
                return err;
        }
    close_fd(&in.fd);
    return CO4_OK;
}

/* ---- the run ---- */

/* In the simulation a follower is cut off from the leader now and then. */
static pausable int cut_now_and_then(void)
{
    static const char *const hosts[] = { "10.0.0.2", "10.0.0.3" };
    for (int i = 0;; i++) {
        int err = co4_sleep(150 * CO4_MS);
        co4_test_network_partition("10.0.0.1", hosts[i % 2], 1);
        if (err == CO4_OK)
            err = co4_sleep(250 * CO4_MS);
        co4_test_network_partition("10.0.0.1", hosts[i % 2], 0);
        if (err != CO4_OK)
            return CO4_OK;
    }
}

static pausable int all_clients(struct cluster *c)
{
    for (int i = 0; i < CLIENTS; i++) {
        int err = co4_scope_spawn(co4_scope_here(), client(c, i + 1));
        if (err != CO4_OK)
            return err;
    }
    return CO4_OK;
}

static pausable int start(co4_scope *scope, struct cluster *c)
{
    int err = co4_scope_spawn(scope, run_leader(scope, c));
    for (int k = 1; err == CO4_OK && k < NODES; k++) {
        err = co4_scope_spawn(scope, run_follower(scope, &c->node[k]));
        if (err == CO4_OK)
            err = co4_scope_spawn(scope, replicate(c, k));
    }
    if (err == CO4_OK && c->simulated)
        err = co4_scope_spawn(scope, cut_now_and_then());
    return err;
}

static pausable int run_nodes(struct cluster *c)
{
    co4_scope *scope = co4_scope_here();
    int err = start(scope, c);
    if (err == CO4_OK)
        err = co4_scope_run(0, all_clients(c));
    c->failed = err;
    return co4_scope_cancel(scope, 0);
}

static pausable int run_cluster(struct cluster *c)
{
    for (int k = 0; k < NODES; k++)
        c->node[k].listener = -1;
    for (int k = 0; k < NODES && c->failed == 0; k++)
        if (open_listener(c, &c->node[k], k) != 0)
            c->failed = CO4_EAGAIN;
    int err = c->failed == 0 ? co4_scope_run(0, run_nodes(c)) : c->failed;
    for (int k = 0; k < NODES; k++)
        close_fd(&c->node[k].listener);
    return err;
}

/* ---- the check ---- */

/* Returns what is wrong, or NULL. */
static const char *wrong_in(const struct cluster *c)
{
    const struct node *leader = &c->node[0];
    if (c->failed != 0)
        return co4_strerror(c->failed);
    if (c->nacknowledged != CLIENTS * EACH)
        return "a client has not got all its answers";
    for (int k = 1; k < NODES; k++)
        for (int i = 0; i < c->node[k].length; i++)
            if (i >= leader->length || c->node[k].log[i] != leader->log[i])
                return "the log of a follower is not the beginning of the leader's";
    for (int i = 0; i < ENTRIES; i++) {
        int n = 0;
        for (int k = 0; k < NODES; k++)
            n += i < c->node[k].length && c->node[k].log[i] == c->acknowledged[i];
        if (c->acknowledged[i] != 0 && n < MAJORITY)
            return "an acknowledged entry is lost";
    }
    return NULL;
}

static int write_out(void *to, const char *text, size_t n)
{
    return fwrite(text, 1, n, to) == n ? CO4_OK : CO4_EINVAL;
}

static const char *run_simulated(struct cluster *c, unsigned long long seed, bool trace)
{
    co4_test_options options = { .seed = seed, .late = 10, .late_steps = 20 };
    if (trace) {
        options.trace = write_out;
        options.trace_data = stderr;
    }
    c->simulated = true;
    int err = co4_test_begin(&options);
    if (err == CO4_OK)
        err = co4_test_network(&(co4_test_network_options){
            .latency_min = CO4_MS, .latency_max = 30 * CO4_MS, .reset = 150, .loss = 50 });
    if (err != CO4_OK)
        return co4_strerror(err);
    err = co4_run(run_cluster(c));
    if (co4_run_error() != CO4_OK)
        err = co4_run_error();
    co4_test_end(NULL);
    return err == CO4_OK ? wrong_in(c) : co4_strerror(err);
}

static int report(const struct cluster *c, const char *wrong)
{
    if (wrong) {
        fprintf(stderr, "replog: %s\n", wrong);
        return 1;
    }
    printf("%d entries acknowledged, in the same order everywhere\n", c->nacknowledged);
    printf("logs:");
    for (int k = 0; k < NODES; k++)
        printf(" %d", c->node[k].length);
    printf("; %d times connected again\n", c->lost_connections);
    return 0;
}

static const char *run_one(unsigned long long seed, bool bug)
{
    struct cluster c = { .bug = bug, .lock = CO4_MUTEX_INIT, .changed = CO4_COND_INIT };
    return run_simulated(&c, seed, false);
}

int main(int argc, char **argv)
{
    struct simulated s = { 0 };
    if (!simulated_options(&s, argc, argv)) {
        fprintf(stderr, "usage: replog [--seed N [--trace] | --search N] [--bug]\n");
        return 2;
    }
    if (s.seeds > 0)
        return simulated_search(&s, run_one);
    struct cluster c = { .bug = s.bug, .lock = CO4_MUTEX_INIT, .changed = CO4_COND_INIT };
    if (s.seed > 0)
        return report(&c, run_simulated(&c, s.seed, s.trace));
    int err = co4_run(run_cluster(&c));
    if (co4_run_error() != CO4_OK)
        err = co4_run_error();
    return report(&c, err == CO4_OK ? wrong_in(&c) : co4_strerror(err));
}
