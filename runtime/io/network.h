/* network.h - the simulated network of test mode: its sockets, and what travels between them.
 * network.c explains it. */
#ifndef CO4_NETWORK_H
#define CO4_NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "base/simulation.h"
#include "co4/time.h"
#include "io/public.h"

struct co4__packet;
struct co4__sim_socket;

struct co4__net_address {
    socklen_t bytes; /* 0: none */
    struct sockaddr_storage storage;
    uint64_t file; /* of the Unix socket that a call has found by the name; 0: not looked up */
};

enum co4__net_what {
    CO4__NET_SYN,       /* a connection is wanted */
    CO4__NET_REFUSED,   /* … and was refused */
    CO4__NET_CONNECTED, /* … and was made */
    CO4__NET_DATA,
    CO4__NET_DATAGRAM,
    CO4__NET_FIN,  /* no more bytes will come */
    CO4__NET_GONE, /* the other end is closed, on the same machine */
    CO4__NET_ACK,  /* the reader has taken bytes: there is room */
    CO4__NET_RST,
    CO4__NET_NOBODY, /* the address has no socket for datagrams */
    CO4__NET_LOST,   /* the peer has not answered for too long */
    CO4__NET_RETRY,  /* what was not acknowledged is sent again */
    CO4__NET_PROBE,  /* of SO_KEEPALIVE, at the sender: it has no answer */
    CO4__NET_TIMER   /* of a program: struct co4__net_timer */
};

/* A node of the heap, in the memory of what it is about. */
struct co4__net_event {
    struct co4__net_event *left, *right; /* in the heap; `right`: also the next one that is held */
    int64_t at;
    uint64_t order;             /* of events of the same time */
    struct co4__sim_socket *of; /* the sender, or the target; a reference while it is queued */
    uint8_t what;               /* enum co4__net_what */
    bool queued;
};

/* What happens at a time. In memory of the caller. */
struct co4__net_timer {
    struct co4__net_event event; /* its `of` is NULL */
    void (*fire)(struct co4__net_timer *t);
};

struct co4__net_option {
    int level, name;
    socklen_t bytes;
    unsigned char value[16];
};

/* What the options say of a peer that does not answer; ns. */
struct co4__keepalive {
    bool on; /* SO_KEEPALIVE */
    int64_t idle, interval;
    unsigned probes;
    int64_t user; /* TCP_USER_TIMEOUT; 0: none */
};

#define CO4__NET_OPTIONS   12
#define CO4__NET_ADDRESSES 2
#define CO4__NET_SMALLEST  6 /* 64 bytes */
#define CO4__NET_CLASSES   40

/* A socket, or an end of a pipe. References: its descriptor, queued events, its peer, a listener in
 * whose backlog it is. */
struct co4__sim_socket {
    unsigned refs;
    int fd;          /* one of its descriptors; -1: none, or none yet */
    unsigned names;  /* its descriptors: dup() makes more than one */
    uint32_t number; /* in the order in which sockets were made */
    unsigned host;   /* the machine, struct co4__net_host; constant once it is connected */
    int domain, type, protocol;
    enum { CO4__NET_FRESH, CO4__NET_LISTENING, CO4__NET_CONNECTING, CO4__NET_JOINED } state;
    bool is_pipe, cannot_read, cannot_write; /* constant */
    bool is_pair;                            /* of socketpair() or pipe(); constant */
    bool closed;                             /* the descriptor */
    bool read_shut, write_shut;              /* by shutdown() */
    bool ended;                              /* every byte of the peer has come */
    bool gone;                               /* the peer is closed, on the same machine */
    bool broken;                             /* reset, or given up */
    bool has_left;                           /* the peer knows that it is closed */
    bool unread;                             /* it was closed with bytes that were not read */
    bool has_hole; /* some of what was held is lost for good: nothing behind it arrives */
    int error;     /* SO_ERROR */
    struct co4__net_address local, remote;
    struct co4__sim_socket *next_bound;
    struct co4__sim_socket *next_open, **open; /* in the list of its machine; NULL: in none */
    bool bound, has_port, has_host;            /* the last ones: bind() has named them */
    uint64_t file;                             /* that it is bound to: its number, or 0 */
    struct co4__sim_socket *peer;
    /* TIME_WAIT: it has closed the connection first, and is in the list of its machine. */
    bool closes_first, is_past;
    struct co4__sim_socket *next_past;
    int64_t past_until;

