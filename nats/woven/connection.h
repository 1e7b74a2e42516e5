/* connection.h - a connection's tasks. */
#ifndef CO4_NATS_CONNECTION_H
#define CO4_NATS_CONNECTION_H

#include "owned.h"

/* The longest line that a server sends. */
enum { CO4__NATS_INPUT_LINE = 32768 };

/* The code of this library for that of a call at a connection; `otherwise` if the loss has no
 * reason of its own. */
int co4__nats_code_of(int error, int otherwise);
/* The code for a line "-ERR". */
int co4__nats_refused(const char *line);
/* An event with the address of the server that is tried, or used. */
void co4__nats_server_event(struct co4_nats *c, co4_nats_event_kind kind, int code, uint64_t count);
/* Tries each server once, until one accepts. Returns CO4_OK and the connection below, or a code. */
pausable int co4__nats_try_servers(struct co4_nats *c, co4_conn **conn, int64_t deadline);
/* Tries all servers up to `rounds` times, 0: for ever, and waits between two rounds; with `waits`
 * also before the first one. */
pausable int co4__nats_try_rounds(struct co4_nats *c, co4_conn **conn, int rounds, bool waits,
                                  int64_t deadline);

/* The task of a connection: reads, and connects again. It has a reference. */
pausable int co4__nats_task(struct co4_nats *connection);

#endif
