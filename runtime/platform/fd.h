/* fd.h - self-pipes and signals. */
#ifndef CO4_PLATFORM_FD_H
#define CO4_PLATFORM_FD_H

#include <stdio.h>

const char *co4__safe_env(
    const char *name); /* NULL, too, where the program has more rights than its user */
FILE *co4__create_file(const char *path); /* NULL, too, where it is a link */

struct co4__self_pipe {
    int out, in; /* readable once it was written to; the end for writing */
};

int co4__self_pipe_open(
    struct co4__self_pipe *p); /* CO4_OK; CO4_EAGAIN; CO4_ESTATE: no pipes here */
void co4__self_pipe_close(struct co4__self_pipe *p);
void co4__self_pipe_write(const struct co4__self_pipe *p); /* any thread, signal handlers too */
void co4__self_pipe_drain(const struct co4__self_pipe *p);
void co4__self_pipe_wait(
    const struct co4__self_pipe *p); /* blocks until it is readable, and drains it */

/* One signal at a time. CO4_OK, CO4_EINVAL, CO4_ESTATE. */
int co4__signal_take(int signo, void (*handler)(int));
void co4__signal_give(int signo);

#endif
