/* file.c - calls on files: a try that never waits, and the call itself for a thread of the pool.
 *
 * Purpose: a read tries preadv2() with RWF_NOWAIT, and a write pwritev2(). The rest goes to the
 * ring (io/uring.c), if the kernel needs no thread for it; else to the pool, with all calls that
 * have no such form. The pool also makes what the ring could not.
 *
 * Invariants: the caller's buffers are written to during the call only. A call of the ring or the
 * pool is never abandoned, so a cancelled task waits for its end, in no wait queue
 * (sched/blocking.c). The try notes the descriptor's generation. The call makes sure that the
 * number still has it, and holds it meanwhile. So a co4_close() between the two gives EBADF, never
 * another file.
 *
 * Rejected: a buffer of the library's own, which a cancelled call could leave behind. A copy costs
 * each read, and a write would take place after its call has failed. openat2() with RESOLVE_CACHED
 * on the worker: the lookup does not wait, but the open of a network file system does. One read for
 * each directory entry: it would cost a change of threads. */
#define _GNU_SOURCE /* preadv2, and others */
#include "os/file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "core/runtime_id.h"
#include "io/attempt.h"
#include "io/descriptor.h"
#include "io/reactor.h"
#include "io/uring.h"
#include "io/vector.h"
#include "sched/runtime.h"

/* A copy of more bytes takes long for a step: another thread makes it. */
#define AT_ONCE ((size_t)256 * 1024)

/* ---- reads and writes ---- */

/* Returns -1 if the system would refuse the sum. */
static ssize_t bytes_of(const struct iovec *iov, int count)
{
    size_t bytes = 0;
    for (int i = 0; i < count; i++) {
        if (iov[i].iov_len > (size_t)SSIZE_MAX - bytes)
            return -1;
        bytes += iov[i].iov_len;
    }
    return (ssize_t)bytes;
}

/* The request for the bytes behind the first `done`: the rest of an element, or whole ones. */
static struct co4__uring_request rest_of(struct co4__transfer *t)
{
    struct co4__uring_request q = { .what = t->writes ? CO4__URING_WRITE : CO4__URING_READ,
                                    .iov = t->iov,
                                    .count = t->count,
                                    .offset = t->offset + (off_t)t->done };
    size_t in;
    if (CO4__LIKELY(t->done == 0))
        return q;
    int at = co4__vector_at(q.iov, q.count, t->done, &in);
    q.iov += at;
    q.count -= at;
    if (in > 0) {
        t->part = (struct iovec){ (char *)q.iov->iov_base + in, q.iov->iov_len - in };
        q.iov = &t->part;
        q.count = 1;
    }
    return q;
}

#if defined(__linux__) && defined(RWF_NOWAIT)

/* Returns whether the kernel makes this call with O_DIRECT without a thread. It has threads of its
 * own for a write that makes a file longer: they are slower than the pool. */
static bool suits_ring(const struct co4__descriptor *d, const struct co4__transfer *t)
{
    if (!t->writes)
        return true;
#if defined(STATX_SIZE) && defined(AT_STATX_DONT_SYNC)
    struct statx s; /* never asks a server */
    return statx(d->fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_SIZE | STATX_TYPE, &s) == 0 &&
           (!S_ISREG(s.stx_mode) ||
            t->offset + (off_t)bytes_of(t->iov, t->count) <= (off_t)s.stx_size);
#else
    (void)d;
    return false;
#endif
}

/* With O_DIRECT the call waits for the device, whatever RWF_NOWAIT says. A file system that does
 * not know RWF_NOWAIT would need a thread for a call of the ring, too. */
static ssize_t transfer_now(const struct co4__descriptor *d, struct co4__transfer *t)
{
    const struct co4__uring_request q = rest_of(t);
    ssize_t n;
    if (!co4__has_nowait(d, CO4__READING)) {
        t->suits_ring = suits_ring(d, t);
        return CO4__BLOCKS;
    }
    CO4__AGAIN(n, t->writes ? pwritev2(d->fd, q.iov, q.count, q.offset, RWF_NOWAIT)
                            : preadv2(d->fd, q.iov, q.count, q.offset, RWF_NOWAIT));
    if (n >= 0 || (errno != EAGAIN && errno != EOPNOTSUPP && errno != ENOSYS))
        return n;
    t->suits_ring = errno == EAGAIN;
    return CO4__BLOCKS;
}

#else

static ssize_t transfer_now(const struct co4__descriptor *d, struct co4__transfer *t)
{
    (void)d, (void)t;
    return CO4__BLOCKS;
}

#endif

