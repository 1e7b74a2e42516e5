/* conn.h - a connection, and its tries. conn.c explains the buffers. */
#ifndef CO4_CONN_INTERNAL_H
#define CO4_CONN_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "io/attempt.h"
#include "io/descriptor.h"
#include "net/buffer.h"

#if defined(__GNUC__) || defined(__clang__)
#pragma GCC visibility push(default)
#endif
#include "co4/conn.h"
#if defined(__GNUC__) || defined(__clang__)
#pragma GCC visibility pop
#endif

struct co4_conn {
    const co4_transport *transport; /* NULL: the descriptor itself */
    void *self;
    struct co4__buffer in, out;
    /* The task that owns the output: conn_output.c. A task that reads compares it with itself. */
    _Atomic(const void *) writer;
    atomic_uint refs;         /* the program's, one of each list before a wait, one of the sender */
    _Atomic uint32_t resting; /* bytes of the output, while no task writes */
    int fd;
    _Atomic int16_t failed; /* the code of a flush that failed; 0: none */
    int16_t broken;         /* of a read that failed for good; the reader's */
    atomic_bool has_sender;
    bool corked;      /* the writer's: the end of a step sends no output */
    bool more;        /* likewise: what is sent now is followed by a file at once */
    bool holds;       /* the transport may have bytes that it has taken and not sent */
    uint8_t wants[2]; /* by direction of the call: the direction it waits for */
    /* A '\0' stands in place of the input's next byte, which is `under`. */
    bool covered;
    char under;
};

/* What an idle connection takes (docs/performance/servers.md). */
_Static_assert(sizeof(void *) != 8 || sizeof(co4_conn) <= 96, "a connection is small");

/* Translates the result of a transport: a number, a code, or CO4__WOULD_WAIT. */
static inline ssize_t co4__conn_of_transport(co4_conn *c, int direction, ssize_t n)
{
    if (n != CO4_WANTS_READ && n != CO4_WANTS_WRITE)
        return n < 0 && n > CO4_ERROR_BASE_ ? co4_code_of_errno((int)-n) : n;
    c->wants[direction] = n == CO4_WANTS_READ ? CO4__READING : CO4__WRITING;
    return CO4__WOULD_WAIT;
}

/* The output is the caller's from now on. */
void co4__conn_own(co4_conn *c);
void co4__conn_unref(co4_conn *c);

/* One try, without a wait. Returns a number or a code. At CO4__WOULD_WAIT the direction to wait for
 * is in c->wants. */
ssize_t co4__conn_try_read(co4_conn *c, void *to, size_t bytes);
/* Reads into the input, which then has room for so many bytes in all. */
ssize_t co4__conn_try_fill(co4_conn *c, size_t at_least);
/* Sends output, and bytes of the caller behind it. Returns how many of those it has sent. */
ssize_t co4__conn_try_write(co4_conn *c, const void *from, size_t bytes);
/* The sender sends output that no task is writing. CO4__WOULD_WAIT: there is more, and *direction
 * is what to wait for. */
ssize_t co4__conn_try_rest(co4_conn *c, int *direction);
/* The sender wants to end. False: it has to go on. */
bool co4__conn_sender_ends(co4_conn *c);
/* The step in which a task has put output ends: sends that output. True: the caller has to start a
 * sender for the rest, which waits for *direction. */
bool co4__conn_step_ended(co4_conn *c, const void *task, int *direction);
/* Returns whether the end of the calling task's step sends the output. */
bool co4__conn_is_listed(const co4_conn *c);
/* Makes the end of that step send the output. Returns the task. */
const void *co4__conn_list(co4_conn *c);
/* A call that has taken the output over gives up. The end of its step sends the rest. */
void co4__conn_leave(co4_conn *c);
/* The connection has lost its output; later calls return `code`, as this one does. */
int co4__conn_fails(co4_conn *c, int code);
/* Looks for a delimiter in the first `max` bytes of the input, the first `searched` of which have
 * none. Returns the number of bytes up to its end. 0: it is not there. */
size_t co4__conn_find(const co4_conn *c, const void *delimiter, size_t bytes, size_t max,
                      size_t searched);
/* Takes a line of so many bytes, and puts a '\0' behind it. Returns the number, or a code. */
ssize_t co4__conn_take_line(co4_conn *c, size_t bytes, char **line);
/* Takes that '\0' away. Each function that looks at the input calls it first. */
static inline void co4__conn_uncover(co4_conn *c)
{
    if (c->covered) {
        c->in.bytes[c->in.at] = c->under;
        c->covered = false;
    }
}
/* Starts the sender (woven/sender.c). `direction` is what it has to wait for first. Without memory
 * there is no sender, and the next call that writes goes on. */
CO4__OWN void co4__sender_start(co4_conn *c, int direction);

ssize_t co4__conn_try_sendfile(co4_conn *c, int file, off_t *offset, size_t bytes);
/* No file has followed. The socket sends what it has kept for one. */
void co4__conn_push(const co4_conn *c);
int co4__conn_try_end(co4_conn *c);

/* On a thread that may block. They return a number or a code. */
ssize_t co4__conn_fill_blocking(co4_conn *c, size_t at_least);
ssize_t co4__conn_flush_blocking(co4_conn *c);
ssize_t co4__conn_file_blocking(int file, void *to, size_t bytes, off_t offset);
/* Returns whether a part of a file has to be fetched before a co4__conn_try_sendfile(). */
bool co4__conn_file_is_far(int file, off_t offset, size_t bytes);
/* On a thread that may block: reads the part into memory. Returns 0. */
ssize_t co4__conn_fetch(int file, off_t offset, size_t bytes);
/* Reads bytes of a file that are in memory. CO4__BLOCKS: they are not. */
ssize_t co4__conn_try_file(int file, void *to, size_t bytes, off_t offset);

/* Returns CO4_OK, the code of a flush that has failed for good, or CO4_EINVAL without a
 * connection. */
int co4__conn_failure(const co4_conn *c);
/* Returns whether the calling task has put output that was not sent. */
bool co4__conn_owes(const co4_conn *c);

#endif
