/* conn_output.c - the output of buffered connections, and whose it is.
 *
 * Purpose: output leaves before its task waits, whatever it waits for (conn_put.c). If the system
 * does not take all of it, a task of its own, the sender (woven/sender.c), sends the rest later.
 *
 * Concurrency: tasks may write one after the other, if the program orders them by a lock or a
 * message. The end of a step and the sender send at any time. So `writer` is the owner of the
 * output:
 *   - NULL: there is no output. A task that writes may begin.
 *   - a task: the task that writes. With LISTED the end of its step sends.
 *   - SENDING: the end of a step, or the sender. Tasks wait for it, as it never waits.
 *   - RESTING: no thread. The sender sends when it can, unless a task takes the output over.
 * A task takes over what another one has left, LISTED or not, and the end of that one's step then
 * finds another writer. A change by one thread releases the output, and the next one acquires it.
 * A list and the sender hold references, so they may find a connection that is closed. Model:
 * tests/model/output.pml.
 *
 * Rejected: a flush at the beginning of each call that waits (they are many, and in other layers);
 * a lock (a transport's write would run under it). */
#include "net/conn.h"

#include <errno.h>
#include <stdatomic.h>

#include "base/compiler.h"
#include "memory/pool.h"
#include "platform/lock.h"
#include "platform/thread.h"

/* Addresses of tasks and of threads' state are multiples of 8. */
#define LISTED  1
#define SENDING ((const void *)2)
#define RESTING ((const void *)4)

/* ---- the writer ---- */

/* The calling task, or the thread outside tasks. */
static const void *caller(void)
{
    const void *task = co4__local()->current;
    return task ? task : co4__local();
}

static const void *listed(const void *writer)
{
    return (const char *)writer + LISTED;
}

static const void *writer_of(const co4_conn *c)
{
    /* Acquire: pairs with the release of the thread that has sent the output. */
    return atomic_load_explicit(&((co4_conn *)(uintptr_t)c)->writer, memory_order_acquire);
}

static void set_writer(co4_conn *c, const void *writer)
{
    atomic_store_explicit(&c->writer, writer, memory_order_release);
}

static bool change_writer(co4_conn *c, const void *from, const void *to)
{
    return atomic_compare_exchange_strong_explicit(&c->writer, &from, to, memory_order_acq_rel,
                                                   memory_order_relaxed);
}

static bool is_mine(const void *writer)
{
    return writer == caller() || writer == listed(caller());
}

/* In most calls no other task has left output, so there is nothing to do. */
void co4__conn_own(co4_conn *c)
{
    const void *writer = writer_of(c);
    for (unsigned tries = 0; CO4__UNLIKELY(writer && !is_mine(writer)); writer = writer_of(c))
        if (writer == SENDING)
            co4__back_off(tries++);
        else
            change_writer(c, writer, caller());
}

void co4__conn_unref(co4_conn *c)
{
    if (atomic_fetch_sub_explicit(&c->refs, 1, memory_order_acq_rel) == 1)
        co4__pool_drop(c, sizeof *c);
}

/* ---- sending ---- */

/* Drops the output that was not sent. Later calls return the code. */
static void lose_output(co4_conn *c, int code)
{
    c->failed = (int16_t)code;
    c->holds = false;
    co4__buffer_give_back(&c->out);
}

int co4__conn_failure(const co4_conn *c)
{
    return c ? atomic_load_explicit(&((co4_conn *)(uintptr_t)c)->failed, memory_order_relaxed)
             : CO4_EINVAL;
}

static bool has_output(const co4_conn *c)
{
    return co4__buffer_held(&c->out) > 0 || c->holds;
}

bool co4__conn_owes(const co4_conn *c)
{
    return is_mine(writer_of(c)) && !c->corked && has_output(c);
}

/* The caller owns the output. Returns like co4__conn_try_write(). */
static ssize_t send_some(co4_conn *c, const void *from, size_t bytes)
{
    size_t held = co4__buffer_held(&c->out);
    struct iovec iov[2] = { { c->out.bytes + c->out.at, held },
                            { (void *)(uintptr_t)from, bytes } };
    struct iovec *first = held > 0 ? iov : iov + 1;
    int count = (held > 0) + (bytes > 0);
    int failure = co4__conn_failure(c);
    if (failure != CO4_OK)
        return failure;
    if (count == 0 && !c->holds)
        return 0;
    ssize_t n = c->transport ? co4__conn_of_transport(c, CO4__WRITING,
                                                      c->transport->write(c->self, first, count))
                : count == 2 ? co4__io_code(co4__try_writev(c->fd, first, count))
                : c->more
                    ? co4__io_code(co4__try_write_more(c->fd, first->iov_base, first->iov_len))
                    : co4__io_code(co4__try_write(c->fd, first->iov_base, first->iov_len));
    if (n < 0 && n != CO4__WOULD_WAIT && n != CO4__BLOCKS)
        lose_output(c, (int)n);
    if (n < 0)
        return n;
    c->holds = c->transport && count > 0;
    if ((size_t)n < held) {
        co4__buffer_advance(&c->out, (size_t)n);
        return 0;
    }
    if (held > 0)
        co4__buffer_give_back(&c->out);
    return n - (ssize_t)held;
}

