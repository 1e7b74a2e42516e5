/* co4/conn.h - buffered connections: lines, exact counts, formatted output, over a descriptor or
 * over a transport such as TLS.
 *
 *     pausable void greet(int fd)
 *     {
 *         char *line;
 *         co4_conn *c = co4_conn_create(fd);
 *         while (c && co4_conn_read_line(c, &line, 512) > 0)
 *             co4_conn_printf(c, "hello, %s", line);
 *         co4_conn_close(c);
 *     }
 *
 * Output collects in a buffer. It is sent by co4_conn_flush(), by a large write, and when the task
 * waits for anything. So a server that answers many requests of one packet sends one packet. What
 * the peer does not take then is sent when it does, and a read waits while that is over 64 KiB. So
 * co4_run() and co4_runtime_join() wait for a peer, or until its connection is closed.
 *
 * Buffers are held while they have bytes: an idle connection has none.
 */
#ifndef CO4_CONN_H
#define CO4_CONN_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "error.h"
#include "mark.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct co4_conn co4_conn;

/* What a try of a transport returns in place of a number of bytes. */
#define CO4_WANTS_READ  (-2091) /* nothing was done: try again when the descriptor is readable */
#define CO4_WANTS_WRITE (-2092) /* likewise: when it is writable */

/* Bytes over a descriptor in another form. No function of a transport waits; co4_recv_until()
 * and co4_send_until() with CO4_NOW are the calls to use inside. */
typedef struct co4_transport {
    /* Return a number of bytes, 0 at the end of the input, CO4_WANTS_…, or a code (error.h), such
     * as -errno. */
    ssize_t (*read)(void *self, void *to, size_t bytes);
    /* A transport may take bytes that it cannot send yet. With `count` 0 it sends those, and
     * returns 0 when none is left. */
    ssize_t (*write)(void *self, const struct iovec *from, int count);
    /* Tells the peer that no more bytes come. Returns 0, CO4_WANTS_…, or a code. */
    int (*end)(void *self);
    /* The connection is closed, and its descriptor with it. */
    void (*destroy)(void *self);
} co4_transport;

/* Unless a function says otherwise:
 *
 * Returns: a number of bytes; 0 at the end of the input; a negative code (error.h): CO4_ECANCELED
 *     when the task is cancelled; CO4_ECLOSED when another task closes the descriptor; CO4_EINVAL
 *     without a connection; -ECONNRESET, -EPIPE and others of the system. _until: CO4_ETIMEDOUT;
 *     CO4_EBUSY with CO4_NOW. A call that fails after it has taken or sent bytes of the caller
 *     returns their number. A flush that has failed, and a reset, stay: later calls say so again.
 * Pauses: until the call can be made. Plain: blocks the thread.
 * Blocks: never.
 * Cancellation: CO4_ECANCELED; no byte is lost. A later call goes on where this one stopped.
 * Thread safety: one task reads while another writes. No two read, no two write.
 * Ownership: a pointer into the input is valid until the next call that reads.
 * Since: 0.2. */

/* Takes over a descriptor, and attaches it. co4_conn_create_over() takes over a transport and the
 * descriptor below it.
 *
 * Returns: the connection; NULL without memory, and for a number that is no descriptor: nothing was
 *     taken over then.
 * Ownership: ends by co4_conn_close() or co4_conn_destroy(). */
co4_conn *co4_conn_create(int fd);
co4_conn *co4_conn_create_over(int fd, const co4_transport *transport, void *self);
/* The descriptor below; -1 without a connection. To end the waits of other tasks, cancel them, or
 * call co4_shutdown() with it. Never close it: the connection does. */
int co4_conn_fd(const co4_conn *c);

/* The `self` of its transport. Returns: NULL, if the connection has another transport or none. */
void *co4_conn_transport(const co4_conn *c, const co4_transport *transport);

/* Closes it at once. Output that was not flushed is lost. NULL does nothing. */
void co4_conn_destroy(co4_conn *c);

/* Reads some bytes: those that are there, at least one. */
pausable_or_block ssize_t co4_conn_read(co4_conn *c, void *to, size_t bytes);
pausable_or_block ssize_t co4_conn_read_until(co4_conn *c, void *to, size_t bytes,
                                              int64_t deadline);
/* Reads so many bytes. Fewer: before the end of the input, or before a failure, a deadline that has
 * passed, say. The next call tells which. */
