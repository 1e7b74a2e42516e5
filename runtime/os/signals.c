/* signals.c - subscriptions: a signal becomes a message in the mailboxes of its subscribers.
 *
 * Purpose: the handler writes a record to a self-pipe; that is safe in a handler. A listener at the
 * pipe's end reads the records, and sends them to the mailboxes. It is registered with the reactor
 * of the helper thread (io/reactor.c), so signals arrive while all workers compute. Without threads
 * the run loop drives that reactor.
 *
 * Invariants: no signal is lost altogether. If the pipe is full, the handler sets `unwritten` of
 * the number, and tries to write once more. The reader looks at these flags when the pipe is empty.
 * If a mailbox is full, the subscriber keeps the last signal of each number (`missed`). One of them
 * waits among the mailbox's senders, as the `late` listener; its wake sends the next.
 *
 * Concurrency: `lock` guards the list and the states. One thread at a time serves the pipe
 * (`serving`). The listener is queued while `armed`. A wake that comes meanwhile clears `armed`,
 * and the serving thread looks again. A send counts itself in `users` of the subscriber, and needs
 * no lock; the end of a subscription waits for it. Lock order: `lock`, then a descriptor.
 *
 * Forks: the child gets a pipe of its own under the same numbers, so it neither reads the parent's
 * records nor writes to it. Until then its handler writes nothing, since getpid() differs.
 *
 * Rejected: signalfd (each thread, also those of other libraries, would have to block the signal);
 * a thread in sigwait() (likewise); an unbounded mailbox (a burst would take all memory). */
#define _GNU_SOURCE
#include "os/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/public.h"
#include "core/wait.h"
#include "io/descriptor.h"
#include "io/ops.h"
#include "io/public.h"
#include "os/public.h"
#include "platform/fd.h"
#include "platform/lock.h"
#include "platform/real.h"
#include "platform/thread.h"
#include "sync/source.h"

#ifdef NSIG
#define SIGNALS NSIG
#else
#define SIGNALS 65
#endif

struct subscriber {
    struct subscriber *next;
    co4_mailbox *mailbox;
    bool wants[SIGNALS];
    co4_signal missed[SIGNALS]; /* signo 0: none */
    unsigned users;             /* sends that are under way */
    bool ending;
    co4_listener late; /* first sends `waits`, then the missed signals */
    co4_sending sending;
    co4_signal waits;
    bool is_late;            /* `late` has been added, and its wake has not come */
    atomic_bool late_served; /* since it was added */
};

static struct {
    co4__lock lock; /* guards all below, except for what the handler reads */
    struct subscriber *first;
    unsigned subscriptions[SIGNALS], all; /* to each signal, to all signals */
    struct sigaction before[SIGNALS];
    bool has_pipe;
    co4_listener listener;
    bool armed, serving;
    /* Read by the handler, and constant while there is a subscription. */
    struct co4__self_pipe pipe;
    _Atomic pid_t pid;
} the;

static atomic_bool completed;          /* the listener, since it was added; its wake will come */
static atomic_bool unwritten[SIGNALS]; /* set by the handler */

/* ---- the handler ---- */

static void handler(int signo, siginfo_t *info, void *context)
{
    int was = errno;
    co4_signal s = { .signo = signo, .code = info->si_code };
    (void)context;
    if (info->si_code <= 0 || signo == SIGCHLD) { /* a process has sent it */
        s.pid = info->si_pid;
        s.uid = info->si_uid;
        s.value = signo == SIGCHLD            ? info->si_status
                  : info->si_code == SI_QUEUE ? info->si_value.sival_int
                                              : 0;
    }
    if (CO4__SYSTEM(getpid)() == atomic_load_explicit(&the.pid, memory_order_relaxed) &&
        write(the.pipe.in, &s, sizeof s) != (ssize_t)sizeof s) {
        atomic_store(&unwritten[signo], true);
        s.signo = 0;
        ssize_t n = write(the.pipe.in, &s, sizeof s); /* still full: the reader will look */
        (void)n;
    }
    errno = was;
}

/* ---- delivery ---- */

/* Called under the lock. Returns whether a signal is missed, and takes it. */
static bool take_missed(struct subscriber *sub)
{
    for (int i = 1; i < SIGNALS; i++)
        if (sub->missed[i].signo != 0) {
            sub->waits = sub->missed[i];
            sub->missed[i].signo = 0;
            return true;
        }
    return false;
}

