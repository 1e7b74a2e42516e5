/* conn_line.c - buffered connections: reading lines, and up to a delimiter. Pausable C, and once
 * more plain. */
#include <stddef.h>
#include <stdint.h>

#include "net/conn_calls.h"

#include "co4/time.h"

/* Takes the input up to a delimiter of so many bytes: `n` is their number, 0 or a
 * code. */
#define TAKE_TO(n, c, data, delimiter, bytes, max, deadline)                                       \
    do {                                                                                           \
        size_t searched = 0, found = 0;                                                            \
        CO4__CONN_BEGIN_READING(n, c, deadline);                                                   \
        if ((n) > 0)                                                                               \
            co4__conn_uncover(c);                                                                  \
        while ((n) > 0 &&                                                                          \
               (found = co4__conn_find((c), (delimiter), (bytes), (max), searched)) == 0) {        \
            searched = co4_conn_buffered(c);                                                       \
            if (searched < (max))                                                                  \
                CO4__CONN_FILL(n, c, searched + 1, deadline);                                      \
            else                                                                                   \
                (n) = -EMSGSIZE;                                                                   \
        }                                                                                          \
        if ((n) >= 0)                                                                              \
            (n) = co4__conn_take_line((c), (n) > 0 ? found : co4_conn_buffered(c), (data));        \
    } while (0)

pausable ssize_t co4_conn_read_line_until(co4_conn *c, char **line, size_t max, int64_t deadline)
{
    ssize_t n;
    TAKE_TO(n, c, line, "\n", 1, max, deadline);
    return n;
}

pausable ssize_t co4_conn_read_to_until(co4_conn *c, char **data, const void *delimiter,
                                        size_t bytes, size_t max, int64_t deadline)
{
    if (bytes == 0 || !delimiter)
        return CO4_EINVAL;
    ssize_t n;
    TAKE_TO(n, c, data, delimiter, bytes, max, deadline);
    return n;
}

pausable ssize_t co4_conn_read_line(co4_conn *c, char **line, size_t max)
{
    return co4_conn_read_line_until(c, line, max, CO4_NEVER);
}

pausable ssize_t co4_conn_read_to(co4_conn *c, char **data, const void *delimiter, size_t bytes,
                                  size_t max)
{
    return co4_conn_read_to_until(c, data, delimiter, bytes, max, CO4_NEVER);
}
