/* fd.h - self-pipes and signals. */
#ifndef CO4_PLATFORM_FD_H
#define CO4_PLATFORM_FD_H

#include <stdbool.h>
#include <stdio.h>

/* NULL also where the path is a symbolic link. */
FILE *co4__create_file(const char *path);

/* Descriptors of the library's own get high numbers: programs count on the lowest ones for theirs.
 * open: fd, as the system has given it, or -1; returns its number. Programs without marks cannot
 * close them (posix/close.c). */
enum { CO4__OWN_FDS = 4096 }; /* it knows those below again */
int co4__own_fd_open(int fd);
void co4__own_fd_close(int fd);
bool co4__is_own_fd(int fd);
/* Called in the child of a fork, whose soft limit may be below the numbers of the descriptors that
 * it opens anew. */
void co4__own_fd_limit_begin(void);
void co4__own_fd_limit_end(void);

struct co4__self_pipe {
    int out, in; /* the end for reading, readable after a write; the end for writing */
};

/* Returns CO4_OK, CO4_EAGAIN, or CO4_ESTATE where the system has no pipes. */
int co4__self_pipe_open(struct co4__self_pipe *p);
void co4__self_pipe_close(struct co4__self_pipe *p);
/* Thread-safe; signal handlers may call it, too. */
void co4__self_pipe_write(const struct co4__self_pipe *p);
void co4__self_pipe_drain(const struct co4__self_pipe *p);
/* Blocks until the pipe is readable, and drains it. */
void co4__self_pipe_wait(const struct co4__self_pipe *p);

/* A signal has one user in the library. Returns whether it had none. */
bool co4__signal_claim(int signo);
void co4__signal_unclaim(int signo);

/* Claims one signal at a time, and sets its handler; co4__signal_give() restores the previous one.
 * Returns CO4_OK, CO4_EINVAL, CO4_EBUSY or CO4_ESTATE. */
int co4__signal_take(int signo, void (*handler)(int));
void co4__signal_give(int signo);

#endif
