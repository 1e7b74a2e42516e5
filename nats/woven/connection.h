/* connection.h - a connection's tasks. */
#ifndef CO4_NATS_CONNECTION_H
#define CO4_NATS_CONNECTION_H

#include <stdlib.h>

#include "internal.h"

/* A message for the output, which is freed at the end of its block, also when a call ends for lack
 * of memory. */
#define CO4__NATS_OUT __attribute__((cleanup(co4__nats_free_out))) struct co4__nats_out
static inline void co4__nats_free_out(struct co4__nats_out **out)
{
    free(*out);
}

/* The longest line that a server sends. */
enum { CO4__NATS_INPUT_LINE = 32768 };

/* The code of this library for that of a call at a connection; `otherwise` if the loss has no
 * reason of its own. */
int co4__nats_code_of(int error, int otherwise);
/* The code for a line "-ERR". */
int co4__nats_refused(const char *line);
/* That of the server that is tried. */
void co4__nats_address(const struct co4_nats *c, char *text, size_t room);
/* Tries each server once, until one accepts. Returns CO4_OK and the connection below, or a code. */
pausable int co4__nats_try_servers(struct co4_nats *c, co4_conn **conn, int64_t deadline);
/* So many rounds through all of them; 0: for ever. `waits`: also before the first one. */
pausable int co4__nats_try_rounds(struct co4_nats *c, co4_conn **conn, int rounds, bool waits,
                                  int64_t deadline);

/* The task of a connection: reads, and connects again. It has a reference. */
pausable int co4__nats_task(struct co4_nats *connection);

#endif
