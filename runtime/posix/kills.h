/* kills.h - signals to threads that are tasks: kills.c explains them. */
#ifndef CO4_POSIX_KILLS_H
#define CO4_POSIX_KILLS_H

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/public.h"

struct co4__posix_thread;

/* What others ask of kills.c, which a program may lack. All but the first three are of the calling
 * task, and do nothing where that is no such thread. */
struct co4__kills {
    size_t bytes; /* of what is behind the struct of a thread, which `begins` sets */
    void (*begins)(struct co4__posix_thread *s);
    void (*ends)(struct co4__posix_thread *s);
    /* From now on a signal ends the wait of the task, until `close`, which returns whether one has.
     * Other waits end first, and the handler runs then. */
    void (*open)(void);
    bool (*close)(void);
    /* Waits end by these, too, as the task takes them itself. NULL: no more. */
    void (*wants)(const sigset_t *set);
    /* Takes one of them. Returns 0 if there is none. */
    int (*take)(const sigset_t *set, siginfo_t *info);
    bool (*has_wanted)(void);
    /* As co4__interrupts_mark(). */
    int (*mark)(bool always);
    /* pthread_sigmask(), which is `real` for a thread. */
    int (*mask)(int (*real)(int how, const sigset_t *set, sigset_t *before), int how,
                const sigset_t *set, sigset_t *before);
    /* The system has this mask while a call blocks, and what is pending; and has them no more. */
    bool (*hand_over)(const sigset_t *mask);
    void (*take_back)(const sigset_t *mask);
    void (*pending)(sigset_t *set);
    /* Whether a handler has come to a task in a call of the library, or at the end of a step. */
    bool (*postpones)(void);
    /* For a handler that finds no task, as it has come between two steps of a run in a task: that
     * task, or NULL. */
    co4_task *(*running)(void);
    /* In a simulation, between two steps: pending signals come. Returns whether a handler has run
     * since the last call, but in a task's step. */
    bool (*between)(void);
    /* How often a signal has become pending for a task. */
    unsigned (*additions)(void);
};
extern CO4__IF_LINKED const struct co4__kills co4__kills;

static inline void co4__kills_open(void)
{
    if (&co4__kills)
        co4__kills.open();
}

static inline bool co4__kills_close(void)
{
    return &co4__kills && co4__kills.close();
}

/* For a call that blocks with a mask of its own. */
static inline bool co4__kills_hand_over(const sigset_t *mask)
{
    return &co4__kills && co4__kills.hand_over(mask);
}

static inline void co4__kills_take_back(bool handed, const sigset_t *mask)
{
    if (handed)
        co4__kills.take_back(mask);
}

#ifndef CO4_PLAIN
/* What co4__interrupts_wait() and co4__interrupts_poll() are of such a thread; NULL: there is
 * none. */
extern pausable int (*co4__kills_wait)(int fd, int events, int64_t until, int mark);
extern pausable int (*co4__kills_poll)(struct pollfd *fds, nfds_t count, int64_t until, int mark);
/* In a simulation main has ended: its thread takes no signal any more. */
CO4__IF_LINKED void co4__first_takes_none(void);
/* woven/kills.c: sets these. */
CO4__OWN void co4__kills_begin(void);
#endif

#endif
