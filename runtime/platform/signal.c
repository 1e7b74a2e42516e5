/* signal.c - the signals that the library uses. */
#if defined(__unix__) || defined(__APPLE__)
#define _POSIX_C_SOURCE 200809L
#define HAS_FDS         1
#else
#define HAS_FDS 0
#endif
#include "platform/fd.h"

#include <stdatomic.h>
#include <stddef.h>

#include "base/public.h"
#include "platform/system.h"

#if HAS_FDS

#include <signal.h>

#ifdef NSIG
#define LAST_SIGNAL NSIG
#else
#define LAST_SIGNAL 65
#endif

static struct sigaction before;
static atomic_bool claimed[LAST_SIGNAL];

bool co4__signal_claim(int signo)
{
    return !atomic_exchange(&claimed[signo], true);
}

void co4__signal_unclaim(int signo)
{
    atomic_store(&claimed[signo], false);
}

int co4__signal_take(int signo, void (*handler)(int))
{
    struct sigaction a = { .sa_handler = handler, .sa_flags = SA_RESTART };
    sigemptyset(&a.sa_mask);
    if (signo <= 0 || signo >= LAST_SIGNAL)
        return CO4_EINVAL;
    if (!co4__signal_claim(signo))
        return CO4_EBUSY;
    if (sigaction(signo, &a, &before) != 0) {
        co4__signal_unclaim(signo);
        return CO4_EINVAL;
    }
    atomic_store_explicit(&co4__dump_signal, signo, memory_order_relaxed);
    return CO4_OK;
}

void co4__signal_give(int signo)
{
    sigaction(signo, &before, NULL);
    co4__signal_unclaim(signo);
    atomic_store_explicit(&co4__dump_signal, 0, memory_order_relaxed);
}

#else

bool co4__signal_claim(int signo)
{
    (void)signo;
    return false;
}

void co4__signal_unclaim(int signo)
{
    (void)signo;
}

int co4__signal_take(int signo, void (*handler)(int))
{
    (void)signo, (void)handler;
    return CO4_ESTATE;
}

void co4__signal_give(int signo)
{
    (void)signo;
}

#endif
