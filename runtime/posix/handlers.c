/* handlers.c - handlers of signals in a program without marks.
 *
 * Purpose: a handler ends the wait of a call (interrupts.c). So the link turns the calls that
 * install handlers into those below, in all objects and archives: the system gets a handler of this
 * file, which calls the program's. Nothing else refers to this file.
 *
 * Invariants: the program sees its own handlers, also those that it gets back. The tables have the
 * handler of a signal before the system calls that.
 *
 * The handlers of a shared library that is not of this link end no waits. */
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/inside.h"
#include "core/caller.h"
#include "core/jump.h"
#include "platform/fork.h"
#include "platform/real.h"
#include "platform/sigmask.h"
#include "platform/thread.h"
#include "platform/tid.h"
#include "posix/interrupts.h"
#include "posix/kills.h"
#include "posix/masks.h"
#include "posix/processes.h"

typedef void handler(int signo);
typedef void info_handler(int signo, siginfo_t *info, void *context);

#define WRAPS(type, name, parameters)                                                              \
    type __wrap_##name parameters;                                                                 \
    type __real_##name parameters

WRAPS(int, sigaction, (int signo, const struct sigaction *action, struct sigaction *before));
WRAPS(handler *, signal, (int signo, handler *wanted));
/* With -std=c99 glibc gives signal() these names. Other C libraries have none of them. */
handler *__wrap___sysv_signal(int signo, handler *wanted);
handler *__wrap_sysv_signal(int signo, handler *wanted);
handler *__wrap_bsd_signal(int signo, handler *wanted);
handler *__wrap_ssignal(int signo, handler *wanted);
handler *__wrap_sigset(int signo, handler *wanted);
__attribute__((weak)) handler *__real___sysv_signal(int signo, handler *wanted);
__attribute__((weak)) handler *__real_bsd_signal(int signo, handler *wanted);
__attribute__((weak)) handler *__real_sigset(int signo, handler *wanted);

/* The handlers that the program has installed; `takes_info` says which of the two is called. */
static handler *_Atomic handlers[NSIG];
static info_handler *_Atomic info_handlers[NSIG];
static atomic_bool takes_info[NSIG];

/* ---- signals that come in a section where no handler may run: base/inside.h ---- */

static void run(int signo, siginfo_t *info, void *context);

/* While one waits, its signal is blocked for the interrupted code, as in the handler: so the system
 * has the next ones. */
static _Thread_local struct {
    volatile bool there[NSIG];
    siginfo_t *info; /* NSIG of them, while one waits: most threads never need them; or NULL */
} late;

