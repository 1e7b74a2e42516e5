/* tls_session.h - one session of a client over TLS, which knows nothing of tasks. */
#ifndef TLS_SESSION_H
#define TLS_SESSION_H

#include <stddef.h>

/* Before the sessions; returns 0 for an error. `authority` is a file of certificates. */
extern int tls_begin(const char *authority);
/* Speaks with the server `target`: a port, or a connection string of PostgreSQL. Compares each byte
 * of the answer. `told` is "good", or the errors that the session has seen. */
extern void tls_session(const char *target, int i, char *told, size_t size);
extern void tls_end(void);

#endif
