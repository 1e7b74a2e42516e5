/* proxy.h - what the files of co4-proxy share.
 *
 * Purpose: a page cannot open sockets. It opens one WebSocket to this program for each connection,
 * and the program opens the socket. docs/web-proxy.md has the protocol.
 *
 * Invariants: no address is connected to that no rule allows. A page gets no answer before its
 * origin and its token are checked. Of each connection the program holds at most `window` bytes
 * from the page, and one buffer from the server.
 *
 * Concurrency: all tasks run on one thread, so the counters and rules need no lock. Names are
 * looked up by the threads of the resolver. */
#ifndef PROXY_H
#define PROXY_H

#include <co4.h>
#include <co4/conn.h>
#include <co4/http.h>
#include <co4/websocket.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct addrinfo;
struct sockaddr;

/* ---- allow.c: which addresses may be connected to ---- */

/* An address of either family: IPv4 is in its form as IPv6, so that both forms are equal. */
struct address {
    unsigned char bytes[16];
    uint32_t scope; /* of a link-local address */
};

enum { KNOWN = 32 }; /* addresses that a rule remembers of its name */

struct rule {
    char *host; /* a name, a numeric address, or a path; NULL: any host */
    bool is_path, is_numeric;
    unsigned first, last;        /* ports */
    struct address known[KNOWN]; /* that the name has had, the oldest is replaced */
    unsigned learnt;             /* how many have been noted */
};

struct rules {
    struct rule *all;
    size_t count;
};

/* Adds HOST:PORT, [IPv6]:PORT, *:PORT or unix:PATH. Returns NULL, or what is wrong with it. */
const char *rules_add(struct rules *rules, const char *text);
void rules_free(struct rules *rules);
/* Whether a name may be looked up: a rule has it, or a rule allows any host. */
bool rules_name(const struct rules *rules, const char *host);
bool rules_path(const struct rules *rules, const char *path);
/* Whether a rule allows the address with its port. It may look up the names of rules. */
pausable bool rules_address(const struct rules *rules, const struct sockaddr *address);
/* Looks up a host for TCP, and notes its addresses for the rules that name it. Returns CO4_OK or a
 * code of co4_resolve(). */
pausable int rules_look_up(const struct rules *rules, const char *host, const char *port,
                           int family, struct addrinfo **found);

/* ---- session.c: one WebSocket ---- */

struct proxy {
    struct rules rules;
    const char *const *origins; /* NULL ends them */
    const char *token;          /* NULL: none is asked for */
    int most, open;             /* WebSockets at once */
    size_t window;              /* bytes from the page that wait for the server */
    size_t message;             /* bytes of a message from the page */
    int64_t idle;               /* nanoseconds without a byte; 0: no limit */
    int64_t patience;           /* for a connect and a lookup */
    bool verbose;
};

/* Handlers of co4_http_route; the argument is the struct proxy. */
pausable int session_tcp(co4_http_call *call, void *proxy);
pausable int session_unix(co4_http_call *call, void *proxy);
pausable int session_names(co4_http_call *call, void *proxy);
pausable int session_other(co4_http_call *call, void *proxy);

/* ---- relay.c: bytes in both directions ---- */

/* Why a WebSocket ends: 1000, or one of these with a text. */
enum {
    STATUS_OK = 1000,
    STATUS_REQUEST = 4400, /* the page breaks the protocol */
    STATUS_TOKEN = 4401,
    STATUS_REFUSED = 4403, /* the origin, or the address */
    STATUS_IDLE = 4408,
    STATUS_TOO_MANY = 4429
};
struct ending {
    int status; /* 0: the WebSocket has been cut, there is nothing to say */
    char reason[124];
};

/* Passes bytes on until one side ends the connection, and closes the connection. */
pausable struct ending relay(const struct proxy *p, co4_websocket *ws, co4_conn *server);
/* The name of a code in the protocol: "ECONNREFUSED". */
const char *relay_code(int code);

#endif
