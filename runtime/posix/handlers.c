/* handlers.c - handlers of signals in a program without marks.
 *
 * Purpose: a handler ends the wait of a call (interrupts.c). So the link turns the calls that
 * install handlers into those below, in all objects and archives: the system gets a handler of this
 * file, which calls the program's. Nothing else refers to this file.
 *
 * Invariants: the program sees its own handlers, also those that it gets back. The tables have the
 * handler of a signal before the system calls that, and there is one for each kind: a signal that
 * comes while the kind changes finds the handler that it is for.
 *
 * The handlers of a shared library that is not of this link end no waits. */
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <ucontext.h>

#include "base/compiler.h"
#include "base/inside.h"
#include "core/jump.h"
#include "platform/thread.h"
#include "posix/interrupts.h"

typedef void handler(int signo);
typedef void info_handler(int signo, siginfo_t *info, void *context);

#define WRAPS(type, name, parameters)                                                              \
    type __wrap_##name parameters;                                                                 \
    type __real_##name parameters

WRAPS(int, sigaction, (int signo, const struct sigaction *action, struct sigaction *before));
WRAPS(handler *, signal, (int signo, handler *wanted));
/* What signal() is with -std=c99. Other C libraries than glibc have none. */
handler *__wrap___sysv_signal(int signo, handler *wanted);
handler *__wrap_sysv_signal(int signo, handler *wanted);
handler *__wrap_bsd_signal(int signo, handler *wanted);
handler *__wrap_ssignal(int signo, handler *wanted);
handler *__wrap_sigset(int signo, handler *wanted);
__attribute__((weak)) handler *__real___sysv_signal(int signo, handler *wanted);
__attribute__((weak)) handler *__real_bsd_signal(int signo, handler *wanted);
__attribute__((weak)) handler *__real_sigset(int signo, handler *wanted);

static handler *_Atomic handlers[NSIG];
static info_handler *_Atomic info_handlers[NSIG];

/* Asked before the handler, which may change it. */
static bool restarts(int signo)
{
    struct sigaction now;
    return __real_sigaction(signo, NULL, &now) == 0 && (now.sa_flags & SA_RESTART);
}

/* ---- signals that come while their handler may not jump: base/inside.h ---- */

static void run(int signo, siginfo_t *info, void *context, bool has_info);

/* Of a signal that comes again meanwhile, once is enough, as if it had been blocked. */
static _Thread_local struct {
    volatile bool there[NSIG], has_info[NSIG];
    siginfo_t info; /* of the last */
} late;

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

/* A handler may leave by a jump, so the next call of co4__inside_end() runs those that are left.
 * The call that they interrupt has its `errno` already. */
static void run_postponed(void)
{
    sigset_t before;
    ucontext_t unknown = { 0 };
    struct sigaction now = { .sa_flags = 0 };
    const int was = errno;
    int signo;
    while ((signo = first_late()) != 0) {
        if (__real_sigaction(signo, NULL, &now) != 0)
            sigemptyset(&now.sa_mask);
        sigaddset(&now.sa_mask, signo);
        pthread_sigmask(SIG_BLOCK, &now.sa_mask, &before);
        late.there[signo] = false;
        co4__inside.postponed = first_late() != 0 ? run_postponed : NULL;
        siginfo_t info = late.info.si_signo == signo ? late.info : (siginfo_t){ .si_signo = signo };
        run(signo, &info, &unknown, late.has_info[signo]);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    errno = was;
}

static void postpone(int signo, const siginfo_t *info, bool has_info)
{
    late.there[signo] = true;
    late.has_info[signo] = has_info;
    if (has_info)
        late.info = *info;
    co4__inside.postponed = run_postponed;
}

/* ---- handlers ---- */

static void run(int signo, siginfo_t *info, void *context, bool has_info)
{
    struct co4__local *here = co4__local();
    if (CO4__UNLIKELY(co4__inside.depth != 0) && !is_of_instruction(signo)) {
        postpone(signo, info, has_info);
        return;
    }
    jmp_buf buf;
    struct co4__handler this = { here->jump.handler, co4__interrupts_jumps_later,
                                 co4__interrupts_left, NULL };
    const int was = errno;
    bool again = restarts(signo);
    co4__interrupts_look();
    errno = was;
    int value = _setjmp(buf);
    if (value != 0) { /* the program's handler has jumped */
        here->jump.handler = this.outer;
        co4__jump_has_value(value);
        co4__interrupted(false);
        errno = was; /* the interrupted code goes on, which may be another task's */
        return;
    }
    this.buf = buf;
    here->jump.handler = &this;
    if (has_info)
        atomic_load_explicit(&info_handlers[signo], memory_order_relaxed)(signo, info, context);
    else
        atomic_load_explicit(&handlers[signo], memory_order_relaxed)(signo);
    here->jump.handler = this.outer;
    const int left = errno;
    co4__interrupted(again);
    errno = left;
}

static void call(int signo)
{
    run(signo, NULL, NULL, false);
}

static void call_with_info(int signo, siginfo_t *info, void *context)
{
    run(signo, info, context, true);
}

static bool is_function(int signo, handler *h)
{
    return signo > 0 && signo < NSIG && h != SIG_DFL && h != SIG_IGN && h != SIG_ERR &&
           h != SIG_HOLD;
}

int __wrap_sigaction(int signo, const struct sigaction *action, struct sigaction *before)
{
    if (signo <= 0 || signo >= NSIG)
        return __real_sigaction(signo, action, before);
    struct sigaction ours;
    handler *was = atomic_load_explicit(&handlers[signo], memory_order_relaxed);
    info_handler *info_was = atomic_load_explicit(&info_handlers[signo], memory_order_relaxed);
    if (action && is_function(signo, action->sa_handler)) {
        ours = *action;
        if (action->sa_flags & SA_SIGINFO) {
            atomic_store(&info_handlers[signo], action->sa_sigaction);
            ours.sa_sigaction = call_with_info;
        } else {
            atomic_store(&handlers[signo], action->sa_handler);
            ours.sa_handler = call;
        }
        atomic_store_explicit(&co4__handlers_are_known, true, memory_order_relaxed);
        action = &ours;
    }
    int n = __real_sigaction(signo, action, before);
    if (n != 0 && action == &ours) { /* no handler of this signal has ever been there */
        atomic_store(&handlers[signo], was);
        atomic_store(&info_handlers[signo], info_was);
    }
    if (n == 0 && before) {
        if (before->sa_flags & SA_SIGINFO && before->sa_sigaction == call_with_info)
            before->sa_sigaction = info_was;
        else if (before->sa_handler == call)
            before->sa_handler = was;
    }
    return n;
}

typedef handler *install(int signo, handler *wanted);

static handler *install_by(install *real, int signo, handler *wanted)
{
    if (signo <= 0 || signo >= NSIG)
        return real(signo, wanted);
    handler *was = atomic_load_explicit(&handlers[signo], memory_order_relaxed);
    info_handler *info_was = atomic_load_explicit(&info_handlers[signo], memory_order_relaxed);
    bool is_ours = is_function(signo, wanted);
    if (is_ours) {
        atomic_store(&handlers[signo], wanted);
        atomic_store_explicit(&co4__handlers_are_known, true, memory_order_relaxed);
    }
    handler *before = real(signo, is_ours ? call : wanted);
    if (before == SIG_ERR && is_ours)
        atomic_store(&handlers[signo], was);
    if (before == (handler *)(void (*)(void))call_with_info)
        return (handler *)(void (*)(void))info_was;
    return before == call ? was : before;
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
    return install_by(__real_sigset, signo, wanted);
}
