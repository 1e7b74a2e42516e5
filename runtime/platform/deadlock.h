/* deadlock.h - threads that sleep until another wakes them, and the check whether one still can.
 * deadlock.c explains the protocol. */
#ifndef CO4_DEADLOCK_H
#define CO4_DEADLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/public.h"
#include "platform/fork.h"

/* sleep_begins: the calling thread is about to sleep until another thread wakes it. sleep_ends:
 * called by the waking thread, or by the sleeper if it goes on by itself. */
void co4__sleep_begins(void);
void co4__sleep_ends(void);

/* The delay before the first check. Each later one comes after twice the time. Tests change it. */
extern int64_t co4__first_look;

/* Called by a thread whose sleep has begun. Returns whether nothing can end the sleep. If so, the
 * thread no longer counts as asleep. */
bool co4__deadlocked(void);

/* Returns whether co4_deadlock_detect() is on. */
bool co4__deadlock_is_detected(void);

co4__fork_handler co4__deadlock_fork;

#endif
