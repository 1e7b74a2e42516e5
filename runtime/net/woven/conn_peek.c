/* conn_peek.c - buffered connections: looking at the input. Pausable C, and once more plain. */
#include <stddef.h>
#include <stdint.h>

#include "net/conn_calls.h"

#include "co4/time.h"

static ssize_t seen(co4_conn *c, const char **data)
{
    co4__conn_uncover(c);
    *data = c->in.bytes ? c->in.bytes + c->in.at : "";
    return (ssize_t)co4_conn_buffered(c);
}

pausable ssize_t co4_conn_peek_until(co4_conn *c, const char **data, size_t at_least,
                                     int64_t deadline)
{
    ssize_t n;
    CO4__CONN_BEGIN_READING(n, c, deadline);
    while (n > 0 && co4_conn_buffered(c) < at_least)
        CO4__CONN_FILL(n, c, at_least, deadline);
    return n < 0 ? n : seen(c, data);
}

pausable ssize_t co4_conn_peek(co4_conn *c, const char **data, size_t at_least)
{
    ssize_t n;
    CO4__CONN_BEGIN_READING(n, c, CO4_NEVER);
    while (n > 0 && co4_conn_buffered(c) < at_least)
        CO4__CONN_FILL(n, c, at_least, CO4_NEVER);
    return n < 0 ? n : seen(c, data);
}
