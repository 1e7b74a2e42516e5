/* kills.c - signals to threads that are tasks, with --auto=threads: pthread_kill() and
 * pthread_sigqueue().
 *
 * Purpose: a signal to a task runs its handler in a step of that task, and ends a call in which it
 * waits, as POSIX has it. The system delivers it, to the thread that the task is at: so flags of
 * sigaction(), masks of handlers and default actions are the system's. While the task runs, the
 * sender sends the signal to that thread. Otherwise it is pending for the task, and what comes
 * before its next step raises it. In a wait that the task has opened, the sender makes the claim
 * that a cancellation makes, too. Then the call fails with EINTR if a handler has returned.
 *
 * Invariants: `guard` of a thread decides whether its task runs. A signal that a sender has sent to
 * the thread of the system arrives before the task leaves this: the task makes a system call after
 * it has taken the guard, and the system delivers then. It is not blocked, as `mask` says what the
 * task has blocked: a task that blocks more says so first, and makes such a call. A task that goes
 * to wait looks at what is pending after it is queued, under the guard. So it sees the signal, or
 * the sender sees the queued task. Model: tests/model/kills.pml.
 *
 * Concurrency: a sender may be a handler, which has interrupted any code. So the guard is only
 * taken where no handler runs (base/inside.h), and a handler leaves the end of the wait to a thread
 * of the library. A handler may wait for further signals: where the task is in a call of the
 * library, which may have locks, it comes at the end of that (postpones()).
 *
 * In a simulation all tasks have one thread. So between two steps this file gives a signal of the
 * process to one of those that wait and do not block it. The program's first thread has a target,
 * too; its handlers run between two steps, and end its waits by interrupts.c. */
#define _GNU_SOURCE
#include "posix/kills.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/inside.h"
#include "base/simulation.h"
#include "core/cancel.h"
#include "core/jump.h"
#include "core/task.h"
#include "core/wait.h"
#include "platform/fd.h"
#include "platform/fork.h"
#include "platform/real.h"
#include "platform/sigmask.h"
#include "platform/thread.h"
#include "platform/tid.h"
#include "posix/decides.h"
#include "posix/interrupts.h"
#include "posix/masks.h"
#include "posix/pending.h"
#include "posix/self.h"
#include "posix/thread_part.h"
#include "posix/threads.h"
#include "posix/wraps.h"
#include "sched/nested_steps.h"

pthread_t __real_pthread_self(void);
CO4__WRAPS(pthread_kill, (pthread_t thread, int signo));
CO4__MAY_WRAP(pthread_sigqueue, (pthread_t thread, int signo, const union sigval value));

/* Behind the struct of its thread. */
struct target {
    co4__lock guard;
    _Atomic pid_t at;            /* while the task runs: the thread of the system; 0: it does not */
    bool sent;                   /* a signal to that, in this step */
    bool over;                   /* it has ended */
    bool open, ended;            /* its wait: a signal may end it; has ended it */
    uint64_t mask, wanted;       /* blocked signals; those that it takes itself */
    struct co4__pending pending; /* written under the guard, as all above */
    unsigned counts[2]; /* own: of interrupts.c; while it runs: what is to be added to it */
    unsigned begun[2];  /* while it runs: the counts of interrupts.c before */
    unsigned opened;    /* own: counts[1] before its wait */
    /* Set by a handler, whose signal is to end the wait. */
    atomic_bool is_due;
    struct target *next_due;
    struct target *next_open; /* simulation: of those whose wait is open */
};

static struct target *target_of(struct co4__posix_thread *s)
{
    return (struct target *)(void *)(s + 1);
}

static struct co4__posix_thread *thread_of(struct target *t)
{
    return (struct co4__posix_thread *)(void *)t - 1;
}

static atomic_uint additions;

/* Under the guard. */
static int add_to(struct target *t, const siginfo_t *info)
{
    atomic_fetch_add_explicit(&additions, 1, memory_order_relaxed);
    return co4__pending_add(&t->pending, info);
}

static unsigned count_additions(void)
{
    return atomic_load_explicit(&additions, memory_order_relaxed);
}

/* ---- the system ---- */

