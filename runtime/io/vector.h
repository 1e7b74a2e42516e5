/* vector.h - parts of a read or a write: a struct iovec for each; and calls that a signal ends. */
#ifndef CO4_VECTOR_H
#define CO4_VECTOR_H

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>

#define CO4__AGAIN(n, call)                                                                        \
    do                                                                                             \
        (n) = (call);                                                                              \
    while ((n) < 0 && errno == EINTR)

/* Are these no parts that a call may have? `errno` says why. */
static inline bool co4__vector_is_wrong(const struct iovec *iov, int count)
{
    if (count >= 0 && count <= IOV_MAX && (iov || count == 0))
        return false;
    errno = count >= 0 && count <= IOV_MAX ? EFAULT : EINVAL;
    return true;
}

static inline size_t co4__vector_bytes(const struct iovec *iov, size_t count)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += iov[i].iov_len;
    return bytes;
}

/* Where the bytes behind the first `done` begin: the element, and the place in it. */
static inline int co4__vector_at(const struct iovec *iov, int count, size_t done, size_t *in)
{
    int i = 0;
    for (; i < count && done >= iov[i].iov_len; i++)
        done -= iov[i].iov_len;
    *in = done;
    return i;
}

/* The first element that has bytes, of which at most so many. `count` is at least 1. */
static inline struct iovec co4__vector_first(const struct iovec *iov, int count, size_t most)
{
    while (count-- > 1 && iov->iov_len == 0)
        iov++;
    return (struct iovec){ iov->iov_base, iov->iov_len < most ? iov->iov_len : most };
}

#endif