    /* What has arrived, oldest first. */
    struct co4__packet *received, *last_received;
    size_t nreceived; /* bytes */

    /* What was sent: the bytes that the peer has not taken, the arrival of the last one, and what a
     * partition holds back, oldest first. */
    size_t capacity, outstanding, acknowledged;
    int64_t last_arrival;
    struct co4__net_event *held, *last_held;
    unsigned retries, ack_retries;
    int64_t unanswered; /* since then: what is held, or an acknowledgement */
    int64_t heard;      /* when something of the peer came */
    unsigned probes;    /* those without an answer */

    /* A listener: its backlog. */
    struct co4__sim_socket *waiting, *last_waiting, *next_waiting;
    unsigned nwaiting, backlog;
    struct co4__sim_socket *embryo; /* of a socket that connects: the other end */
    unsigned tries;

    struct co4__net_event syn, made, fin, left, ack, rst, retry, probe;
    struct co4__net_option options[CO4__NET_OPTIONS];
    unsigned noptions;
};

struct co4__packet {
    struct co4__net_event event; /* its `of` is the sender until the packet is freed */
    struct co4__packet *next;
    struct co4__net_address *from, *to; /* of a datagram; or NULL */
    unsigned to_host;                   /* 1 + the machine to which a broadcast goes; or 0 */
    size_t bytes, taken;
    char *data;
};

struct co4__cut {
    struct co4__cut *next;
    struct co4__net_address a, b; /* without bytes: any */
};

#define CO4__NET_FILE 256

/* Where a file is: its folder, and the name in it. */
struct co4__net_place {
    uint64_t device, folder; /* 0: there is no such folder, and `name` is the whole path */
    char name[CO4__NET_FILE];
};

/* The file of a Unix socket. It stays when the socket is closed. */
struct co4__net_path {
    struct co4__net_path *next;
    uint64_t number; /* of the socket that has made it */
    int64_t made;    /* by the clock of its machine */
    uint32_t mode;   /* without the type */
    uint32_t user, group;
    struct co4__net_place at;
};

/* A descriptor. */
struct co4__net_name {
    struct co4__sim_socket *socket; /* NULL: none of the network */
    uint32_t generation;            /* of the descriptor */
};

/* A machine. What happens at it, and its sockets. */
struct co4__net_host {
    struct co4__net_address addresses[CO4__NET_ADDRESSES];
    unsigned naddresses;
    bool down;                     /* nothing reaches it */
    uint64_t cut;                  /* a bit for each machine to which the way is cut */
    struct co4__net_event *heap;   /* arrivals */
    struct co4__sim_socket *bound; /* newest first */
    struct co4__sim_socket *open;  /* those that are not closed, newest first */
    struct co4__sim_socket *past;  /* connections that keep their port for a while; references */
    struct co4__net_path *paths;   /* newest first */
    /* Its clock: `local` is its time at `since`, and it is faster by so many parts of a million. */
    int64_t since, local, drift;
};

/* Memory that processes share. */
struct co4__net_piece {
    struct co4__net_piece *next; /* of those that are free */
    size_t class;
};
struct co4__net_arena {
    char *next, *end; /* what was never in use */
    struct co4__net_piece *free[CO4__NET_CLASSES];
};

/* What the machines of a simulation share. If they are processes (simulation/nodes.c) it is in
 * memory that these share, with all sockets and packets. One process at a time uses it. */
struct co4__net_common {
    co4_test_network_options options;
    struct co4__cut *cuts;
    uint64_t order, files;
    unsigned nhosts;              /* 1: this machine has all addresses */
    struct co4__net_arena *arena; /* NULL: the memory of the process */
    struct co4__net_host hosts[];
};

