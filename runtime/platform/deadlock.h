/* deadlock.h - threads that sleep until another wakes them, and the look whether one still can. The
 * story is in deadlock.c. */
#ifndef CO4_DEADLOCK_H
#define CO4_DEADLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/public.h"
#include "platform/fork.h"

/* The calling thread is about to sleep until another thread wakes it; that thread wakes it, or it
 * goes on by itself. */
void co4__sleep_begins(void);
void co4__sleep_ends(void);

/* The first look comes after so long, each next one after twice as long. Tests change it. */
extern int64_t co4__first_look;

/* For a thread whose sleep has begun: can nothing end it? True: the thread no longer counts as
 * asleep. */
bool co4__deadlocked(void);

/* Has the program left co4_deadlock_detect() on? */
bool co4__deadlock_is_detected(void);

/* fd.c: has the program a handler for a signal that may come at any time, other than the
 * dump's? */
bool co4__may_be_interrupted(void);

co4__fork_handler co4__deadlock_fork;

#endif
