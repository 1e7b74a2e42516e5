/* sigmask.h - which signals a thread has blocked, for the library itself. */
#ifndef CO4_SIGMASK_H
#define CO4_SIGMASK_H

#if (defined(__unix__) || defined(__APPLE__)) && !defined(__wasm__)

#include <signal.h>

#ifdef __linux__
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

/* What pthread_sigmask() does. With --auto a link turns that into one of posix/masks.c, which
 * a program has if it calls it, and not because the library does. */
static inline int co4__sigmask(int how, const sigset_t *set, sigset_t *before)
{
#if defined(__linux__) && defined(SYS_rt_sigprocmask)
    enum { KERNELS = 8 }; /* bytes; the set of the C library may have more */
    if (before)
        sigemptyset(before);
    return syscall(SYS_rt_sigprocmask, how, set, before, KERNELS) == 0 ? 0 : errno;
#else
    return pthread_sigmask(how, set, before);
#endif
}

#endif
#endif