static ssize_t try_held(const struct co4__descriptor *d, struct co4__transfer *t)
{
    ssize_t bytes = t->count < 0 || t->count > IOV_MAX ? -1 : bytes_of(t->iov, t->count);
    if (bytes < 0 || t->offset < 0) {
        errno = EINVAL;
        return -1;
    }
    if ((size_t)bytes > AT_ONCE)
        return CO4__BLOCKS;
    for (;;) { /* a short count is the end of the file, or the rest is not in memory */
        ssize_t n = transfer_now(d, t);
        if (n == CO4__BLOCKS)
            return n;
        if (n > 0)
            t->done += (size_t)n;
        if (n <= 0 || t->done == (size_t)bytes)
            return n < 0 && t->done == 0 ? n : (ssize_t)t->done;
    }
}

ssize_t co4__try_transfer(struct co4__transfer *t)
{
    struct co4__descriptor *d = co4__descriptor_enter(t->fd);
    if (!d)
        return -1;
    t->generation = co4__generation_of(atomic_load_explicit(&d->use, memory_order_relaxed));
    ssize_t n = try_held(d, t);
    co4__descriptor_leave(d);
    return n;
}

ssize_t co4__transfer_rest(struct co4__transfer *t)
{
    size_t bytes = (size_t)bytes_of(t->iov, t->count);
    struct co4__descriptor *d = co4__descriptor_enter_same(t->fd, t->generation);
    ssize_t n = 0;
    int err = EBADF;
    if (!d)
        return t->done > 0 ? (ssize_t)t->done : -err;
    do {
        const struct co4__uring_request q = rest_of(t);
        CO4__AGAIN(n, t->writes ? pwritev(t->fd, q.iov, q.count, q.offset)
                                : preadv(t->fd, q.iov, q.count, q.offset));
        err = errno;
        if (n > 0)
            t->done += (size_t)n;
    } while (n > 0 && t->done < bytes);
    co4__descriptor_leave(d);
    return n < 0 && t->done == 0 ? -err : (ssize_t)t->done;
}

/* ---- by the kernel ---- */

int co4__transfer_by_ring__co4(co4_fiber *co4, struct co4__transfer *t)
{
    co4_runtime *rt = co4__may_pause(co4) ? co4__runtime_of(co4__task_of(co4)) : NULL;
    if (!rt || rt->simulate.state || !co4__uring_is_allowed())
        return CO4_EAGAIN;
    struct co4__descriptor *d = co4__descriptor_enter_same(t->fd, t->generation);
    if (!d)
        return CO4_EAGAIN;
    const struct co4__uring_request q = rest_of(t);
    t->call = (struct co4__uring_call){ .task = co4__task_of(co4), .descriptor = d };
    /* No wait queue has the task: it waits for the end of the call, as for one of the pool. */
    co4->result.i = CO4_OK;
    co4_abi_pause(co4, CO4_ABI_WAITING); /* before another thread can wake it */
    if (co4__reactor_call(&t->call, &q))
        return CO4_OK;
    co4->pausing = CO4_ABI_RUNNING;
    co4__descriptor_leave(d);
    return CO4_EAGAIN;
}

/* Whether the kernel cannot make the call by the ring, or not at this moment. */
static bool is_for_the_pool(int err)
{
    return err == EAGAIN || err == EINTR || err == ECANCELED || err == ENOMEM || err == EOPNOTSUPP;
}

bool co4__transfer_is_over(struct co4__transfer *t)
{
    int n = t->call.result;
    if (n > 0) {
        t->done += (size_t)n;
        return t->done >= (size_t)bytes_of(t->iov, t->count);
    }
    if (n < 0 && is_for_the_pool(-n)) {
        t->suits_ring = false; /* from here on */
        return false;
    }
    t->error = -n;
    return true;
}

/* ---- other calls on a descriptor ---- */

bool co4__fd_generation(int fd, uint32_t *generation)
{
    struct co4__descriptor *d = co4__descriptor_enter(fd);
    if (!d)
        return false;
    *generation = co4__generation_of(atomic_load_explicit(&d->use, memory_order_relaxed));
    co4__descriptor_leave(d);
    return true;
}

static int fstat_into(int fd, struct stat *out)
{
    struct stat s;
    int n = fstat(fd, &s);
    if (n != 0)
        return n;
    if (!out) {
        errno = EFAULT;
        return -1;
    }
    *out = s;
    return 0;
}