/* The network as a machine sees it. */
struct co4__network {
    struct co4__simulated_world world;
    struct co4__simulation *simulation;
    struct co4__net_common *common;
    unsigned host; /* this one */
    co4_test_network_result result;
    struct co4__net_event *timers; /* a heap */
    int64_t now;                   /* of the last turn */
    uint32_t numbers;
    unsigned port; /* the last ephemeral one */
    bool ending;
    struct co4__net_name *by_fd;
    size_t nby_fd;
    /* The descriptors are those of a program without marks, which sets how they wait: each has the
     * mode of its placeholder (posix/mode.h). */
    bool for_program;
    /* Is called for each event of a descriptor, and at its end, without events; or NULL. */
    void (*watcher)(int fd, unsigned what);
    /* With several machines: up to when this one may go on by itself. Then it waits in `pass` until
     * no other is behind the time `until`, or something arrives; that returns the time. */
    int64_t horizon;
    int64_t (*pass)(struct co4__network *n, int64_t until);
};

#define CO4__PIPE_ATOMIC     4096           /* what a pipe takes as a whole */
#define CO4__NET_RETRY_AFTER (200 * CO4_MS) /* when a lost segment is sent again */
#define CO4__NET_RETRIES     15
#define CO4__NET_PAST        (60 * CO4_SEC) /* how long a port is in use by a connection that was */
#define CO4__NET_ALL         (CO4__MAY_READ | CO4__MAY_WRITE | CO4__HAS_ENDED)

static inline struct co4__network *co4__network_of(struct co4__simulated_world *w)
{
    return (struct co4__network *)(void *)w;
}

/* The network of this thread's simulation, made if there is none yet. NULL: no memory. */
struct co4__network *co4__network_here(void);
/* simulation/nodes.c: this network is what all processes share, and its machine this one. */
void co4__network_share(struct co4__network *n, struct co4__net_common *common, unsigned host);
/* A child of such a process has none of its sockets, and a network of its own. False: no memory. */
bool co4__network_part(struct co4__network *n);
void co4__network_set_options(struct co4__network *n, const co4_test_network_options *options);

/* Returns a number from 0 to n - 1; 0 without a seed. */
static inline unsigned co4__network_below(struct co4__network *n, unsigned below)
{
    unsigned number;
    return below > 1 && n->simulation->ops->random(n->simulation, &number) ? number % below : 0;
}

/* Returns true once in so many times; never if `times` is 0, or without a seed. */
static inline bool co4__network_draws(struct co4__network *n, unsigned times)
{
    unsigned number;
    return times > 0 && n->simulation->ops->random(n->simulation, &number) && number % times == 0;
}

/* The same of a fault, which the simulation may report, or decide otherwise. */
static inline bool co4__network_happens(struct co4__network *n, unsigned times, const char *fault)
{
    bool drawn = co4__network_draws(n, times);
    return n->simulation->fault && times > 0 ? n->simulation->fault(fault, drawn) : drawn;
}

/* Returns whether a read or write takes a part only. */
static inline bool co4__network_is_short(struct co4__network *n, const char *fault)
{
    unsigned times = n->common->options.short_counts;
    return times != CO4_TEST_NO_SHORT_COUNTS && co4__network_happens(n, times, fault);
}

/* How long after this many tries the next one is. */
static inline int64_t co4__network_retry_after(unsigned times)
{
    const int64_t most = 120 * CO4_SEC;
    int64_t after = times < 16 ? CO4__NET_RETRY_AFTER << times : most;
    return after < most ? after : most;
}

/* SO_ERROR: it is reported once. */
static inline int co4__network_take_error(struct co4__sim_socket *s)
{
    int error = s->error;
    s->error = 0;
    return error;
}

static inline struct co4__net_host *co4__network_host(const struct co4__network *n)
{
    return &n->common->hosts[n->host];
}

/* simulated.c: a call asks for what there is not. NULL, or says so. */
extern void (*co4__network_lacks)(const char *what);

/* ---- sim_memory.c ---- */

/* Zeroed memory of sockets and packets, which all machines see. NULL: there is none. */
void *co4__network_alloc(struct co4__network *n, size_t bytes);
void co4__network_free(void *memory);
/* From now on it is this, which processes share. */
void co4__network_memory_is(struct co4__net_arena *shared);

