/* conn_write.c - buffered connections: writing bytes. Pausable C, and once more plain. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "io/attempt.h"
#include "io/descriptor.h"
#include "memory/buffers.h"
#include "net/conn.h"
#include "net/conn_calls.h"

#include "co4/blocking.h"
#include "co4/io.h"
#include "co4/time.h"

pausable ssize_t co4_conn_write_until(co4_conn *c, const void *from, size_t bytes, int64_t deadline)
{
    int err = CO4__CONN_BEGIN(c);
    if (err != CO4_OK)
        return err;
    if (bytes <= CO4__BUFFER_BYTES && co4_conn_unsent(c) + bytes <= CO4__BUFFER_BYTES)
        return co4_conn_put(c, from, bytes);
    return co4__conn_send_all(c, from, bytes, deadline);
}

pausable ssize_t co4_conn_write(co4_conn *c, const void *from, size_t bytes)
{
    return co4_conn_write_until(c, from, bytes, CO4_NEVER);
}
