/* attempt_file.c - the part of a call that a try leaves to a thread that may block.
 *
 * Purpose: poll() calls a file always ready, but its calls wait for the device all the same. A try
 * reads what is in memory (system.c), and this file reads the rest. sendfile() has no such flag. So
 * a call first asks whether the part that it is about to send is in memory, and else fetches it.
 *
 * Invariants: a read at the position moves it by what was read, and never back: other threads and
 * processes may share it. */
#define _GNU_SOURCE /* preadv2, readahead */
#include "io/attempt.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif

#include "base/compiler.h"
#include "io/blocking_write.h"
#include "io/descriptor.h"
#include "io/vector.h"
#include "platform/thread.h"

struct co4__attempt_part co4__attempt_part(void)
{
    struct co4__local *here = co4__local();
    struct co4__attempt_part part = { here->attempt.descriptor->fd, here->attempt.generation,
                                      here->attempt.done, (off_t)here->attempt.at };
    here->attempt.done = 0;
    return part;
}

struct co4__attempt_part co4__attempt_none(int fd)
{
    struct co4__attempt_part part = { .fd = fd };
    struct co4__descriptor *d = co4__descriptor_enter(fd);
    if (d) {
        part.generation = co4__generation_of(atomic_load_explicit(&d->use, memory_order_relaxed));
        co4__descriptor_leave(d);
    }
    return part;
}

/* ---- the rest ---- */

/* One call reads what is behind the first `done` bytes: two could have a read of another thread in
 * between. */
static ssize_t read_rest(int fd, const struct iovec *to, int count, size_t done)
{
    struct iovec rest[IOV_MAX];
    size_t in;
    ssize_t n;
    int at = co4__vector_at(to, count, done, &in);
    for (int i = at; i < count; i++)
        rest[i - at] = to[i];
    if (at < count) {
        rest->iov_base = (char *)rest->iov_base + in;
        rest->iov_len -= in;
    }
    CO4__AGAIN(n, readv(fd, rest, count - at));
    return n;
}

ssize_t co4__read_blocking(struct co4__attempt_part part, const struct iovec *to, int count)
{
    struct co4__descriptor *d = co4__descriptor_enter_same(part.fd, part.generation);
    ssize_t n = 0;
    int err = EBADF;
    if (!d)
        return part.done > 0 ? (ssize_t)part.done : -err;
    if (part.done == 0)
        CO4__AGAIN(n, readv(part.fd, to, count));
    else if (lseek(part.fd, 0, SEEK_CUR) ==
             part.at) /* otherwise its bytes do not follow the others */
        n = read_rest(part.fd, to, count, part.done);
    err = errno;
    co4__descriptor_leave(d);
    if (part.done > 0)
        return (ssize_t)part.done + (n > 0 ? n : 0);
    return n < 0 ? -err : n;
}

ssize_t co4__write_blocking(struct co4__attempt_part part, const struct iovec *from, int count)
{
    struct co4__descriptor *d = co4__descriptor_enter_same(part.fd, part.generation);
    if (!d)
        return -EBADF;
    ssize_t n = co4__write_guarded(part.fd, from, count, false);
    int err = errno;
    co4__descriptor_leave(d);
    return n < 0 ? -err : n;
}

#ifdef __linux__

/* ---- whether a part of a file is in memory ---- */

enum { PAGE = 4096 }; /* or a multiple */

#ifdef RWF_NOWAIT

/* 1: the byte is in memory. 0: there is none. -1: with `errno`. */
static ssize_t probe(int in, off_t at)
{
    char byte;
    struct iovec one = { &byte, 1 };
    return preadv2(in, &one, 1, at, RWF_NOWAIT);
}

/* Since Linux 6.5. Returns the number of pages of this range that are in memory; -1: unknown. Pages
 * that are being read count as well. */
static int64_t pages_of(int in, off_t at, size_t bytes)
{
#if defined(__x86_64__) || defined(__aarch64__)
    struct {
        uint64_t offset, bytes;
    } range = { (uint64_t)at, bytes };
    uint64_t counts[5] = { 0 };
    return syscall(451, in, &range, counts, 0) == 0 ? (int64_t)counts[0] : -1;
#else
    (void)in, (void)at, (void)bytes;
    return -1;
#endif
}

/* The ends are probed, as pages in between are mostly read in order; a count of the pages finds
 * those that were given back. */
static bool is_near(int in, off_t at, size_t bytes)
{
    off_t last = at + (off_t)bytes - 1;
    ssize_t n = probe(in, last);
    struct stat s;
    if (n == 0) {
        if (fstat(in, &s) != 0 || s.st_size <= at)
            return true;
        last = s.st_size - 1;
        n = probe(in, last);
    }
    if (n > 0 && at / PAGE < last / PAGE)
        n = probe(in, at);
    if (n > 0 && at / PAGE + 1 < last / PAGE) {
        int64_t pages = pages_of(in, at, (size_t)(last - at + 1)), size = sysconf(_SC_PAGESIZE);
        return pages < 0 || pages >= last / size - at / size + 1;
    }
    if (n >= 0)
        return true;
    if (errno == EOPNOTSUPP || errno == ENOSYS)
        return fstat(in, &s) != 0 || !(S_ISREG(s.st_mode) || S_ISBLK(s.st_mode));
    return errno != EAGAIN; /* the call itself says what is wrong */
}

size_t co4__file_is_far(int in, const off_t *offset, size_t bytes, off_t *at)
{
    *at = offset ? *offset : lseek(in, 0, SEEK_CUR);
    return *at < 0 || bytes == 0 || is_near(in, *at, bytes) ? 0 : bytes;
}

#else

size_t co4__file_is_far(int in, const off_t *offset, size_t bytes, off_t *at)
{
    (void)in, (void)offset, (void)bytes;
    *at = 0;
    return 0;
}

#endif

ssize_t co4__file_fetch(int in, off_t at, size_t bytes)
{
    struct co4__descriptor *d = co4__descriptor_enter(in);
    char byte;
    ssize_t n = 1;
    if (!d)
        return 0; /* the next call says so */
    readahead(in, at, bytes);
    for (off_t end = at + (off_t)bytes; n > 0 && at < end; at += PAGE - at % PAGE)
        CO4__AGAIN(n, pread(in, &byte, 1, at));
    co4__descriptor_leave(d);
    return 0;
}

#endif
