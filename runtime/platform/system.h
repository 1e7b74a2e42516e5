/* system.h - facts that the operating system reports about the process. */
#ifndef CO4_SYSTEM_INTERNAL_H
#define CO4_SYSTEM_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>

/* Returns whether the process has exactly n threads, without those of a sanitizer. Returns false
 * also where the system does not report the number. */
bool co4__threads_are(unsigned n);

/* Returns whether the program handles a signal that may come at any time, other than the dump's. */
bool co4__may_be_interrupted(void);

/* The signal of dumps, which signal.c takes; 0: none. */
extern atomic_int co4__dump_signal;

/* A variable of the environment. NULL also where the program has more rights than its user. */
const char *co4__safe_env(const char *name);

/* processors.c: returns the number of processors that this process may use; at least 1. */
int co4__processors(void);
/* The number that it may use at a time if no affinity forbids it. */
int co4__processors_online(void);
/* Linux, for tests: returns the quota of the control group that the file `groups` names, under
 * `root`; 0 if there is none. */
int co4__processors_of_group(const char *groups, const char *root);

#endif
