/* conn.h - a connection, and its tries. conn.c explains the buffers. */
#ifndef CO4_CONN_INTERNAL_H
#define CO4_CONN_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/attempt.h"

#if defined(__GNUC__) || defined(__clang__)
#pragma GCC visibility push(default)
#endif
#include "co4/conn.h"
#if defined(__GNUC__) || defined(__clang__)
#pragma GCC visibility pop
#endif

/* The bytes from `at` to `end` are held. */
struct co4__buffer {
    char *bytes; /* NULL: there is none */
    uint32_t at, end, size;
};

struct co4_conn {
    const co4_transport *transport; /* NULL: the descriptor itself */
    void *self;
    struct co4__buffer in, out;
    /* The task, or the thread outside tasks, that has put the output; NULL: there is no output.
     * The task that reads compares it with itself. */
    _Atomic(const void *) writer;
    int fd;
    atomic_int failed; /* the `errno` of a flush that failed; 0: none */
    int broken;        /* of a read that failed for good; the reader's */
    bool holds;        /* the transport may have bytes that it has taken and not sent */
    uint8_t wants[2];  /* by direction of the call: the direction it waits for */
    /* A '\0' stands in place of the input's next byte, which is `under`. */
    bool covered;
    char under;
};

static inline size_t co4__buffer_held(const struct co4__buffer *b)
{
    return b->end - b->at;
}

/* One try, without a wait. At CO4__WOULD_WAIT the direction to wait for is in c->wants. */
ssize_t co4__conn_try_read(co4_conn *c, void *to, size_t bytes);
/* Reads into the input, which then has room for so many bytes in all. */
ssize_t co4__conn_try_fill(co4_conn *c, size_t at_least);
/* Sends output, and bytes of the caller behind it. Returns how many of those it has sent. */
ssize_t co4__conn_try_write(co4_conn *c, const void *from, size_t bytes);
/* Takes a line of so many bytes, and puts a '\0' behind it. Returns the number, or -1. */
ssize_t co4__conn_take_line(co4_conn *c, size_t bytes, char **line);
/* Takes that '\0' away. Each function that looks at the input calls it first. */
static inline void co4__conn_uncover(co4_conn *c)
{
    if (c->covered) {
        c->in.bytes[c->in.at] = c->under;
        c->covered = false;
    }
}
ssize_t co4__conn_try_sendfile(co4_conn *c, int file, off_t *offset, size_t bytes);
int co4__conn_try_end(co4_conn *c);

/* On a thread that may block. */
ssize_t co4__conn_fill_blocking(co4_conn *c, size_t at_least);
ssize_t co4__conn_flush_blocking(co4_conn *c);
ssize_t co4__conn_file_blocking(int file, void *to, size_t bytes, off_t offset);
/* Bytes of a file that are in memory; CO4__BLOCKS: they are not. */
ssize_t co4__conn_try_file(int file, void *to, size_t bytes, off_t offset);

/* Returns whether a flush has failed for good, or there is no connection: `errno` says so. */
bool co4__conn_is_broken(const co4_conn *c);
/* Returns whether the calling task has put output that was not sent. */
bool co4__conn_owes(const co4_conn *c);

#endif