/* Called under the lock, which it releases, by the thread that has set `is_late`. Adds the listener
 * for the next missed signal. If there is none, the subscriber may be freed afterwards. */
static void late_send(struct subscriber *sub)
{
    sub->is_late = !sub->ending && take_missed(sub);
    bool adds = sub->is_late;
    sub->users += adds;
    atomic_store(&sub->late_served, false);
    co4__lock_give(&the.lock);
    if (!adds)
        return;
    co4__source_add(co4_mailbox_sending(&sub->sending, sub->mailbox, &sub->waits), &sub->late);
    co4__lock_take(&the.lock);
    sub->users--;
    co4__lock_give(&the.lock);
}

static struct subscriber *subscriber_of(co4_listener *late)
{
    return (struct subscriber *)(void *)((char *)late - offsetof(struct subscriber, late));
}

static void late_wake(co4_listener *l)
{
    co4__lock_take(&the.lock);
    late_send(subscriber_of(l));
}

/* Called under the lock, which it releases. */
static void send_missed(struct subscriber *sub)
{
    if (sub->is_late)
        co4__lock_give(&the.lock);
    else
        late_send(sub);
}

/* The subscription is ending. Waits until no signal waits at the mailbox. A signal that has waited
 * there counts as missed. */
static void late_drop(struct subscriber *sub)
{
    co4__lock_take(&the.lock);
    bool waits = sub->is_late;
    co4__lock_give(&the.lock);
    if (waits)
        co4__source_drop(&sub->sending.source, &sub->late);
    co4__lock_take(&the.lock);
    for (unsigned tries = 0; sub->is_late && atomic_load(&sub->late_served); tries++) {
        co4__lock_give(&the.lock);
        co4__back_off(tries);
        co4__lock_take(&the.lock);
    }
    if (sub->is_late && sub->missed[sub->waits.signo].signo == 0)
        sub->missed[sub->waits.signo] = sub->waits;
    sub->is_late = false;
    co4__lock_give(&the.lock);
}

static void deliver(const co4_signal *s)
{
    co4__lock_take(&the.lock);
    for (struct subscriber *sub = the.first; sub; sub = sub->next) {
        if (!sub->wants[s->signo] || sub->ending)
            continue;
        sub->users++; /* it stays in the list */
        co4__lock_give(&the.lock);
        bool is_full = co4_mailbox_send_until(sub->mailbox, s, CO4_NOW) == CO4_EFULL;
        co4__lock_take(&the.lock);
        if (is_full) {
            sub->missed[s->signo] = *s; /* the last one of each number is kept */
            send_missed(sub);
            co4__lock_take(&the.lock);
        }
        sub->users--;
    }
    co4__lock_give(&the.lock);
}

static void drain(void)
{
    co4_signal s;
    ssize_t n;
    while ((n = read(the.pipe.out, &s, sizeof s)) == (ssize_t)sizeof s || (n < 0 && errno == EINTR))
        if (n > 0 && s.signo > 0 && s.signo < SIGNALS)
            deliver(&s);
    for (int i = 1; i < SIGNALS; i++)
        if (atomic_exchange(&unwritten[i], false))
            deliver(&(co4_signal){ .signo = i });
}

/* ---- the listener ---- */

/* Registers with the helper's reactor: that of a worker would end with its runtime. */
static int add_listener(void)
{
    struct co4__local *here = co4__local();
    struct co4__worker *worker = here->worker;
    co4_source *source = co4_fd_readable(the.pipe.out);
    if (!source)
        return CO4_ENOMEM;
    if (co4__has_threads)
        here->worker = NULL;
    int n = co4__source_add(source, &the.listener);
    here->worker = worker;
    return n;
}

/* Called by the serving thread. Returns CO4_OK, or the code of a failed registration. */
static int serve(void)
{
    for (bool again = true; again;) {
        drain();
        co4__lock_take(&the.lock);
        if (the.all == 0) {
            the.serving = false;
            co4__lock_give(&the.lock);
            return CO4_OK;
        }
        the.armed = true;
        atomic_store(&completed, false);
        co4__lock_give(&the.lock);
        int n = add_listener();
        co4__lock_take(&the.lock);
        if (n < 0)
            the.armed = the.serving = false;
        again = n >= 0 && !the.armed;
        if (!again)
            the.serving = false;
        co4__lock_give(&the.lock);
        if (n < 0)
            return n;
    }
    return CO4_OK;
}