/* ---- sim_options.c ---- */

/* The value of an option, or what it is if it was never set. */
int co4__network_number(const struct co4__sim_socket *s, int level, int name);
struct co4__keepalive co4__network_keepalive(const struct co4__sim_socket *s);
/* A connection has the options of its listener. */
void co4__network_inherit(struct co4__sim_socket *s, const struct co4__sim_socket *listener);
/* These return an error number. */
int co4__network_get_option(struct co4__sim_socket *s, int level, int name, void *value,
                            socklen_t *length);
int co4__network_set_option(struct co4__sim_socket *s, int level, int name, const void *value,
                            socklen_t length);

/* ---- sim_names.c ---- */

/* The program's calls about files know those of sockets. */
extern bool co4__names_are_files;
/* Returns whether it is the name of a file. */
bool co4__address_is_path(const struct co4__net_address *a);
/* Makes the file of a socket that is bound `now`. Returns an error number. */
int co4__name_make(struct co4__network *n, struct co4__sim_socket *s,
                   const struct co4__net_address *a, int64_t now);
/* The number of the socket that has made the file; 0: there is none. */
uint64_t co4__name_number(const struct co4__network *n, unsigned host,
                          const struct co4__net_address *a);
/* Nothing takes what is sent to this name: returns why. */
int co4__name_missing(const struct co4__network *n, const struct co4__sim_socket *s,
                      const struct co4__net_address *a);
/* Finds the place of a name, which may be below an open folder. Returns 0, or why the folder is
 * none; then the place is the name alone. */
int co4__name_place(struct co4__net_place *out, int folder, const char *path);
/* The file of this machine that is there; NULL: there is none. */
struct co4__net_path *co4__name_find(const struct co4__network *n, const struct co4__net_place *at);
void co4__name_remove(struct co4__network *n, const struct co4__net_path *p);
/* A crash leaves some of the names, or `all` are forgotten. */
void co4__names_forget(struct co4__network *n, unsigned host, bool all);

/* ---- sim_keepalive.c ---- */

/* A way is cut, or sockets have ended without a word: which connections will notice? */
void co4__keepalive_look(struct co4__network *n);
/* An option of this one is set; SO_KEEPALIVE: it `begins` now. */
void co4__keepalive_is_set(struct co4__network *n, struct co4__sim_socket *s, bool begins);
/* Its time has come. */
void co4__keepalive_probe(struct co4__network *n, struct co4__sim_socket *s);

/* ---- sim_socket.c ---- */

static inline bool co4__network_is_local(const struct co4__sim_socket *s)
{
    return s->domain == AF_UNIX;
}
/* Returns whether a write fails with EPIPE. On one machine the end of the peer is known at once. */
static inline bool co4__network_is_shut(const struct co4__sim_socket *s)
{
    return s->write_shut || s->broken || s->gone ||
           (co4__network_is_local(s) && s->state == CO4__NET_JOINED && s->peer && s->peer->closed);
}
/* Whether a stream has a peer. Of IP both ends know when both are closed. */
static inline bool co4__network_is_joined(const struct co4__sim_socket *s)
{
    bool is_over = s->ended && s->write_shut && !s->fin.queued && !co4__network_is_local(s);
    return s->state == CO4__NET_JOINED && !s->broken && !is_over;
}
static inline bool co4__network_has_records(const struct co4__sim_socket *s)
{
    return s->type != SOCK_STREAM;
}

/* Returns NULL if the option was never set. */
static inline struct co4__net_option *co4__network_option(const struct co4__sim_socket *s,
                                                          int level, int name)
{
    for (unsigned i = 0; i < s->noptions; i++)
        if (s->options[i].level == level && s->options[i].name == name)
            return (struct co4__net_option *)(uintptr_t)&s->options[i];
    return NULL;
}

struct co4__sim_socket *co4__network_create(struct co4__network *n, int domain, int type,
                                            int protocol);
