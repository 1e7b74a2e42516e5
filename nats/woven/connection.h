/* connection.h - a connection's tasks. */
#ifndef CO4_NATS_CONNECTION_H
#define CO4_NATS_CONNECTION_H

#include "internal.h"

/* Tries each server once, until one accepts. Returns CO4_OK and the connection below, or a code. */
pausable int co4__nats_try_servers(struct co4_nats *c, co4_conn **conn, int64_t deadline);

/* The task of a connection: reads, and connects again. It has a reference. */
pausable int co4__nats_task(struct co4_nats *connection, co4_conn *first);

#endif