pausable_or_block ssize_t co4_conn_read_exact(co4_conn *c, void *to, size_t bytes);
pausable_or_block ssize_t co4_conn_read_exact_until(co4_conn *c, void *to, size_t bytes,
                                                    int64_t deadline);
/* Reads up to a newline, and with it; without one only at the end of the input. -EMSGSIZE: there is
 * no newline in the next `max` bytes. The line is in the input, and may be changed there. Until the
 * next call that reads, a '\0' stands behind it. */
pausable_or_block ssize_t co4_conn_read_line(co4_conn *c, char **line, size_t max);
pausable_or_block ssize_t co4_conn_read_line_until(co4_conn *c, char **line, size_t max,
                                                   int64_t deadline);
/* The same up to a delimiter of so many bytes, as "\r\n\r\n" with 4. CO4_EINVAL: of none. */
pausable_or_block ssize_t co4_conn_read_to(co4_conn *c, char **data, const void *delimiter,
                                           size_t bytes, size_t max);
pausable_or_block ssize_t co4_conn_read_to_until(co4_conn *c, char **data, const void *delimiter,
                                                 size_t bytes, size_t max, int64_t deadline);
/* Looks at the input, and takes nothing: *data are the bytes that are there, at least so many,
 * fewer only at the end of the input. -EMSGSIZE: so many are more than a buffer can have. */
pausable_or_block ssize_t co4_conn_peek(co4_conn *c, const char **data, size_t at_least);
pausable_or_block ssize_t co4_conn_peek_until(co4_conn *c, const char **data, size_t at_least,
                                              int64_t deadline);
/* Takes so many of the bytes that are there, or all. Never waits. Returns how many were taken. */
size_t co4_conn_skip(co4_conn *c, size_t bytes);
/* The number of bytes that a read gets without a wait. */
size_t co4_conn_buffered(const co4_conn *c);

/* Appends to the output. Never waits: the output grows. Returns the number of bytes; the code of a
 * flush that failed; or CO4_ENOMEM, after which no output is sent any more. */
ssize_t co4_conn_put(co4_conn *c, const void *from, size_t bytes);
/* The same for a text: without its NUL, and with no line end added. */
ssize_t co4_conn_puts(co4_conn *c, const char *text);
#ifdef __GNUC__
__attribute__((format(printf, 2, 3)))
#endif
int co4_conn_printf(co4_conn *c, const char *format, ...);
/* With `on`, waits send no output any more: it leaves at a flush, at a write that does not fit, and
 * at the end. For output that others have to confirm first. Returns CO4_OK or a code. */
int co4_conn_cork(co4_conn *c, int on);
/* The number of bytes that wait to be sent. */
size_t co4_conn_unsent(const co4_conn *c);

/* Writes all bytes: into the output if there is room, else it sends the output and them. */
pausable_or_block ssize_t co4_conn_write(co4_conn *c, const void *from, size_t bytes);
pausable_or_block ssize_t co4_conn_write_until(co4_conn *c, const void *from, size_t bytes,
                                               int64_t deadline);
/* Sends the output, then bytes of a file from *offset on, which advances. Fewer only at the end of
 * the file. By TCP both share a packet where they can. */
pausable_or_block ssize_t co4_conn_send_file(co4_conn *c, int file, off_t *offset, size_t bytes);
pausable_or_block ssize_t co4_conn_send_file_until(co4_conn *c, int file, off_t *offset,
                                                   size_t bytes, int64_t deadline);
/* Sends the output. Returns CO4_OK or a code. */
pausable_or_block int co4_conn_flush(co4_conn *c);
pausable_or_block int co4_conn_flush_until(co4_conn *c, int64_t deadline);
/* Sends the output, and tells the peer that no more comes. Input can still be read.
 * -ENOTSOCK: a pipe ends only when it is closed. */
pausable_or_block int co4_conn_end(co4_conn *c);
pausable_or_block int co4_conn_end_until(co4_conn *c, int64_t deadline);
/* The same, and destroys the connection in any case. NULL does nothing. Returns CO4_OK, or the code
 * of what could not be sent: a cancelled task sends nothing, unless it is shielded (task.h). */
pausable_or_block int co4_conn_close(co4_conn *c);
pausable_or_block int co4_conn_close_until(co4_conn *c, int64_t deadline);

#ifdef __cplusplus
}
#endif

#endif