static _Thread_local struct {
    pid_t id;
    uint64_t mask;                    /* of a worker, where tasks have none of their own */
    co4_task *task;                   /* that runs; or NULL */
    const struct co4__worker *worker; /* its worker */
    const struct target *target;      /* the same */
    bool leaves;                      /* it holds no lock, and goes to wait or yields */
} system_s;

static void know_thread(void)
{
    sigset_t mask;
    if (system_s.id != 0)
        return;
    co4__sigmask(SIG_BLOCK, NULL, &mask);
    system_s.mask = co4__signal_word(&mask);
    system_s.id = co4__tid();
}

/* The system sends SI_TKILL itself, to another thread. */
static int send_to(pid_t thread, siginfo_t *info)
{
    if (info->si_code == SI_TKILL && thread != system_s.id)
        return CO4__SYSTEM(syscall)(SYS_tgkill, CO4__SYSTEM(getpid)(), thread, info->si_signo) == 0
                   ? 0
                   : errno;
    return CO4__SYSTEM(syscall)(SYS_rt_tgsigqueueinfo, CO4__SYSTEM(getpid)(), thread,
                                info->si_signo, info) == 0
               ? 0
               : errno;
}

/* The system delivers what has been sent to this thread; so does the thread sanitizer, which sees
 * this call. */
static void let_arrive(void)
{
    int was = errno;
    poll(NULL, 0, 0);
    errno = was;
}

/* ---- the calling task ---- */

static co4_task *running(void)
{
    return system_s.task;
}

static bool postpones(void)
{
    const struct co4__local *local = co4__local();
    const char *at = __builtin_frame_address(0);
    if (!system_s.task || system_s.leaves)
        return false;
    if (system_s.target->open) /* in the call that waits */
        return true;
    if (!local->current)
        return local->worker == system_s.worker;
    return co4__inside.call && (co4__call_has(at) || !co4__on_this_stack(at));
}

/* Of co4__posix_first. Its wait is never open. */
static struct target of_first;

static struct target *target_of_task(co4_task *task)
{
    struct co4__posix_thread *s = task ? co4__thread_of(task) : NULL;
    return s ? target_of(s) : task && task == co4__posix_first ? &of_first : NULL;
}

/* NULL: it is no such thread. */
static struct target *here(void)
{
    return target_of_task(co4__posix_self());
}

/* The same; but not in a run that plain code of the task has begun. */
static struct target *own(void)
{
    co4_task *task = co4__local()->current;
    struct co4__posix_thread *s = task ? co4__thread_of(task) : NULL;
    return s ? target_of(s) : NULL;
}

static unsigned count_of(const struct target *t, bool always)
{
    return t->counts[always] + co4__interrupts_count(always);
}

/* Raises these at the calling thread: at once, so that the system decides in which order handlers
 * run. */
static void raise_all(uint64_t set, const struct co4__signals *list)
{
    sigset_t all, before;
    sigfillset(&all);
    co4__sigmask(SIG_SETMASK, &all, &before);
    for (const struct co4__signal *p = list->first; p; p = p->next) {
        siginfo_t info = p->info;
        send_to(system_s.id, &info);
        set &= ~co4__signal_bit(info.si_signo);
    }
    for (int signo = 1; set != 0; set &= ~co4__signal_bit(signo++))
        if (set & co4__signal_bit(signo)) {
            siginfo_t info = co4__signal_info(signo, SI_TKILL, NULL);
            send_to(system_s.id, &info);
        }
    co4__signals_free(list);
    co4__sigmask(SIG_SETMASK, &before, NULL);
    if (CO4_THREAD_SANITIZER)
        let_arrive();
}

/* Raises what is pending and in the set. */
static void raise_pending(struct target *t, uint64_t set)
{
    struct co4__signals list;
    if (!(co4__pending_set(&t->pending) & set))
        return;
    int was = errno;
    co4__pending_lock(&t->guard);
    uint64_t taken = co4__pending_take(&t->pending, set, false, &list);
    co4__pending_unlock(&t->guard);
    if (taken)
        raise_all(taken, &list);
    errno = was;
}

/* ---- steps ---- */

/* Takes the guard, when what has been sent to the thread has arrived: a handler may wait for
 * further signals, and needs them there. After some rounds more may be on the way. */
