/* conn_put.c - puts into the output of buffered connections.
 *
 * Purpose: the first put of a step adds the connection to what the thread does when the step ends
 * (before_wait.h), so output leaves before its task waits. If a put has no memory, no output is
 * sent any more: a peer that got it without these bytes could not know. */
#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "memory/pool.h"
#include "net/conn.h"
#include "net/sender.h"
#include "platform/before_wait.h"

struct ending {
    struct co4__before_wait head; /* first */
    co4_conn *conn;
    const void *task;
};

static void step_ends(struct co4__before_wait *e)
{
    struct ending ending = *(struct ending *)(void *)e;
    int direction;
    co4__pool_drop(e, sizeof ending);
    if (co4__conn_step_ended(ending.conn, ending.task, &direction))
        co4__sender_start(ending.conn, direction);
    co4__conn_unref(ending.conn);
}

/* Before the first byte of output. False: allocation failed. */
static bool list(co4_conn *c)
{
    if (CO4__LIKELY(co4__conn_is_listed(c)))
        return true;
    struct ending *e = co4__pool_take(sizeof *e);
    if (!e)
        return false;
    atomic_fetch_add_explicit(&c->refs, 1, memory_order_relaxed);
    *e = (struct ending){ { NULL, step_ends }, c, co4__conn_list(c) };
    co4__before_wait_add(&e->head);
    return true;
}

void co4__conn_leave(co4_conn *c)
{
    int err = errno;
    if (co4__conn_owes(c))
        (void)list(c);
    errno = err;
}

int co4_conn_cork(co4_conn *c, int on)
{
    if (!c) {
        errno = EINVAL;
        return -1;
    }
    co4__conn_own(c);
    c->corked = on != 0;
    if (!co4__conn_owes(c) || list(c))
        return 0;
    errno = ENOMEM;
    return -1;
}

ssize_t co4_conn_put(co4_conn *c, const void *from, size_t bytes)
{
    if (co4__conn_is_broken(c))
        return -1;
    if (bytes == 0)
        return 0;
    if (!from) {
        errno = EFAULT;
        return -1;
    }
    co4__conn_own(c);
    if (bytes > CO4__BUFFER_MOST || !co4__buffer_make_room(&c->out, bytes) || !list(c)) {
        co4__conn_fails(c, ENOMEM);
        return -1;
    }
    memcpy(c->out.bytes + c->out.end, from, bytes);
    c->out.end += (uint32_t)bytes;
    return (ssize_t)bytes;
}

ssize_t co4_conn_puts(co4_conn *c, const char *text)
{
    return co4_conn_put(c, text, text ? strlen(text) : 1); /* NULL is EFAULT */
}

int co4_conn_printf(co4_conn *c, const char *format, ...)
{
    if (co4__conn_is_broken(c))
        return -1;
    co4__conn_own(c);
    for (size_t room = 256;;) {
        if (!co4__buffer_make_room(&c->out, room) || !list(c)) {
            co4__conn_fails(c, ENOMEM);
            return -1;
        }
        size_t has = c->out.size - c->out.end;
        va_list args;
        va_start(args, format);
        int n = vsnprintf(c->out.bytes + c->out.end, has, format, args);
        va_end(args);
        if (n < 0 || (size_t)n < has) {
            c->out.end += n > 0 ? (uint32_t)n : 0;
            if (co4__buffer_held(&c->out) == 0)
                co4__buffer_give_back(&c->out);
            return n;
        }
        room = (size_t)n + 1;
    }
}