/* NULL: out of memory, and the handler hears of the number alone. */
static siginfo_t *late_info(int signo)
{
    if (!late.info) {
        void *made = mmap(NULL, NSIG * sizeof *late.info, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        late.info = made == MAP_FAILED ? NULL : made;
    }
    return late.info ? &late.info[signo] : NULL;
}

static void drop_late_info(void)
{
    siginfo_t *all = late.info;
    late.info = NULL;
    if (all)
        munmap(all, NSIG * sizeof *all);
}

/* Those that the interrupted instruction raises, or abort(): the code does not go on. */
static bool is_of_instruction(int signo)
{
    return signo == SIGSEGV || signo == SIGBUS || signo == SIGFPE || signo == SIGILL ||
           signo == SIGTRAP || signo == SIGSYS || signo == SIGABRT;
}

/* The first one, or 0. */
static int first_late(void)
{
    int signo = 1;
    while (signo < NSIG && !late.there[signo])
        signo++;
    return signo < NSIG ? signo : 0;
}

/* Whether the handler has interrupted a task in a call of the library, which may have locks. As the
 * handler may wait, it waits for the end of the call, as a jump does. */
static bool is_in_library(void)
{
    return &co4__kills && co4__kills.postpones();
}

/* A handler may leave by a jump, so the next call of co4__inside_end() runs those that are left.
 * The call that they interrupt has its `errno` already. */
static void run_postponed(void)
{
    if (is_in_library())
        return;
    sigset_t before;
    ucontext_t unknown = { 0 };
    struct sigaction now = { .sa_flags = 0 };
    const int was = errno;
    int signo;
    while ((signo = first_late()) != 0) {
        if (__real_sigaction(signo, NULL, &now) != 0)
            sigemptyset(&now.sa_mask);
        co4__sigmask(SIG_BLOCK, &now.sa_mask, &before);
        siginfo_t info = late.info ? late.info[signo] : (siginfo_t){ .si_signo = 0 };
        info.si_signo = signo; /* it may have come before there was memory */
        late.there[signo] = false;
        co4__inside.postponed = first_late() != 0 ? run_postponed : NULL;
        sigdelset(&before, signo); /* postpone() has blocked it */
        if (now.sa_flags & SA_NODEFER)
            co4__sigmask(SIG_SETMASK, &before, NULL);
        run(signo, &info, &unknown);
        co4__sigmask(SIG_SETMASK, &before, NULL);
    }
    drop_late_info();
    errno = was;
}

static void run_at_end(void)
{
    co4__inside.jumps = NULL;
    if (co4__inside.postponed)
        run_postponed();
}

/* The handler of another signal may have interrupted this one before its first instruction, and
 * then has blocked its own for this one only: so each blocks all that wait. No more may come
 * between that and the return, which gives the interrupted code its mask: model/postponed.pml.
 *
 * A jump may have unblocked one that waits: then the next one goes back to the system. The thread
 * sanitizer calls handlers with another mask, and would call this one for ever. */
static void postpone(int signo, siginfo_t *info, ucontext_t *context)
{
    sigset_t all;
    const int was = errno;
    sigfillset(&all);
    co4__sigmask(SIG_BLOCK, &all, NULL);
    siginfo_t *place = late_info(signo);
    if (!late.there[signo] && place)
        *place = info ? *info : (siginfo_t){ .si_signo = signo };
    else if (late.there[signo] && info && context && !CO4_THREAD_SANITIZER)
        CO4__SYSTEM(syscall)(SYS_rt_tgsigqueueinfo, CO4__SYSTEM(getpid)(), co4__tid(), signo, info);
    late.there[signo] = true;
    for (int i = 1; i < NSIG && context; i++) {
        if (late.there[i])
            sigaddset(&context->uc_sigmask, i);
    }
    co4__inside.postponed = run_postponed;
    if (!co4__inside.jumps && is_in_library())
        co4__inside.jumps = run_at_end;
    errno = was;
}

/* The child has none of the parent's. */
static void handlers_at_fork(enum co4__fork how)
{
    if (how != CO4__FORK_CHILD)
        return;
    sigset_t set;
    sigemptyset(&set);
    for (int signo; (signo = first_late()) != 0; late.there[signo] = false)
        sigaddset(&set, signo);
    drop_late_info();
    co4__inside.postponed = NULL;
    co4__sigmask(SIG_UNBLOCK, &set, NULL);
}

static struct co4__fork_member member = { .handler = handlers_at_fork };

/* ---- jumps that wait for the end of a call: base/inside.h ---- */

static _Thread_local struct {
    void *buf;
    int value;
    bool asked; /* by the handler that leaves now */
} at_end;

static void jump_at_end(void *buf)
{
    at_end.buf = buf;
    at_end.asked = true;
}

/* The call has ended, or pauses, or is about to block: the jump is made as by a handler here. */
static void jump_now(void)
{
    struct co4__local *here = co4__local();
    jmp_buf buf;
    struct co4__handler this = { here->jump.handler, co4__interrupts_jumps_later,
                                 co4__interrupts_left, NULL, NULL };
    co4__inside.jumps = NULL;
    const int was = errno;
    int value = _setjmp(buf);
    if (value != 0) {         /* its task makes it later */
        CO4__RUNS_LOOK(here); /* that the handler has begun */
        here->jump.handler = this.outer;
        co4__jump_has_value(value);
        co4__interrupted(false);
        errno = was;
        return;
    }
    this.buf = buf;
    here->jump.handler = &this;
    siglongjmp(*(sigjmp_buf *)co4_abi_jump(NULL, at_end.buf, at_end.value), at_end.value);
}

/* ---- handlers ---- */

static void run(int signo, siginfo_t *info, void *context)
{
    struct co4__local *here = co4__local();
    if (CO4__UNLIKELY(co4__inside.depth != 0 || is_in_library()) && !is_of_instruction(signo)) {
        postpone(signo, info, context);
        return;
    }
    if (signo == SIGCHLD && co4__interrupts_holds_child(info))
        return;
    jmp_buf buf;
    struct co4__handler this = { here->jump.handler, co4__interrupts_jumps_later,
                                 co4__interrupts_left,
                                 is_of_instruction(signo) ? NULL : jump_at_end, NULL };
    struct sigaction now;
    const int was = errno;
    /* Asked before the handler, which may change it. */
    bool again = __real_sigaction(signo, NULL, &now) == 0 && (now.sa_flags & SA_RESTART);
    if (signo == SIGCHLD)
        co4__interrupts_look();
    errno = was;
    co4_task *current = here->current;
    if (!current && &co4__kills)
        here->current = co4__kills.running();
    int value = _setjmp(buf);
    if (value != 0) { /* the program's handler has jumped */
        here->current = current;
        CO4__RUNS_LOOK(here); /* that it has begun */
        here->jump.handler = this.outer;
        if (at_end.asked) {
            at_end.asked = false;
            at_end.value = value;
            co4__inside.jumps = jump_now;
        } else {
            co4__jump_has_value(value);
        }
        co4__interrupted(false);
        errno = was; /* the interrupted code goes on, which may be another task's */
        return;
    }
    this.buf = buf;
    here->jump.handler = &this;
    co4__posix_sender(info);
    if (atomic_load_explicit(&takes_info[signo], memory_order_relaxed))
        atomic_load_explicit(&info_handlers[signo], memory_order_relaxed)(signo, info, context);
    else
        atomic_load_explicit(&handlers[signo], memory_order_relaxed)(signo);
    here->jump.handler = this.outer;
    here->current = current;
    const int left = errno;
    co4__interrupted(again);
    errno = left;
}

/* The handler that sysv_signal() sets, and signal() until take_context(). */
static void call(int signo)
{
    run(signo, NULL, NULL);
}

static void call_with_info(int signo, siginfo_t *info, void *context)
{
    run(signo, info, context);
}

static bool is_function(int signo, handler *h)
{
    return signo > 0 && signo < NSIG && h != SIG_DFL && h != SIG_IGN && h != SIG_ERR &&
           h != SIG_HOLD;
}

/* Our handlers always take the information and the context, which postpone() needs. */
int __wrap_sigaction(int signo, const struct sigaction *action, struct sigaction *before)
{
    if (signo <= 0 || signo >= NSIG)
        return __real_sigaction(signo, action, before);
    struct sigaction ours;
    handler *was = atomic_load_explicit(&handlers[signo], memory_order_relaxed);
    info_handler *info_was = atomic_load_explicit(&info_handlers[signo], memory_order_relaxed);
    bool took_info = atomic_load_explicit(&takes_info[signo], memory_order_relaxed);
    if (action && is_function(signo, action->sa_handler)) {
        bool takes = action->sa_flags & SA_SIGINFO;
        ours = *action;
        if (takes)
            atomic_store(&info_handlers[signo], action->sa_sigaction);
        else
            atomic_store(&handlers[signo], action->sa_handler);
        atomic_store(&takes_info[signo], takes);
        ours.sa_sigaction = call_with_info;
        ours.sa_flags |= SA_SIGINFO;
        co4__fork_join(&member);
        atomic_store_explicit(&co4__handlers_are_known, true, memory_order_relaxed);
        atomic_store_explicit(&co4__handlers_are_set, true, memory_order_relaxed);
        action = &ours;
    }
    int n = __real_sigaction(signo, action, before);
    if (n != 0 && action == &ours) { /* no handler of this signal has ever been there */
        atomic_store(&handlers[signo], was);
        atomic_store(&info_handlers[signo], info_was);
        atomic_store(&takes_info[signo], took_info);
    }
    if (n != 0 || !before)
        return n;
    bool is_ours = before->sa_flags & SA_SIGINFO ? before->sa_sigaction == call_with_info
                                                 : before->sa_handler == call;
    if (is_ours && took_info)
        before->sa_sigaction = info_was;
    else if (is_ours)
        before->sa_handler = was;
    /* SA_RESETHAND leaves the flag. */
    if (!took_info && (is_ours || before->sa_handler == SIG_DFL))
        before->sa_flags &= ~SA_SIGINFO;
    return n;
}

/* The flags of signal() and its like are the system's, but postpone() has to have the context. One
 * that runs once needs none. */
static void take_context(int signo)
{
    struct sigaction now;
    if (__real_sigaction(signo, NULL, &now) != 0 || now.sa_handler != call ||
        (now.sa_flags & SA_RESETHAND))
        return;
    now.sa_sigaction = call_with_info;
    now.sa_flags |= SA_SIGINFO;
    __real_sigaction(signo, &now, NULL);
}

typedef handler *install(int signo, handler *wanted);

static handler *install_by(install *real, int signo, handler *wanted)
{
    if (signo <= 0 || signo >= NSIG)
        return real(signo, wanted);
    handler *was = atomic_load_explicit(&handlers[signo], memory_order_relaxed);
    info_handler *info_was = atomic_load_explicit(&info_handlers[signo], memory_order_relaxed);
    bool took_info = atomic_load_explicit(&takes_info[signo], memory_order_relaxed);
    bool is_ours = is_function(signo, wanted);
    if (is_ours) {
        atomic_store(&handlers[signo], wanted);
        atomic_store(&takes_info[signo], false);
        co4__fork_join(&member);
        atomic_store_explicit(&co4__handlers_are_known, true, memory_order_relaxed);
        atomic_store_explicit(&co4__handlers_are_set, true, memory_order_relaxed);
    }
    handler *before = real(signo, is_ours ? call : wanted);
    if (before == SIG_ERR && is_ours) {
        atomic_store(&handlers[signo], was);
        atomic_store(&takes_info[signo], took_info);
    }
    if (before != SIG_ERR && is_ours)
        take_context(signo);
    if (before == (handler *)(void (*)(void))call_with_info && took_info)
        return (handler *)(void (*)(void))info_was;
    return before == call || before == (handler *)(void (*)(void))call_with_info ? was : before;
}

handler *__wrap_signal(int signo, handler *wanted)
{
    return install_by(__real_signal, signo, wanted);
}

handler *__wrap___sysv_signal(int signo, handler *wanted)
{
    return install_by(__real___sysv_signal, signo, wanted);
}

handler *__wrap_sysv_signal(int signo, handler *wanted)
{
    return install_by(__real___sysv_signal, signo, wanted);
}

handler *__wrap_bsd_signal(int signo, handler *wanted)
{
    return install_by(__real_bsd_signal ? __real_bsd_signal : __real_signal, signo, wanted);
}

handler *__wrap_ssignal(int signo, handler *wanted)
{
    return install_by(__real_signal, signo, wanted);
}

handler *__wrap_sigset(int signo, handler *wanted)
{
    if (&co4__masks_change) /* it blocks or unblocks the signal */
        co4__masks_change();
    return install_by(__real_sigset, signo, wanted);
}
