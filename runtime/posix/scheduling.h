/* scheduling.h - which threads are no tasks, for what the system does for them. */
#ifndef CO4_POSIX_SCHEDULING_H
#define CO4_POSIX_SCHEDULING_H

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

struct co4__scheduling {
    int policy, priority;
};

/* What a thread inherits from the calling one. */
struct co4__scheduling co4__scheduling_here(void);
/* Whether a thread with the attributes, or NULL, can be no task of such workers. */
bool co4__needs_thread(const pthread_attr_t *attributes, struct co4__scheduling workers);

/* What the attributes have: processors, which it copies; a mask of signals. */
bool co4__has_processors(const pthread_attr_t *attributes, cpu_set_t *processors);
bool co4__has_mask(const pthread_attr_t *attributes);

#endif
