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

/* Tries each server once, until one accepts. Returns CO4_OK and the connection below, or a code. */
pausable int co4__nats_try_servers(struct co4_nats *c, co4_conn **conn, int64_t deadline);

/* The task of a connection: reads, and connects again. It has a reference. */
pausable int co4__nats_task(struct co4_nats *connection);

#endif
