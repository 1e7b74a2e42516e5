/* platform_fd.h - bells and signals: see platform_fd.c. */
#ifndef CO4_PLATFORM_FD_H
#define CO4_PLATFORM_FD_H

#include <stdio.h>

const char *co4__safe_env(
    const char *name); /* NULL, too, where the program has more rights than its user */
FILE *co4__create_file(const char *path); /* NULL, too, where it is a link */

struct co4__bell {
    int out, in; /* readable while it rings; where it is rung */
};

int co4__bell_open(struct co4__bell *b); /* CO4_OK; CO4_EAGAIN; CO4_ESTATE: the system has none */
void co4__bell_close(struct co4__bell *b);
void co4__bell_ring(const struct co4__bell *b); /* any thread, signal handlers too */
void co4__bell_quiet(const struct co4__bell *b);
void co4__bell_wait(const struct co4__bell *b); /* blocks until it rings; it is quiet then */

/* One signal at a time. CO4_OK, CO4_EINVAL, CO4_ESTATE. */
int co4__signal_take(int signo, void (*handler)(int));
void co4__signal_give(int signo);

#endif