static void take_quiet(struct target *t)
{
    enum { ROUNDS = 8 };
    co4__pending_lock(&t->guard);
    for (int i = 0; t->sent && i < ROUNDS; i++) {
        t->sent = false;
        co4__pending_unlock(&t->guard);
        let_arrive();
        co4__pending_lock(&t->guard);
    }
}

/* Gives the guard. What is still on the way arrives before the return. */
static void give_quiet(struct target *t)
{
    bool sent = t->sent;
    t->sent = false;
    co4__pending_unlock(&t->guard);
    if (sent)
        let_arrive();
}

/* The task leaves its thread. Handlers still find it. */
static void leave(struct target *t, co4_task *task)
{
    struct co4__local *local = co4__local();
    co4_task *current = local->current;
    local->current = task;
    system_s.leaves = true;
    take_quiet(t);
    t->at = 0;
    give_quiet(t);
    system_s.leaves = false;
    local->current = current;
    system_s.task = NULL;
}

/* Under the guard. */
static bool is_to_end(const struct target *t)
{
    return t->open && (co4__pending_set(&t->pending) & (~t->mask | t->wanted)) != 0;
}

/* Under the guard: ends the wait of a task that may wait. */
static bool claim(struct target *t, uint8_t *was)
{
    co4__claims_begin();
    bool ours = co4__claim(&thread_of(t)->task->waiter, was);
    co4__claims_end();
    t->ended = t->ended || ours;
    return ours;
}

static void wake(struct target *t, uint8_t was)
{
    co4_task *task = thread_of(t)->task;
    co4__cancel_claimed(task, was);
    co4__wait_hooks.wake(&task->waiter);
}

static void enter(co4_task *task, const struct target *t)
{
    system_s.task = task;
    system_s.worker = co4__local()->worker;
    system_s.target = t;
}

/* A step within the step of another task, whose plain call waits: what is sent to that one waits,
 * too. */
static void leave_outer(const struct co4__thread_state *outer)
{
    struct co4__posix_thread *s = outer ? co4__thread_of(outer->task) : NULL;
    if (!s)
        return;
    take_quiet(target_of(s));
    target_of(s)->at = 0;
    give_quiet(target_of(s));
}

static void return_to_outer(const struct co4__thread_state *outer)
{
    struct co4__posix_thread *s = outer ? co4__thread_of(outer->task) : NULL;
    if (!s)
        return;
    struct target *t = target_of(s);
    enter(outer->task, t);
    co4__pending_lock(&t->guard);
    t->at = t->over ? 0 : system_s.id;
    co4__pending_unlock(&t->guard);
}

static void kills_come(struct co4__thread_state *state)
{
    struct co4__posix_thread *s = co4__thread_of(state->task);
    if (!s)
        return;
    struct target *t = target_of(s);
    know_thread();
    leave_outer(state->outer);
    for (int i = 0; i < 2; i++) {
        t->begun[i] = co4__interrupts_count(i);
        t->counts[i] -= t->begun[i];
    }
    enter(state->task, t);
    co4__pending_lock(&t->guard);
    t->mask = &co4__part_masks ? state->mask.own : system_s.mask;
    t->at = t->over ? 0 : system_s.id;
    co4__pending_unlock(&t->guard);
    raise_pending(t, ~t->mask);
}

static void kills_go(struct co4__thread_state *state)
{
    struct co4__posix_thread *s = co4__thread_of(state->task);
    if (!s)
        return;
    struct target *t = target_of(s);
    leave(t, state->task);
    for (int i = 0; i < 2; i++)
        t->counts[i] += co4__interrupts_count(i);
    if (co4__posix_decides) /* the waits of others on this thread go on */
        co4__interrupts_count_is(t->begun);
    return_to_outer(state->outer);
    if (!state->waits)
        return;
    uint8_t was;
    co4__pending_lock(&t->guard);
    bool ours = (is_to_end(t) || (t->open && t->counts[1] != t->opened)) && claim(t, &was);
    co4__pending_unlock(&t->guard);
    if (ours)
        wake(t, was);
}

/* ---- waits ---- */

/* In a simulation: the last one that has begun comes first. */
static struct target *open_ones;

static void remove_open(const struct target *t)
{
    for (struct target **at = &open_ones; *at; at = &(*at)->next_open)
        if (*at == t) {
            *at = t->next_open;
            return;
        }
}

