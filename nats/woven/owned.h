/* owned.h - variables whose values are freed at the end of their block, also when a call in it ends
 * for lack of memory. */
#ifndef CO4_NATS_OWNED_H
#define CO4_NATS_OWNED_H

#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* A pointer to memory of malloc(), or NULL. */
#define CO4__NATS_FREED __attribute__((cleanup(co4__nats_free)))
static inline void co4__nats_free(void *variable)
{
    void *memory;
    memcpy(&memory, variable, sizeof memory);
    free(memory);
}

/* A message that was received, or NULL. */
#define CO4__NATS_RECEIVED __attribute__((cleanup(co4__nats_free_message))) co4_nats_message
static inline void co4__nats_free_message(co4_nats_message **m)
{
    co4_nats_message_destroy(*m);
}

#endif
