/* attempts.h - the attempts to connect to several addresses, of which the first that connects wins.
 * None of these functions pauses; woven/tcp_connect.c has the waits. */
#ifndef CO4_ATTEMPTS_H
#define CO4_ATTEMPTS_H

#include <netdb.h>
#include <stdbool.h>

#include "net/public.h"

struct co4__attempts {
    int count, next;                   /* the addresses, and the next to be tried */
    int pending;                       /* attempts that may still connect */
    int code;                          /* to report if none does; 0: none has failed yet */
    const struct addrinfo **addresses; /* in the order of the attempts */
    int *fds;                          /* of the pending attempts */
    co4_case *cases;                   /* for a select of these */
};

/* The families of the list alternate, beginning with its first. NULL: out of memory. The addresses
 * stay the caller's, and must live as long as the attempts. */
struct co4__attempts *co4__attempts_create(const struct addrinfo *addresses);
/* Closes the pending descriptors, and frees the attempts. A cleanup; may be NULL. */
void co4__attempts_free(struct co4__attempts **attempts);

/* Makes a socket for the next address: the last pending one. False: it has failed. */
bool co4__attempts_open(struct co4__attempts *a);
/* The i-th pending attempt has failed. */
void co4__attempts_fail(struct co4__attempts *a, int i, int code);
/* The i-th pending attempt has connected: returns its descriptor, which is not closed by free. */
int co4__attempts_win(struct co4__attempts *a, int i);
/* Fills the cases: ready when an attempt has ended. Returns their number. */
int co4__attempts_cases(struct co4__attempts *a);
/* Returns 1 if the i-th pending attempt has connected, 0 if it has not ended yet, or the code with
 * which it has failed. */
int co4__attempts_outcome(const struct co4__attempts *a, int i);

#endif
