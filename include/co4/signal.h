/* co4/signal.h - signals as messages.
 *
 * A subscription is a mailbox in which each of its signals arrives as a message. A server ends in
 * three lines:
 *
 *     int err = co4_signals(&end, SIGINT, SIGTERM);     `end` is a co4_mailbox *
 *     co4_mailbox_receive(end, &signal);                pauses until one of them comes
 *     co4_close(listener);
 *
 * While a signal has a subscriber, the library's handler takes the place of the former one, with
 * SA_RESTART. The end of the last subscription restores the former one. Each subscriber gets each
 * signal, on any thread and any runtime. A thread of the library delivers signals; without threads
 * the run loop does.
 *
 * Bursts. The system may merge signals of one number that come faster than they are handled. So may
 * the library, when CO4_SIGNALS_CAPACITY messages wait in a mailbox: the last signal of each number
 * arrives later, when there is room. So after the last of a burst at least one message comes.
 *
 * Forks. The child of a fork() has no subscription: the former handlers are restored there, and
 * the mailboxes stay silent. It may subscribe anew. */
#ifndef CO4_SIGNAL_H
#define CO4_SIGNAL_H

#ifdef __wasi__
#error "co4/signal.h: WASI has no signals"
#endif

#include <signal.h>
#include <stddef.h>
#include <sys/types.h>

#include "mailbox.h"
#include "mark.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a message says: the fields of siginfo_t. */
typedef struct co4_signal {
    int signo;
    int code;  /* si_code: SI_USER, SI_QUEUE, CLD_EXITED …; 0 if only the number is known */
    pid_t pid; /* the sender, or the child of a SIGCHLD; 0: the system */
    uid_t uid; /* its user */
    int value; /* of sigqueue(); of a SIGCHLD: si_status */
} co4_signal;

/* Messages that a mailbox of signals holds. */
#define CO4_SIGNALS_CAPACITY 64

/* Unless a function says otherwise:
 *
 * Blocks: never.
 * Thread safety: any task and thread, at the same time.
 * Since: 0.2. */

/* Subscribes to `count` signals. The messages are of type co4_signal.
 *
 * Returns: CO4_OK, and *subscription is the mailbox; else a code (error.h), and it is NULL:
 *     CO4_EINVAL for a number that is no signal, for SIGKILL and SIGSTOP, and for SIGSEGV, SIGBUS,
 *     SIGFPE and SIGILL; CO4_EBUSY for the signal of co4_dump_on_signal(); CO4_ENOMEM; -EMFILE,
 *     -ENFILE; CO4_EAGAIN when there is no thread.
 * Ownership: the caller's, until co4_signals_destroy(). It is no mailbox for
 *     co4_mailbox_destroy(). */
CO4_MUST_USE int co4_signals_create(co4_mailbox **subscription, const int *signals, size_t count);
#define co4_signals(subscription, ...)                                                             \
    co4_signals_create((subscription), (const int[]){ __VA_ARGS__ },                               \
                       sizeof((const int[]){ __VA_ARGS__ }) / sizeof(int))

/* Ends a subscription, and frees its mailbox with the messages in it.
 *
 * Returns: CO4_OK; CO4_EBUSY, and nothing changes, while a task waits in the mailbox; CO4_EINVAL
 *     for any other mailbox.
 * Ownership: ends the caller's. */
int co4_signals_destroy(co4_mailbox *subscription);

#ifdef __cplusplus
}
#endif

#endif