static void put_open(struct target *t)
{
    t->next_open = open_ones;
    open_ones = t;
}

static void open_wait(void)
{
    struct target *t = own();
    if (!t)
        return;
    if (co4__posix_decides)
        put_open(t);
    co4__pending_lock(&t->guard);
    t->open = true;
    t->ended = false;
    co4__pending_unlock(&t->guard);
    t->opened = count_of(t, true);
}

static bool close_wait(void)
{
    struct target *t = own();
    if (!t)
        return false;
    remove_open(t);
    co4__pending_lock(&t->guard);
    t->open = false;
    bool ended = t->ended;
    co4__pending_unlock(&t->guard);
    return ended;
}

static void want(const sigset_t *set)
{
    struct target *t = here();
    if (!t)
        return;
    co4__pending_lock(&t->guard);
    t->wanted = set ? co4__signal_word(set) : 0;
    co4__pending_unlock(&t->guard);
}

static int take_wanted(const sigset_t *set, siginfo_t *info)
{
    struct target *t = here();
    struct co4__signals list;
    if (!t || !(co4__pending_set(&t->pending) & co4__signal_word(set)))
        return 0;
    co4__pending_lock(&t->guard);
    uint64_t taken = co4__pending_take(&t->pending, co4__signal_word(set), true, &list);
    co4__pending_unlock(&t->guard);
    int signo = taken ? __builtin_ctzll(taken) + 1 : 0;
    if (signo && info)
        *info = list.first ? list.first->info : co4__signal_info(signo, SI_TKILL, NULL);
    if (signo && info && info->si_code == SI_TKILL)
        info->si_code = SI_USER; /* as glibc's sigtimedwait() does */
    co4__signals_free(&list);
    return signo;
}

static bool has_wanted(void)
{
    struct target *t = here();
    return t && (co4__pending_set(&t->pending) & t->wanted);
}

static int mark(bool always)
{
    const struct target *t = own();
    return t ? (int)(count_of(t, always) % (1u << 30) * 2 + always) : -1;
}

/* ---- masks ---- */

/* Handlers have masks of their own, until they return. */
static struct target *here_outside_handlers(void)
{
    return co4__local()->jump.handler ? NULL : here();
}

static void set_mask(struct target *t, uint64_t mask)
{
    take_quiet(t);
    t->mask = mask;
    give_quiet(t);
}

static int change_mask(int (*real)(int how, const sigset_t *set, sigset_t *before), int how,
                       const sigset_t *set, sigset_t *before)
{
    struct target *t = set ? here_outside_handlers() : NULL;
    if (!t)
        return real(how, set, before);
    uint64_t old = t->mask, new = co4__signal_word(set);
    if (how != SIG_SETMASK)
        new = how == SIG_BLOCK ? old | new : old & ~new;
    set_mask(t, old | new); /* before the system has it */
    int err = real(how, set, before);
    set_mask(t, err == 0 ? new : old);
    raise_pending(t, ~t->mask);
    return err;
}

static bool hand_over(const sigset_t *mask)
{
    struct target *t = here_outside_handlers();
    if (!t)
        return false;
    set_mask(t, co4__signal_word(mask));
    raise_pending(t, ~co4__signal_word(mask)); /* the system has them, until the call */
    return true;
}

/* Signals to the process, which may have come to this thread meanwhile, are its again. */
static void take_back(const sigset_t *mask)
{
    static const struct timespec at_once = { 0, 0 };
    struct target *t = here();
    sigset_t own, others;
    siginfo_t info;
    int was = errno;
    if (!t)
        return;
    co4__sigmask(SIG_BLOCK, NULL, &own);
    set_mask(t, co4__signal_word(&own));
    sigset_t left = co4__signal_set(co4__signal_word(&own) & ~co4__signal_word(mask));
    sigemptyset(&others);
    while (CO4__SYSTEM(syscall)(SYS_rt_sigtimedwait, &left, &info, &at_once, sizeof(uint64_t)) >
           0) {
        co4__pending_lock(&t->guard);
        if (info.si_code == SI_TKILL || info.si_code == SI_QUEUE)
            add_to(t, &info);
        else
            sigaddset(&others, info.si_signo);
        co4__pending_unlock(&t->guard);
    }
    for (int signo = 1; signo < NSIG; signo++)
        if (sigismember(&others, signo) > 0)
            kill(getpid(), signo);
    errno = was;
}