static bool may_serve(void)
{
    co4__lock_take(&the.lock);
    bool mine = the.has_pipe && !the.serving && !the.armed;
    if (mine)
        the.serving = true;
    co4__lock_give(&the.lock);
    return mine;
}

static int acquire(co4_listener *l, int code, const void *value)
{
    (void)l, (void)code, (void)value;
    return 1;
}

static void complete(co4_listener *l, int code, const void *value)
{
    (void)l, (void)code, (void)value;
    atomic_store(&completed, true);
}

static void release(co4_listener *l)
{
    (void)l;
}

static void wake(co4_listener *l)
{
    (void)l;
    co4__lock_take(&the.lock);
    the.armed = false;
    co4__lock_give(&the.lock);
    if (may_serve())
        serve();
}

static const void *owner(const co4_listener *l)
{
    return l;
}

static const co4_listener_ops ops = { acquire, complete, release, wake, owner, NULL };

static void late_complete(co4_listener *l, int code, const void *value)
{
    (void)code, (void)value;
    atomic_store(&subscriber_of(l)->late_served, true);
}

static const co4_listener_ops late_ops = {
    acquire, late_complete, release, late_wake, owner, NULL
};

/* ---- subscribing ---- */

/* Called under the lock. Returns CO4_OK or a code. */
static int open_pipe(void)
{
    if (the.has_pipe)
        return CO4_OK;
    if (co4__self_pipe_open(&the.pipe) != CO4_OK)
        return co4_code_of_errno(errno);
    int err = co4__descriptor_attach(the.pipe.out, CO4__PIPE, false, &co4__system_io);
    if (err != 0) {
        co4__self_pipe_close(&the.pipe);
        return co4_code_of_errno(err);
    }
    the.listener.ops = &ops;
    atomic_store_explicit(&the.pid, CO4__SYSTEM(getpid)(), memory_order_relaxed);
    the.has_pipe = true;
    return CO4_OK;
}

/* Called under the lock. Returns CO4_OK or a code. */
static int take_signal(int signo)
{
    struct sigaction a = { .sa_sigaction = handler, .sa_flags = SA_RESTART | SA_SIGINFO };
    if (the.subscriptions[signo] == 0) {
        if (!co4__signal_claim(signo))
            return CO4_EBUSY;
        sigfillset(&a.sa_mask);
        if (sigaction(signo, &a, &the.before[signo]) != 0) {
            co4__signal_unclaim(signo);
            return CO4_EINVAL;
        }
    }
    the.subscriptions[signo]++;
    the.all++;
    return CO4_OK;
}

/* Called under the lock. */
static void give_signal(int signo)
{
    the.all--;
    if (--the.subscriptions[signo] > 0)
        return;
    sigaction(signo, &the.before[signo], NULL);
    co4__signal_unclaim(signo);
}

/* Called under the lock. */
static void give_signals(struct subscriber *sub)
{
    for (int i = 1; i < SIGNALS; i++) {
        if (sub->wants[i])
            give_signal(i);
        sub->wants[i] = false;
    }
    if (the.all > 0 || !the.armed)
        return;
    co4__source_drop(co4_fd_readable(the.pipe.out), &the.listener);
    if (!atomic_load(&completed))
        the.armed = false;
}

/* Called under the lock: all signals, or none. Returns CO4_OK or a code. */
static int take_signals(struct subscriber *sub, const int *signals, size_t count)
{
    int err = open_pipe();
    for (size_t i = 0; i < count && err == CO4_OK; i++) {
        if (sub->wants[signals[i]])
            continue;
        err = take_signal(signals[i]);
        sub->wants[signals[i]] = err == CO4_OK;
    }
    if (err != CO4_OK)
        give_signals(sub);
    return err;
}

/* Not signals that an instruction causes: a handler would return to the same instruction. */
static bool is_acceptable(int signo)
{
    return signo > 0 && signo < SIGNALS && signo != SIGKILL && signo != SIGSTOP &&
           signo != SIGSEGV && signo != SIGBUS && signo != SIGFPE && signo != SIGILL;
}

static void unlink_subscriber(struct subscriber *sub)
{
    struct subscriber **at = &the.first;
    while (*at != sub)
        at = &(*at)->next;
    *at = sub->next;
}

