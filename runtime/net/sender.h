/* sender.h - the task that sends the rest of the output of a connection. */
#ifndef CO4_SENDER_INTERNAL_H
#define CO4_SENDER_INTERNAL_H

#include "base/compiler.h"
#include "net/conn.h"

/* Starts it. `direction` is what it has to wait for first. Without memory there is none, and the
 * next call that writes goes on. */
CO4__OWN void co4__sender_start(co4_conn *c, int direction);

#endif