static void add_pending(sigset_t *set)
{
    const struct target *t = here();
    if (t)
        *set = co4__signal_set(co4__signal_word(set) | co4__pending_set(&t->pending));
}

/* ---- ends of waits that a handler asks for ---- */

static struct {
    struct target *_Atomic first;
    atomic_int descriptor; /* + 1; 0: none */
    atomic_uint begun;     /* + 1: the generation of the process that has begun the thread */
} due;

/* False: it is gone, or about to be. */
static bool retain(struct co4__posix_thread *s)
{
    unsigned refs = atomic_load(&s->refs);
    while (refs != 0)
        if (atomic_compare_exchange_weak(&s->refs, &refs, refs + 1))
            return true;
    return false;
}

static void end_later(struct target *t)
{
    static const uint64_t one = 1;
    int was = errno;
    if (atomic_exchange(&t->is_due, true)) /* it is in the list, or comes there */
        return;
    if (!retain(thread_of(t))) {
        atomic_store(&t->is_due, false);
        return;
    }
    t->next_due = atomic_load(&due.first);
    while (!atomic_compare_exchange_weak(&due.first, &t->next_due, t))
        ;
    if (!co4__posix_decides && write(atomic_load(&due.descriptor) - 1, &one, sizeof one) < 0)
        errno = was;
}

static void end_wait(struct target *t)
{
    uint8_t was;
    co4__pending_lock(&t->guard);
    bool ours = t->at == 0 && is_to_end(t) && claim(t, &was);
    co4__pending_unlock(&t->guard);
    if (ours)
        wake(t, was);
}

static void end_due(void)
{
    for (struct target *t = atomic_exchange(&due.first, NULL), *next; t; t = next) {
        next = t->next_due;
        atomic_store(&t->is_due, false);
        end_wait(t);
        co4__thread_drop(thread_of(t));
    }
}

static void end_waits(void *unused)
{
    uint64_t tokens;
    (void)unused;
    while (read(atomic_load(&due.descriptor) - 1, &tokens, sizeof tokens) > 0 || errno == EINTR)
        end_due();
}

static struct co4__fork_member member;

/* With the first thread of a process. Without memory for it, the next one tries again. */
static void begin_thread(void)
{
    unsigned none = 0, now = co4__generation + 1, before = atomic_load(&due.begun);
    if (before == now || !atomic_compare_exchange_strong(&due.begun, &before, now))
        return;
    co4__fork_join(&member);
    atomic_store_explicit(&co4__handlers_are_known, true, memory_order_relaxed);
    co4__kills_begin();
    if (co4__posix_decides) /* between() does it */
        return;
    int fd = atomic_load(&due.descriptor) - 1;
    if (fd < 0)
        fd = co4__own_fd_open(CO4__SYSTEM(eventfd)(0, EFD_CLOEXEC));
    if (fd >= 0)
        atomic_store(&due.descriptor, fd + 1);
    if (fd < 0 || co4__thread_start_detached(end_waits, NULL) != 0)
        atomic_compare_exchange_strong(&due.begun, &now, none);
}

static void begins(struct co4__posix_thread *s)
{
    begin_thread();
    memset(target_of(s), 0, sizeof(struct target));
}

static void ends(struct co4__posix_thread *s)
{
    struct target *t = target_of(s);
    remove_open(t);
    struct co4__signals list;
    co4__pending_lock(&t->guard);
    t->over = true;
    co4__pending_unlock(&t->guard);
    leave(t, s->task);
    co4__pending_lock(&t->guard);
    co4__pending_take(&t->pending, UINT64_MAX, false, &list);
    co4__pending_unlock(&t->guard);
    co4__signals_free(&list);
}

/* ---- between two steps of a simulation ---- */

static uint64_t pending_for_process(void)
{
    uint64_t set = 0;
    CO4__SYSTEM(syscall)(SYS_rt_sigpending, &set, sizeof set);
    return set;
}

