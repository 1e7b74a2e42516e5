/* processes.h - numbers of processes that are not the system's: a program of --auto=test. */
#ifndef CO4_POSIX_PROCESSES_H
#define CO4_POSIX_PROCESSES_H

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
    /* The processors of the calling thread: two cpu_set_t, of which one is NULL. */
    int (*affinity)(size_t bytes, void *get, const void *set);
};

/* Set once, before tasks begin. NULL: all is the system's. */
extern CO4__OWN const struct co4__posix_processes *co4__posix_processes;
/* In the information of a signal, or NULL: the process that has sent it gets its number. */
CO4__OWN void co4__posix_sender(siginfo_t *info);

#endif