void co4__network_release(struct co4__sim_socket *s);
void co4__network_join(struct co4__sim_socket *a, struct co4__sim_socket *b);
/* The events of poll() that are there. */
short co4__network_events(const struct co4__sim_socket *s);
/* Reports events to its descriptors. */
void co4__network_tell(struct co4__sim_socket *s, unsigned what);
/* The same for a watcher alone. */
void co4__network_edge(struct co4__network *n, const struct co4__sim_socket *s, unsigned what);
/* Gives the socket one more descriptor, which is open in the system. Returns 0 or an error
 * number. */
int co4__network_name(struct co4__network *n, struct co4__sim_socket *s, int fd);
/* NULL: this is no descriptor of the network. */
struct co4__sim_socket *co4__network_socket(int fd);
/* Writes a line of the trace. */
void co4__network_note(struct co4__network *n, const struct co4__sim_socket *s, const char *what,
                       uint64_t number);
/* Returns 0, EINPROGRESS, or another error number. */
int co4__network_connect(struct co4__network *n, struct co4__sim_socket *s);
/* A connect fails, or a connection breaks. */
void co4__network_fail(struct co4__network *n, struct co4__sim_socket *s, int error);
/* The socket has its first descriptor. */
void co4__network_list(struct co4__network *n, struct co4__sim_socket *s);
/* Closes a descriptor, the last one with the socket: drops its reference. -1: it has none. */
void co4__network_close(struct co4__network *n, struct co4__sim_socket *s, int fd);
/* Connections that keep their ports are forgotten. */
void co4__network_forget(struct co4__network *n, unsigned host);
/* The process of a machine has ended, and with it its sockets. Or the machine: then peers are not
 * notified. */
void co4__network_leave(struct co4__network *n, unsigned host, bool tells);
/* Releases the peer if this end is closed and no message of it travels any more. */
void co4__network_drop_peer(struct co4__network *n, struct co4__sim_socket *s);
/* Frees a packet that has been read, or is lost. */
void co4__packet_free(struct co4__packet *p);
void co4__network_purge(struct co4__sim_socket *s);

/* Takes the oldest message that a partition holds back; there is one. */
struct co4__net_event *co4__network_next_held(struct co4__sim_socket *sender);
/* The event never arrives. */
void co4__network_drop(struct co4__net_event *e);
/* What is held is not sent again: the stream ends there, also for what travels already. */
void co4__network_drop_held(struct co4__sim_socket *sender);

/* ---- departures.c ---- */

/* The time of all machines at a time of this one, and back. */
int64_t co4__network_global(const struct co4__network *n, int64_t local);
int64_t co4__network_local(const struct co4__network *n, int64_t global);
int64_t co4__network_now(const struct co4__network *n);
/* Returns when a message arrives that is sent now: after a latency that the seed draws. */
int64_t co4__network_arrival(struct co4__network *n);
/* The event holds a reference of the socket until it arrives. */
void co4__network_schedule(struct co4__network *n, struct co4__net_event *e,
                           enum co4__net_what what, struct co4__sim_socket *of, int64_t at);
/* It fires at this time of the machine, unless it is stopped before. It is not set. */
void co4__network_set_timer(struct co4__network *n, struct co4__net_timer *t, int64_t at);
void co4__network_stop_timer(struct co4__network *n, struct co4__net_timer *t);
/* An event that is queued does not happen. Its reference is the caller's. */
void co4__network_cancel(struct co4__network *n, struct co4__net_event *e);
/* The time of this machine's next event; CO4_NEVER: there is none. */
int64_t co4__network_first(const struct co4__network *n);
/* What comes next at another machine, whose process is none, happens. */
void co4__network_arrive_at(struct co4__network *n, unsigned host);
/* Takes it out of its heap; there is one. */
struct co4__net_event *co4__network_take_first(struct co4__network *n);

/* Sends one packet. False: no memory. `to`: of a datagram without a peer. */
bool co4__network_send(struct co4__network *n, struct co4__sim_socket *s, const struct msghdr *m,
                       size_t skip, size_t bytes, const struct co4__net_address *to);
/* Schedules an event behind everything that the sender has sent before. */
void co4__network_send_in_order(struct co4__network *n, struct co4__net_event *e,
                                enum co4__net_what what, struct co4__sim_socket *sender);
