/* proxy.h - a network that fails: connections to a server go through a thread of the test, which
 * can end them in the middle of a message, stop, and delay what passes. On loopback. */
#ifndef PROXY_H
#define PROXY_H

#include <stdbool.h>

enum proxy_way { TO_SERVER, TO_CLIENT };

struct proxy {
    int port;
    char url[64];
    struct proxy_state *state;
};

/* All of them block for moments alone. */
void proxy_start(struct proxy *p, int server_port);
void proxy_end(struct proxy *p);

/* Ends all connections. */
void proxy_cut(struct proxy *p);
/* Ends the connection on which so many more bytes have passed that way; no byte behind them does.
 * Once; again after another call. */
void proxy_cut_after(struct proxy *p, enum proxy_way way, long bytes);
/* The same, so many bytes behind the beginning of a text. */
void proxy_cut_at(struct proxy *p, enum proxy_way way, const char *text, long bytes);
/* The server ends the connection so: a reset, not an end. */
void proxy_reset(struct proxy *p, bool on);
/* No cut is to come any more. Returns whether the last one has come. */
bool proxy_disarm(struct proxy *p);
int proxy_cuts(struct proxy *p);

/* Nothing passes, and all stay open. */
void proxy_stall(struct proxy *p, bool on);
/* The same, as soon as a text has passed. */
void proxy_stall_at(struct proxy *p, enum proxy_way way, const char *text);
/* Each piece waits so many ms. */
void proxy_delay(struct proxy *p, int ms);
/* New connections end at once. */
void proxy_refuse(struct proxy *p, bool on);
/* Where new connections go. */
void proxy_to(struct proxy *p, int server_port);
/* How many are open. */
int proxy_open(struct proxy *p);

#endif
