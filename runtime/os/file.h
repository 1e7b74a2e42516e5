/* file.h - calls on files, one each: those that never wait, and those for a thread that may block.
 *
 * Except for the tries, a negative result is an error number: `errno` is the thread's that makes
 * the call. */
#ifndef CO4_FILE_INTERNAL_H
#define CO4_FILE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "io/uring.h"
#include "os/public.h"

/* A read or a write at an offset. */
struct co4__transfer {
    int fd;
    const struct iovec *iov;
    int count;
    off_t offset;
    bool writes;
    uint32_t generation; /* of the descriptor: the try sets it */
    size_t done;         /* bytes that have been transferred */
    int error;           /* an error number, if the ring has found one */
    bool suits_ring;     /* the kernel makes it without a thread, as far as known */
    struct iovec part;   /* what is left of an element */
    struct co4__uring_call call;
};

/* Leaves the fields that only the ring uses as they are. */
static inline void co4__transfer_begin(struct co4__transfer *t, int fd, const struct iovec *iov,
                                       int count, off_t offset, bool writes)
{
    t->fd = fd;
    t->iov = iov;
    t->count = count;
    t->offset = offset;
    t->writes = writes;
    t->done = 0;
    t->error = 0;
    t->suits_ring = false;
}

/* Transfers as much as it can without a wait. Returns the number of bytes when nothing is left to
 * do, or -1 with `errno`. CO4__BLOCKS: co4__transfer_rest() does the rest, on a thread that may
 * block. */
ssize_t co4__try_transfer(struct co4__transfer *t);
/* Returns the bytes of the whole transfer. */
ssize_t co4__transfer_rest(struct co4__transfer *t);

#ifndef CO4_PLAIN
/* Has the kernel do the rest, or a part of it, and waits until that has ended, also in a cancelled
 * task. CO4_EAGAIN: the ring does not take it, and nothing was done. */
pausable int co4__transfer_by_ring(struct co4__transfer *t);
/* After that: returns whether the transfer is over. If not, its rest has to be done. */
bool co4__transfer_is_over(struct co4__transfer *t);
#endif

enum co4__fd_call { CO4__FSYNC, CO4__FDATASYNC, CO4__FTRUNCATE, CO4__FSTAT };
struct co4__fd_argument {
    off_t length;
    struct stat *out;
};

/* The generation of the descriptor that has this number. False: none, with `errno`. */
bool co4__fd_generation(int fd, uint32_t *generation);

int co4__fd_call(enum co4__fd_call call, int fd, uint32_t generation,
                 const struct co4__fd_argument *argument);
int co4__open_blocking(int folder, const char *path, int flags, mode_t mode);
int co4__stat_blocking(const char *path, bool follows, struct stat *out);
int co4__rename_blocking(const char *from, const char *to);
int co4__unlink_blocking(const char *path);
int co4__mkdir_blocking(const char *path, mode_t mode);
int co4__rmdir_blocking(const char *path);

/* ---- directories ---- */

int co4__opendir_blocking(const char *path, co4_dir **out);
/* The next entry that has been read; NULL: none. */
struct dirent *co4__dir_next(co4_dir *dir);
/* Reads entries. Returns 0, also at the end, or a negative error number. */
int co4__dir_fill(co4_dir *dir);

#endif