void co4__network_fin(struct co4__network *n, struct co4__sim_socket *s);
/* The reader has taken so many bytes of the sender. */
void co4__network_ack(struct co4__network *n, struct co4__sim_socket *sender, size_t bytes);
/* Sends a reset, which arrives at `after` at the earliest. False: the target does not need one. */
bool co4__network_reset(struct co4__network *n, struct co4__sim_socket *target, int64_t after);

/* ---- arrivals.c ---- */

void co4__network_arrive(struct co4__network *n, struct co4__net_event *e);

/* ---- addresses.c ---- */

bool co4__address_take(struct co4__net_address *out, const struct sockaddr *from, socklen_t bytes,
                       int domain);
void co4__address_put(const struct co4__net_address *a, int domain, struct sockaddr *to,
                      socklen_t *bytes);
bool co4__address_is(const struct co4__net_address *a, const struct co4__net_address *b);
/* What a machine has as its own: on the way to `to`, or any. */
void co4__address_own(struct co4__net_address *out, const struct co4__net_host *h, int domain,
                      const struct co4__net_address *to);
/* Where a datagram comes from that the socket sends there. */
void co4__address_from(struct co4__net_address *out, const struct co4__network *n,
                       const struct co4__sim_socket *s, const struct co4__net_address *to);
/* What is sent to any address is for the machine itself. */
void co4__address_loop(struct co4__net_address *a);
/* Returns whether the socket, which may be for IPv6 alone, can have or reach this address. */
bool co4__address_suits(const struct co4__sim_socket *s, const struct co4__net_address *a);
/* Returns which machine has this address for another one; -1: none. */
int co4__address_host(const struct co4__network *n, unsigned from,
                      const struct co4__net_address *a);
/* Returns whether machines get what is sent to this address: all that have one of IPv4; or, of
 * a.b.c.255, where machines have an address of a.b.c. */
bool co4__address_is_broadcast(const struct co4__network *n, const struct co4__net_address *a);
/* Returns whether the machine is one of these. */
bool co4__address_hears(const struct co4__network *n, unsigned host,
                        const struct co4__net_address *a);
/* Returns whether the socket, for datagrams, gets what is sent to this address. */
bool co4__address_gets(const struct co4__sim_socket *s, const struct co4__net_address *to);
/* Why nothing can be sent there, of several machines at once; 0: nothing is in the way. */
int co4__address_refuses(const struct co4__network *n, const struct co4__sim_socket *s,
                         const struct co4__net_address *to);
/* Returns the receiver of what is sent to this address: a listener, or a socket for datagrams. */
struct co4__sim_socket *co4__address_find(struct co4__network *n,
                                          const struct co4__sim_socket *from,
                                          const struct co4__net_address *to);
/* False: the text is no address. NULL is any host: an address without bytes. */
bool co4__address_parse(const char *text, struct co4__net_address *out);
/* Is the way between the two ends of a connection cut? */
bool co4__network_is_cut(const struct co4__network *n, const struct co4__sim_socket *s);
/* Does nothing come through from the socket to the machine, or to the address? */
bool co4__network_is_cut_to(const struct co4__network *n, const struct co4__sim_socket *s,
                            unsigned host, const struct co4__net_address *from,
                            const struct co4__net_address *to);
bool co4__network_is_cut_from(const struct co4__network *n, const struct co4__sim_socket *s,
                              const struct co4__net_address *from,
                              const struct co4__net_address *to);

/* ---- sim_ports.c ---- */

/* Returns an error number. */
int co4__address_bind(struct co4__network *n, struct co4__sim_socket *s,
                      const struct co4__net_address *a);
/* Gives it an address if it has none: for a way to `to`. */
void co4__address_assign(struct co4__network *n, struct co4__sim_socket *s,
                         const struct co4__net_address *to);
void co4__address_unbind(struct co4__network *n, struct co4__sim_socket *s);
/* Returns an error number: another one listens there. */
int co4__address_listen(struct co4__network *n, const struct co4__sim_socket *s);
/* The socket, for datagrams, is no longer connected. */
void co4__address_leave(struct co4__network *n, struct co4__sim_socket *s);

#endif
