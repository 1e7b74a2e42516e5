/* masked.h - waits with a mask of signals of their own, for programs without marks: in a simulation
 * they pause their task, whose mask it is meanwhile.
 *
 * A handler that has run means EINTR, as in Linux: what is ready then stays for the next call. So
 * what is ready before is looked at with the mask as it is, and no signal comes. */
#ifndef CO4_POSIX_MASKED_H
#define CO4_POSIX_MASKED_H

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/inside.h"
#include "io/attempt.h"
#include "posix/interrupts.h"
#include "posix/processes.h"

struct masked {
    sigset_t before;
    bool is_set;
};

/* Whether a signal can end the wait of the calling task alone. */
static inline bool masked_pauses(void)
{
#ifdef CO4_PLAIN
    return false;
#else
    return co4__posix_processes && co4__interrupts_mark(true) >= 0;
#endif
}

/* Returns the mark of the wait. Signals that are pending come here. NULL: the mask stays. */
static inline int masked_begin(struct masked *m, const sigset_t *mask)
{
    int mark = co4__interrupts_mark(true);
    const char *call = co4__call_leave(); /* handlers run at once */
    m->is_set = mask && co4__posix_processes->mask(SIG_SETMASK, mask, &m->before) == 0;
    co4__call_again(call);
    return mark;
}

static inline void masked_end(struct masked *m)
{
    int was = errno;
    if (m->is_set)
        co4__posix_processes->mask(SIG_SETMASK, &m->before, NULL);
    errno = was;
}

static inline int masked_result(int n, int mark)
{
    return n >= 0 && co4__interrupts_since(mark) ? co4__errno_fails(EINTR) : n;
}

#endif
