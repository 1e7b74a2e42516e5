/* processes.h - numbers of processes that are not the system's: a program of --auto=test. */
#ifndef CO4_POSIX_PROCESSES_H
#define CO4_POSIX_PROCESSES_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/compiler.h"

struct co4__posix_processes {
    pid_t (*real)(pid_t number);
    pid_t (*number)(pid_t real);
    /* A call of syscall(): returns whether it has been made, with its result, or `errno`. */
    bool (*call)(long number, const long arguments[6], long *result);
    /* The processors of a thread: two cpu_set_t, of which one is NULL. 0: the first thread of the
     * process; n: the one with the number n - 1. Returns 0 or an error number. */
    int (*affinity)(unsigned thread, size_t bytes, void *get, const void *set);
    /* A thread begins, with the processors of another. */
    void (*inherits)(unsigned thread, unsigned from);
    int (*suspend)(const sigset_t *mask);                        /* as sigsuspend() */
    int (*mask)(int how, const sigset_t *set, sigset_t *before); /* pthread_sigmask() */
};

/* A thread, and the calling one, as `affinity` has it. */
CO4__OWN unsigned co4__posix_place_of(pthread_t thread);
CO4__OWN unsigned co4__posix_place(void);

/* Set once, before tasks begin. NULL: all is the system's. */
extern CO4__OWN const struct co4__posix_processes *co4__posix_processes;
/* In the information of a signal, or NULL: the process that has sent it gets its number. */
CO4__OWN void co4__posix_sender(siginfo_t *info);

#endif