/* One of those that wait and do not block it, or take it themselves. NULL: there is none. */
static struct target *choose_open(uint64_t bit)
{
    struct co4__simulation *s = co4__local()->simulate.state;
    struct target *t;
    unsigned count = 0, k;
    for (t = open_ones; t; t = t->next_open)
        count += !t->ended && ((~t->mask | t->wanted) & bit) != 0;
    if (count == 0)
        return NULL;
    k = count > 1 && s ? s->ops->choice(s) % count : 0;
    for (t = open_ones; t; t = t->next_open)
        if (!t->ended && ((~t->mask | t->wanted) & bit) != 0 && k-- == 0)
            break;
    return t;
}

/* A task that takes the signal itself looks again when its wait has ended. */
static void give_to_open(uint64_t bit)
{
    static const struct timespec at_once = { 0, 0 };
    struct target *t = choose_open(bit);
    siginfo_t info;
    uint8_t was;
    if (!t)
        return;
    if (!(t->wanted & bit)) {
        if (CO4__SYSTEM(syscall)(SYS_rt_sigtimedwait, &bit, &info, &at_once, sizeof bit) <= 0)
            return;
        add_to(t, &info);
    }
    if (claim(t, &was))
        wake(t, was);
}

static bool between(void)
{
    static unsigned known;
    const co4_task *task = co4__innermost_step().task;
    struct target *t = task ? here() : co4__posix_first ? &of_first : NULL;
    const int was = errno;
    if (t)
        raise_pending(t, ~t->mask);
    if (atomic_load_explicit(&due.first, memory_order_relaxed))
        end_due();
    if (open_ones && (!&co4__masks_block || co4__masks_block())) /* else none is pending */
        for (uint64_t left = pending_for_process(); left != 0; left &= left - 1)
            give_to_open(left & (~left + 1));
    errno = was;
    bool handled = co4__interrupts_count(true) != known;
    known = co4__interrupts_count(true);
    return handled;
}

/* Its mask is that of the system between two steps. */
static void first_in_run(co4_task *task, enum co4__as_thread what)
{
    if (!co4__posix_decides || what != CO4__COMES || co4__posix_first)
        return;
    sigset_t mask;
    know_thread();
    co4__sigmask(SIG_BLOCK, NULL, &mask);
    of_first.mask = co4__signal_word(&mask);
    co4__posix_first = task;
}

/* ---- forks ---- */

/* The child has an eventfd of its own, under the same number, and no thread that reads it. What is
 * pending for the calling task stays the parent's. */
static void kills_at_fork(enum co4__fork how)
{
    static struct target *t; /* that forks */
    if (how == CO4__FORK_PREPARE) {
        co4__pending_fork_begin();
        t = here();
        if (t)
            co4__pending_lock(&t->guard);
        return;
    }
    int fd = atomic_load(&due.descriptor) - 1;
    if (how == CO4__FORK_CHILD && fd >= 0) {
        int fresh = CO4__SYSTEM(eventfd)(0, EFD_CLOEXEC);
        CO4__SYSTEM(syscall)(SYS_dup3, fresh, fd, O_CLOEXEC); /* dup3() is that of close.c */
        CO4__SYSTEM(syscall)(SYS_close, fresh);
        atomic_store(&due.first, NULL);
    }
    if (how == CO4__FORK_CHILD) {
        system_s.id = co4__tid();
        if (t) {
            t->at = system_s.id;
            co4__pending_forget(&t->pending);
        }
    }
    if (t)
        co4__pending_unlock(&t->guard);
    co4__pending_fork_end();
}

static struct co4__fork_member member = { .handler = kills_at_fork };

/* ---- senders ---- */

static bool is_signal(int signo)
{
    return signo > 0 && signo < NSIG && (signo < 32 || signo >= SIGRTMIN);
}

/* Under the guard. *ends: the caller wakes the task, of which this has ended the wait; in a
 * handler, without `was`, another thread has to end it. */
static int send_under_guard(struct target *t, siginfo_t *info, uint8_t *was, bool *ends)
{
    if (t->over)
        return 0;
    if (t->at != 0 && !(t->mask & co4__signal_bit(info->si_signo))) {
        t->sent = true;
        return send_to(t->at, info);
    }
    int err = add_to(t, info);
    if (err == 0 && t->at == 0 && is_to_end(t))
        *ends = !was || claim(t, was);
    return err;
}

