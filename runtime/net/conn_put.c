/* conn_put.c - puts into the output of buffered connections.
 *
 * Purpose: the first put of a step adds the connection to what the thread does when the step ends
 * (before_wait.h), so output leaves before its task waits. If a put has no memory, no more output
 * is sent: the peer could not know that these bytes are missing. */
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "memory/pool.h"
#include "net/conn.h"
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

/* Called before the first byte of output. False: allocation failed. */
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
    if (co4__conn_owes(c))
        (void)list(c);
}

int co4_conn_cork(co4_conn *c, int on)
{
    if (!c)
        return CO4_EINVAL;
    co4__conn_own(c);
    c->corked = on != 0;
    return !co4__conn_owes(c) || list(c) ? CO4_OK : CO4_ENOMEM;
}

ssize_t co4_conn_put(co4_conn *c, const void *from, size_t bytes)
{
    int failure = co4__conn_failure(c);
    if (failure != CO4_OK || bytes == 0)
        return failure;
    if (!from)
        return CO4_EINVAL;
    co4__conn_own(c);
    if (bytes > CO4__BUFFER_MOST || !co4__buffer_make_room(&c->out, bytes) || !list(c))
        return co4__conn_fails(c, CO4_ENOMEM);
    memcpy(c->out.bytes + c->out.end, from, bytes);
    c->out.end += (uint32_t)bytes;
    return (ssize_t)bytes;
}

ssize_t co4_conn_puts(co4_conn *c, const char *text)
{
    return co4_conn_put(c, text, text ? strlen(text) : 1); /* NULL is refused */
}

int co4_conn_printf(co4_conn *c, const char *format, ...)
{
    int failure = co4__conn_failure(c);
    if (failure != CO4_OK)
        return failure;
    co4__conn_own(c);
    for (size_t room = 256;;) {
        if (!co4__buffer_make_room(&c->out, room) || !list(c))
            return co4__conn_fails(c, CO4_ENOMEM);
        size_t has = c->out.size - c->out.end;
        va_list args;
        va_start(args, format);
        int n = vsnprintf(c->out.bytes + c->out.end, has, format, args);
        va_end(args);
        if (n < 0 || (size_t)n < has) {
            c->out.end += n > 0 ? (uint32_t)n : 0;
            if (co4__buffer_held(&c->out) == 0)
                co4__buffer_give_back(&c->out);
            return n < 0 ? (int)co4__io_code(n)
                         : n; /* < 0: the format, or its bytes are too many */
        }
        room = (size_t)n + 1;
    }
}
