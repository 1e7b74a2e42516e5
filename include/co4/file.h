/* co4/file.h - the calls of POSIX for files and names, for tasks.
 *
 * Each call has the parameters, the values and the `errno` of the call without `co4_`. A read whose
 * bytes are in memory returns at once. Every other call is made by the kernel (io_uring, on Linux)
 * or by a thread of the blocking pool (blocking.h), and the task pauses meanwhile:
 *
 *     pausable long copy_of(const char *path, char *to, size_t room)
 *     {
 *         int fd = co4_open(path, O_RDONLY | O_CLOEXEC);
 *         if (fd < 0)
 *             return -1;
 *         ssize_t n = co4_pread(fd, to, room, 0);
 *         co4_close(fd);
 *         return n;
 *     }
 *
 * Cancellation and deadlines. The system does not withdraw a call on a file. So a call that has
 * begun goes on to its end, and returns its result, also when its task is cancelled meanwhile. No
 * buffer is written to after the return. A call of a cancelled task does not begin. There are no
 * _until forms: a deadline could not end the call. */
#ifndef CO4_FILE_H
#define CO4_FILE_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "mark.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Unless a function says otherwise:
 *
 * Returns: what the call of POSIX returns. -1 and `errno`: as POSIX says, and ECANCELED when the
 *     task is cancelled before the call; ENOTSUP inside a generator.
 * Pauses: while the kernel or a thread of the pool makes the call. Plain: blocks the thread.
 * Blocks: never. Where neither can make the call (blocking.h), this thread makes it.
 * Cancellation: ECANCELED if the call has not begun; otherwise the call ends first.
 * Thread safety: any task, also several at one descriptor.
 * Ownership: buffers and strings stay the caller's, and where they are, until the call returns.
 * Since: 0.2. */

/* Opens a file. The descriptor is attached (io.h), and is closed by co4_close(). A descriptor of a
 * pipe, a socket or a device gets O_NONBLOCK. The open of a FIFO waits for its other end, and
 * occupies a thread of the pool until then; with O_NONBLOCK it does not wait. O_CREAT and O_TMPFILE
 * need the third argument, a mode_t. */
pausable_or_block int co4_open(const char *path, int flags, ...);
pausable_or_block int co4_openat(int folder, const char *path, int flags, ...);

/* Read and write at an offset; the position of the descriptor stays. A read returns fewer bytes
 * only at the end of the file, a write only after a failure; its reason comes with the next call.
 * On other descriptors than files: ESPIPE. */
pausable_or_block ssize_t co4_pread(int fd, void *to, size_t bytes, off_t offset);
pausable_or_block ssize_t co4_pwrite(int fd, const void *from, size_t bytes, off_t offset);
pausable_or_block ssize_t co4_preadv(int fd, const struct iovec *to, int count, off_t offset);
pausable_or_block ssize_t co4_pwritev(int fd, const struct iovec *from, int count, off_t offset);

/* Contents and length. */
pausable_or_block int co4_fsync(int fd);
pausable_or_block int co4_fdatasync(int fd);
pausable_or_block int co4_ftruncate(int fd, off_t length);

/* Properties. *out changes only on success. */
pausable_or_block int co4_stat(const char *path, struct stat *out);
pausable_or_block int co4_lstat(const char *path, struct stat *out);
pausable_or_block int co4_fstat(int fd, struct stat *out);

/* Names. */
pausable_or_block int co4_rename(const char *from, const char *to);
pausable_or_block int co4_unlink(const char *path);
pausable_or_block int co4_mkdir(const char *path, mode_t mode);
pausable_or_block int co4_rmdir(const char *path);

/* An open directory, for one task at a time. */
typedef struct co4_dir co4_dir;

/* Opens a directory.
 *
 * Returns: the directory; NULL with `errno`.
 * Ownership: the caller's, until co4_closedir(). */
CO4_MUST_USE pausable_or_block co4_dir *co4_opendir(const char *path);

/* The next entry, in the order of the system, "." and ".." among them. One call of the pool reads
 * many entries; most calls return at once.
 *
 * Returns: the entry; NULL at the end with `errno` 0, and NULL with another `errno`.
 * Ownership: the entry is the directory's, until the next call. */
pausable_or_block struct dirent *co4_readdir(co4_dir *dir);

/* Closes a directory.
 *
 * Returns: 0; -1 with EINVAL for NULL.
 * Thread safety: no other call uses the directory.
 * Ownership: ends the caller's. */
int co4_closedir(co4_dir *dir);

#ifdef __cplusplus
}
#endif

#endif
