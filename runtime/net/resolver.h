/* resolver.h - lookups of names, on threads of their own. resolver.c explains the protocol. */
#ifndef CO4_RESOLVER_H
#define CO4_RESOLVER_H

#include <netdb.h>
#include <stdbool.h>

#include "base/compiler.h"
#include "net/public.h"

struct co4__lookup;

/* True: the lookup needed no thread, and *code and *result have its answer. */
bool co4__lookup_at_once(const char *host, const char *service, const struct addrinfo *hints,
                         struct addrinfo **result, int *code);

/* getaddrinfo() for tasks, with its codes. */
CO4__OWN pausable int co4__getaddrinfo(const char *host, const char *service,
                                       const struct addrinfo *hints, struct addrinfo **result,
                                       int64_t deadline);

/* Begins a lookup. NULL: out of memory. */
struct co4__lookup *co4__lookup_begin(const char *host, const char *service,
                                      const struct addrinfo *hints);
/* Done when the lookup is over. */
co4_future *co4__lookup_future(struct co4__lookup *lookup);
/* Returns whether the lookup is over. Begins it anew if its thread was lost by a fork. */
bool co4__lookup_is_over(struct co4__lookup *lookup);
/* Called when it is over: returns the code, and sets `errno` for EAI_SYSTEM. */
int co4__lookup_take(struct co4__lookup *lookup, struct addrinfo **result);
/* The task does not wait any more. Keeps `errno`. A cleanup; *lookup may be NULL. */
void co4__lookup_end(struct co4__lookup **lookup);

#endif
