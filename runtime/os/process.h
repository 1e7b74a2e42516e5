/* process.h - the part of child processes that never pauses. process.c explains the protocol. */
#ifndef CO4_PROCESS_INTERNAL_H
#define CO4_PROCESS_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "os/public.h"
#include "platform/lock.h"

struct co4_process {
    pid_t pid;
    int ended; /* a descriptor, readable when the child has ended: a pidfd, or a pipe's end */
    bool is_pidfd;
    bool leads_group;
    int fds[3];              /* the program's ends of pipes, or -1; the owner's */
    uint32_t generations[3]; /* likewise: of these descriptors */
    co4__lock lock; /* guards the rest, and the reaping: until then the number is the child's */
    bool reaped;
    int status, code; /* once it is reaped: the status, or why there is none */
};

/* On a thread that may block. Returns CO4_OK or a code. */
int co4__process_start(co4_process **process, const char *const argv[],
                       const co4_process_options *options);
/* Returns CO4_OK or a code. CO4__WOULD_WAIT: the child has not ended. */
int co4__process_reap(co4_process *p, int *status);
/* Kills the child unless it is reaped, blocks until it has ended, and frees the struct. For
 * cleanups: *p may be NULL, and is NULL afterwards. */
void co4__process_drop(co4_process **p);

/* The output of a child, as far as it has been read. */
struct co4__output {
    char *text;
    size_t bytes, room, limit;
};

/* Makes room for more. Returns CO4_OK, CO4_ENOMEM or -EMSGSIZE. */
int co4__output_grow(struct co4__output *o);
void co4__output_free(struct co4__output *o);
/* The text, which the caller owns, with a NUL at its end. */
char *co4__output_take(struct co4__output *o, size_t *bytes);

#endif