ssize_t co4__conn_try_write(co4_conn *c, const void *from, size_t bytes)
{
    co4__conn_own(c);
    ssize_t n = send_some(c, from, bytes);
    bool waits = n == CO4__WOULD_WAIT && has_output(c);
    /* A task that waits here sends by itself, so the end of its step does not. */
    if (waits || (!has_output(c) && writer_of(c)))
        set_writer(c, waits ? caller() : NULL);
    return n;
}

ssize_t co4__conn_flush_blocking(co4_conn *c)
{
    co4__conn_own(c); /* so the end of the waiting task's step finds another writer */
    while (co4__buffer_held(&c->out) > 0) {
        struct iovec from = { c->out.bytes + c->out.at, co4__buffer_held(&c->out) };
        ssize_t n = co4__write_blocking(co4__attempt_none(c->fd), &from, 1);
        if (n < 0)
            return co4__conn_fails(c, co4_code_of_errno((int)-n));
        co4__buffer_advance(&c->out, (size_t)n);
    }
    co4__buffer_give_back(&c->out);
    set_writer(c, NULL);
    return 0;
}

/* ---- without the task ---- */

/* The caller has made the output SENDING. Returns CO4__WOULD_WAIT if the sender has to send the
 * rest, and another number if there is nothing for it. */
static ssize_t send_all(co4_conn *c, const void *writer, int *direction)
{
    int err = errno; /* the task's, whose step ends */
    ssize_t n = 0;
    while (n >= 0 && has_output(c) && !c->corked)
        n = send_some(c, NULL, 0);
    *direction = c->wants[CO4__WRITING];
    bool is_later = c->corked || n == CO4__BLOCKS; /* a file: the next flush sends to it */
    atomic_store_explicit(&c->resting, (uint32_t)co4__buffer_held(&c->out), memory_order_relaxed);
    if (n == CO4__WOULD_WAIT)
        atomic_store(&c->writer, RESTING); /* not only released: see co4__conn_sender_ends */
    else
        set_writer(c, is_later ? writer : NULL);
    errno = err;
    return n;
}

ssize_t co4__conn_try_rest(co4_conn *c, int *direction)
{
    if (change_writer(c, RESTING, SENDING))
        return send_all(c, NULL, direction);
    co4__attempt_pass(c->fd, *direction); /* the task that writes may wait there, too */
    return 0;
}

bool co4__conn_sender_ends(co4_conn *c)
{
    /* First the flag, then the look: the end of a step makes the output RESTING, then looks at the
     * flag. So one of them sees the other. */
    atomic_store(&c->has_sender, false);
    return atomic_load(&c->writer) != RESTING || atomic_exchange(&c->has_sender, true);
}

bool co4__conn_step_ended(co4_conn *c, const void *task, int *direction)
{
    if (!change_writer(c, listed(task), SENDING) ||
        send_all(c, task, direction) != CO4__WOULD_WAIT || !co4__local()->current)
        return false;
    return !atomic_exchange(&c->has_sender, true);
}

size_t co4_conn_unsent(const co4_conn *conn)
{
    co4_conn *c = (co4_conn *)(uintptr_t)conn;
    if (!c)
        return 0;
    const void *writer = writer_of(c);
    for (unsigned tries = 0; CO4__UNLIKELY(writer == SENDING); writer = writer_of(c))
        co4__back_off(tries++);
    return writer == RESTING ? atomic_load_explicit(&c->resting, memory_order_relaxed)
                             : co4__buffer_held(&c->out);
}

/* ---- for conn_put.c ---- */

bool co4__conn_is_listed(const co4_conn *c)
{
    return atomic_load_explicit(&((co4_conn *)(uintptr_t)c)->writer, memory_order_relaxed) ==
           listed(caller());
}

const void *co4__conn_list(co4_conn *c)
{
    set_writer(c, listed(caller()));
    return caller();
}

int co4__conn_fails(co4_conn *c, int code)
{
    lose_output(c, code);
    set_writer(c, NULL);
    return code;
}