static int send_to_task(struct co4__posix_thread *s, siginfo_t *info)
{
    struct target *t = target_of(s);
    bool ends = false;
    uint8_t was;
    if (!is_signal(info->si_signo))
        return EINVAL;
    if (co4__thread_is_gone(s))
        return ESRCH;
    if (info->si_signo == SIGKILL || info->si_signo == SIGSTOP)
        return kill(getpid(), info->si_signo) == 0 ? 0 : errno;
    /* By the task itself: without the guard, as the handler runs. */
    if (system_s.id != 0 && t->at == system_s.id && !(t->mask & co4__signal_bit(info->si_signo)))
        return send_to(system_s.id, info);
    bool in_handler = co4__local()->jump.handler != NULL; /* there it is not dropped */
    if (!in_handler && !retain(s))
        return ESRCH;
    co4__pending_lock(&t->guard);
    int err = send_under_guard(t, info, in_handler ? NULL : &was, &ends);
    co4__pending_unlock(&t->guard);
    if (ends && !in_handler)
        wake(t, was);
    else if (ends)
        end_later(t);
    if (!in_handler)
        co4__thread_drop(s);
    return err;
}

void co4__first_takes_none(void)
{
    sigset_t all;
    sigfillset(&all);
    co4__sigmask(SIG_SETMASK, &all, NULL);
    of_first.mask = UINT64_MAX;
}

static int send_to_first(siginfo_t *info)
{
    struct target *t = &of_first;
    int signo = info->si_signo;
    if (!is_signal(signo))
        return EINVAL;
    if (signo == SIGKILL || signo == SIGSTOP)
        return kill(getpid(), signo) == 0 ? 0 : errno;
    if (here() == t && !(t->mask & co4__signal_bit(signo)))
        return send_to(system_s.id, info);
    co4__pending_lock(&t->guard);
    int err = add_to(t, info);
    co4__pending_unlock(&t->guard);
    return err;
}

static bool is_first(pthread_t thread)
{
    return co4__posix_first && thread == co4__pthread_of_task(co4__posix_first);
}

/* Puts the thread of the system in the place of a task that is no such thread. */
static int find(pthread_t *thread)
{
    enum { ITSELF = -1 };
    int err = co4__posix_of_task(*thread, ITSELF);
    if (err == ITSELF)
        *thread = __real_pthread_self();
    return err == ITSELF ? 0 : err;
}

int __wrap_pthread_kill(pthread_t thread, int signo)
{
    struct co4__posix_thread *made = co4__posix_thread_of(thread);
    if (made && signo == 0) /* also of one that has ended, and is not joined yet */
        return co4__thread_is_gone(made) ? ESRCH : 0;
    if (made) {
        siginfo_t info = co4__signal_info(signo, SI_TKILL, NULL);
        return send_to_task(made, &info);
    }
    if (signo != 0 && is_first(thread)) {
        siginfo_t info = co4__signal_info(signo, SI_TKILL, NULL);
        return send_to_first(&info);
    }
    int err = is_first(thread) ? 0 : find(&thread);
    return err != 0 || is_first(thread) ? err : __real_pthread_kill(thread, signo);
}

int __wrap_pthread_sigqueue(pthread_t thread, int signo, const union sigval value)
{
    struct co4__posix_thread *made = co4__posix_thread_of(thread);
    if (made && signo == 0)
        return co4__thread_is_gone(made) ? ESRCH : 0;
    if (made) {
        siginfo_t info = co4__signal_info(signo, SI_QUEUE, &value);
        return send_to_task(made, &info);
    }
    if (signo != 0 && is_first(thread)) {
        siginfo_t info = co4__signal_info(signo, SI_QUEUE, &value);
        return send_to_first(&info);
    }
    int err = is_first(thread) ? 0 : find(&thread);
    return err != 0 || is_first(thread) ? err : __real_pthread_sigqueue(thread, signo, value);
}

const struct co4__kills co4__kills = {
    sizeof(struct target), begins,     ends,    open_wait,   close_wait,     want,
    take_wanted,           has_wanted, mark,    change_mask, hand_over,      take_back,
    add_pending,           postpones,  running, between,     count_additions
};

const struct co4__thread_part co4__part_kills = {
    co4__as_thread, NULL, kills_come, kills_go, NULL, first_in_run,
};
