/* libpq_query.h - queries by the blocking interface of libpq, which know nothing of tasks. */
#ifndef LIBPQ_QUERY_H
#define LIBPQ_QUERY_H

#include <libpq-fe.h>

/* Connects, and asks for what the server gives after half a second. Returns 7 * i; -1: an error. */
extern int libpq_query(const char *server, int i);
/* Connects, makes a command, and asks for what the server gives after a minute. `ready`: set before
 * that. Returns 1 if the answer is an error; `state` is its SQLSTATE, or empty. */
extern int libpq_long_query(const char *server, const char *command, PGcancel **ready,
                            char state[8]);
/* Waits until there is one, and lets the server give up. Returns 1 when it has heard of it. */
extern int libpq_cancel(PGcancel **ready);

#endif
