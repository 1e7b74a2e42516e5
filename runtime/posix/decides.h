/* decides.h - whether a seed decides what threads do: a program of --auto=test. */
#ifndef CO4_POSIX_DECIDES_H
#define CO4_POSIX_DECIDES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/public.h"

/* Set once, before tasks begin: calls that need not wait may pause as well, as a seed decides what
 * comes first; and all tasks have one thread. */
extern CO4__OWN bool co4__posix_decides;
/* kills.c: the first thread of the program, which is a task then. NULL: no simulation, or it has
 * not begun. */
extern CO4__OWN co4_task *co4__posix_first;
/* What simulation/ notes of a signal or a broadcast that finds no task at its condition; `place`:
 * where the call returns to. NULL: nothing. */
extern CO4__OWN void (*co4__posix_signal_is_lost)(const void *cond, const void *place);
/* Makes steps of other tasks until the function says that it is over, or the deadline has passed:
 * then it returns false. For calls that block the thread, which is that of all tasks. `name` is the
 * call's, for a message where no task can end the wait. NULL: they block. */
extern CO4__OWN bool (*co4__posix_steps)(bool (*is_over)(void *data), void *data, int64_t deadline,
                                         const char *name);
/* The status of a process whose simulation cannot begin, or go on. */
#define CO4__REFUSED 125

#endif