int co4__fd_call(enum co4__fd_call call, int fd, uint32_t generation,
                 const struct co4__fd_argument *argument)
{
    struct co4__descriptor *d = co4__descriptor_enter_same(fd, generation);
    int n = -1;
    if (!d)
        return -EBADF;
    switch (call) {
    case CO4__FSYNC:
        CO4__AGAIN(n, fsync(fd));
        break;
    case CO4__FDATASYNC:
#ifdef __APPLE__
        CO4__AGAIN(n, fsync(fd));
#else
        CO4__AGAIN(n, fdatasync(fd));
#endif
        break;
    case CO4__FTRUNCATE:
        CO4__AGAIN(n, ftruncate(fd, argument->length));
        break;
    case CO4__FSTAT:
        n = fstat_into(fd, argument->out);
        break;
    }
    int err = errno;
    co4__descriptor_leave(d);
    return n < 0 ? -err : n;
}

/* ---- names ---- */

int co4__open_blocking(int folder, const char *path, int flags, mode_t mode)
{
    int fd, err;
    CO4__AGAIN(fd, openat(folder, path, flags, mode));
    if (fd < 0)
        return -errno;
#ifdef O_PATH
    if (flags & O_PATH)
        return fd; /* no call can read it, and it has no O_NONBLOCK */
#endif
    err = co4__descriptor_adopt(fd, false);
    if (err == 0)
        return fd;
    close(fd);
    return -err;
}

int co4__stat_blocking(const char *path, bool follows, struct stat *out)
{
    struct stat s;
    if ((follows ? stat(path, &s) : lstat(path, &s)) != 0)
        return -errno;
    *out = s;
    return 0;
}

int co4__rename_blocking(const char *from, const char *to)
{
    return rename(from, to) == 0 ? 0 : -errno;
}

int co4__unlink_blocking(const char *path)
{
    return unlink(path) == 0 ? 0 : -errno;
}

int co4__mkdir_blocking(const char *path, mode_t mode)
{
    return mkdir(path, mode) == 0 ? 0 : -errno;
}

int co4__rmdir_blocking(const char *path)
{
    return rmdir(path) == 0 ? 0 : -errno;
}

/* ---- directories ---- */

#define DIR_BYTES 16384
#define NAME_AT   offsetof(struct dirent, d_name)
/* The longest one: on WASI the struct has no room for the name. */
#define ENTRY_MOST                                                                                 \
    (sizeof(struct dirent) > NAME_AT + NAME_MAX + 1 ? sizeof(struct dirent)                        \
                                                    : NAME_AT + NAME_MAX + 1)

/* Entries are copied, so that one call of the pool reads many. Each begins at a multiple of
 * ENTRY_ALIGN, and is as long as its name needs. */
#define ENTRY_ALIGN 16

struct co4_dir {
    DIR *stream;
    size_t at, bytes; /* the next entry, and where they end */
    bool ended;
    _Alignas(ENTRY_ALIGN) char entries[DIR_BYTES];
};

static size_t size_of(const struct dirent *entry)
{
    size_t size = NAME_AT + strlen(entry->d_name) + 1;
    return (size + ENTRY_ALIGN - 1) / ENTRY_ALIGN * ENTRY_ALIGN;
}

int co4__opendir_blocking(const char *path, co4_dir **out)
{
    co4_dir *dir = NULL;
    if (!path)
        return -EFAULT; /* a C library may read it */
    DIR *stream = opendir(path);
    if (!stream)
        return -errno;
    if (posix_memalign((void **)&dir, ENTRY_ALIGN, sizeof *dir) != 0) {
        closedir(stream);
        return -ENOMEM;
    }
    dir->stream = stream;
    dir->at = dir->bytes = 0;
    dir->ended = false;
    *out = dir;
    return 0;
}

struct dirent *co4__dir_next(co4_dir *dir)
{
    if (dir->at == dir->bytes)
        return NULL;
    struct dirent *entry = (struct dirent *)(void *)(dir->entries + dir->at);
    dir->at += size_of(entry);
    return entry;
}

int co4__dir_fill(co4_dir *dir)
{
    dir->at = dir->bytes = 0;
    if (dir->ended)
        return 0;
    while (dir->bytes + ENTRY_MOST + ENTRY_ALIGN <= DIR_BYTES) {
        errno = 0;
        const struct dirent *entry = readdir(dir->stream);
        if (!entry && errno != 0)
            return dir->bytes > 0 ? 0 : -errno; /* the entries first: the next call fails again */
        if (!entry) {
            dir->ended = true;
            return 0;
        }
        if (size_of(entry) > DIR_BYTES - dir->bytes)
            return -EOVERFLOW; /* a host of WASI has longer names */
        memcpy(dir->entries + dir->bytes, entry, NAME_AT + strlen(entry->d_name) + 1);
        dir->bytes += size_of(entry);
    }
    return 0;
}

int co4_closedir(co4_dir *dir)
{
    if (!dir) {
        errno = EINVAL;
        return -1;
    }
    closedir(dir->stream);
    free(dir);
    return 0;
}