int co4_signals_create(co4_mailbox **subscription, const int *signals, size_t count)
{
    bool fits = subscription && signals && count > 0;
    if (subscription)
        *subscription = NULL;
    for (size_t i = 0; fits && i < count; i++)
        fits = is_acceptable(signals[i]);
    if (!fits)
        return CO4_EINVAL;
    struct subscriber *sub = co4__alloc(sizeof *sub);
    if (!sub)
        return CO4_ENOMEM;
    sub->late.ops = &late_ops;
    sub->mailbox = co4_mailbox_create(sizeof(co4_signal), CO4_SIGNALS_CAPACITY);
    int err = sub->mailbox ? co4_mailbox_reserve(sub->mailbox, CO4_SIGNALS_CAPACITY) : CO4_ENOMEM;
    if (err == CO4_OK) {
        co4__lock_take(&the.lock);
        sub->next = the.first;
        the.first = sub;
        err = take_signals(sub, signals, count);
        if (err != CO4_OK)
            unlink_subscriber(sub);
        co4__lock_give(&the.lock);
    }
    if (err == CO4_OK && may_serve() && serve() < 0) {
        co4_signals_destroy(sub->mailbox);
        return CO4_EAGAIN;
    }
    if (err == CO4_OK) {
        *subscription = sub->mailbox;
        return CO4_OK;
    }
    co4_mailbox_destroy(sub->mailbox);
    co4__free(sub);
    return err;
}

/* Finds the subscriber, marks its end, and waits for the sends that are under way. NULL: there is
 * none. */
static struct subscriber *begin_end(const co4_mailbox *mb)
{
    co4__lock_take(&the.lock);
    struct subscriber *sub = the.first;
    while (sub && (sub->mailbox != mb || sub->ending))
        sub = sub->next;
    if (sub)
        sub->ending = true;
    for (unsigned tries = 0; sub && sub->users > 0; tries++) {
        co4__lock_give(&the.lock);
        co4__back_off(tries);
        co4__lock_take(&the.lock);
    }
    co4__lock_give(&the.lock);
    return sub;
}

int co4_signals_destroy(co4_mailbox *subscription)
{
    struct subscriber *sub = subscription ? begin_end(subscription) : NULL;
    if (!sub)
        return CO4_EINVAL;
    late_drop(sub);
    int err = co4_mailbox_destroy(subscription);
    co4__lock_take(&the.lock);
    if (err != CO4_OK) {
        sub->ending = false;
        send_missed(sub);
        return err;
    }
    unlink_subscriber(sub);
    give_signals(sub);
    co4__lock_give(&the.lock);
    co4__free(sub);
    return CO4_OK;
}

/* ---- forks ---- */

/* A pipe of the child's own, under the same numbers. */
static bool replace_pipe(void)
{
    struct co4__self_pipe fresh;
    if (co4__self_pipe_open(&fresh) != CO4_OK)
        return false;
    bool done = dup2(fresh.out, the.pipe.out) >= 0 && dup2(fresh.in, the.pipe.in) >= 0;
    fcntl(the.pipe.out, F_SETFD, FD_CLOEXEC);
    fcntl(the.pipe.in, F_SETFD, FD_CLOEXEC);
    co4__self_pipe_close(&fresh);
    return done;
}

/* The threads of the parent do not exist, and its records are its own. */
static void begin_child(void)
{
    for (struct subscriber *sub = the.first; sub; sub = sub->next) {
        for (int i = 1; i < SIGNALS; i++) {
            if (sub->wants[i])
                give_signal(i);
            sub->wants[i] = false;
            sub->missed[i].signo = 0;
        }
        sub->users = 0;
        sub->ending = false;
        sub->is_late = sub->is_late && co4__listener_is_queued(&sub->late);
    }
    for (int i = 0; i < SIGNALS; i++)
        atomic_store(&unwritten[i], false);
    the.serving = false;
    the.armed = the.has_pipe && co4__listener_is_queued(&the.listener);
    if (the.has_pipe && !replace_pipe()) {
        close(the.pipe.in);
        the.has_pipe = false;
    }
    atomic_store_explicit(&the.pid, CO4__SYSTEM(getpid)(), memory_order_relaxed);
}

void co4__signals_fork(enum co4__fork how)
{
    if (how == CO4__FORK_PREPARE)
        co4__lock_take(&the.lock);
    if (how == CO4__FORK_CHILD)
        begin_child();
    if (how != CO4__FORK_PREPARE)
        co4__lock_give(&the.lock);
}
