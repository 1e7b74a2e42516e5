/* terminal.h - reads of terminals that end by a count or a time, and writes to them: see
 * terminal.c and terminal_read.c. */
#ifndef CO4_TERMINAL_H
#define CO4_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

/* When a read ends for which poll() reports no input. */
enum co4__terminal_ends {
    CO4__TERMINAL_BY_INPUT, /* when poll() says so: no terminal, or one that has no such mode */
    CO4__TERMINAL_AT_ONCE,  /* VMIN 0, VTIME 0: without a byte */
    CO4__TERMINAL_COUNTS    /* by VMIN bytes or VTIME */
};

/* A read that ends by a count or a time. */
struct co4__terminal_read {
    int fd, count;
    const struct iovec *to;
    size_t bytes, least; /* asked for; and those that end it */
    size_t done, there;  /* taken; and in the terminal's buffer at the last look */
    int64_t time;        /* VTIME, or 0 */
    int64_t until;       /* the end of the next wait, which may be too early */
    bool after_byte;     /* the time begins with a byte, not with the call */
};

#ifdef __wasm__ /* a read of a terminal never blocks there */

#define CO4__NO_TERMINALS

static inline enum co4__terminal_ends co4__terminal_ends(int fd)
{
    (void)fd;
    return CO4__TERMINAL_BY_INPUT;
}

static inline bool co4__terminal_is(int fd)
{
    (void)fd;
    return false;
}

static inline int64_t co4__terminal_limit(int fd)
{
    (void)fd;
    return CO4_NEVER;
}

#else

#define CO4__TERMINAL_TENTH (100 * CO4_MS) /* VTIME counts these */

struct termios;
/* False: no terminal, or one with lines. */
bool co4__terminal_mode(int fd, struct termios *mode);
enum co4__terminal_ends co4__terminal_ends(int fd);
/* Returns when a read without a byte ends: CO4_NEVER, or, for VMIN 0, after VTIME. */
int64_t co4__terminal_limit(int fd);
bool co4__terminal_is(int fd);

void co4__terminal_begin(struct co4__terminal_read *r, int fd, const struct iovec *to, int count);
/* Returns what read() returns, or CO4__WOULD_WAIT: until there is input, or `until`. */
ssize_t co4__terminal_try(struct co4__terminal_read *r);
/* A wait has failed, with `errno`. Returns the number of bytes that are there, or -1. */
ssize_t co4__terminal_end(struct co4__terminal_read *r);
/* The read of a descriptor to which its program has given O_NONBLOCK. */
ssize_t co4__terminal_read_now(int fd, const struct iovec *to, int count);

#endif

/* A write to a terminal that poll() has called ready: a part of it, or EAGAIN. */
ssize_t co4__terminal_write(int fd, const struct iovec *from, int count);

#endif
