/* syncs.c - calls that make files durable, reads that fail, and the end of the program, with a
 * simulated disk. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "posix/wraps.h"
#include "simulation/disk.h"
#include "simulation/run.h"

CO4__WRAPS(fsync, (int fd));
CO4__WRAPS(fdatasync, (int fd));
CO4__WRAPS(syncfs, (int fd));
CO4__WRAPS(msync, (void *begin, size_t bytes, int flags));
void __wrap_sync(void);
void __real_sync(void);
_Noreturn void __wrap__exit(int status);
_Noreturn void __real__exit(int status);
_Noreturn void __wrap__Exit(int status);

/* ---- files and folders ---- */

static int sync_file(struct co4__disk_file *f, int fd)
{
    if (co4__disk_call()) {
        co4__disk_write_back(f, fd);
        co4__disk_crash();
    }
    if (co4__disk_happens(co4__disk->faults.sync, "fsync")) {
        co4__disk_fail_sync(f, fd);
        errno = EIO;
        return -1;
    }
    return co4__disk_sync_file(f, fd);
}

static int sync_folder(ino_t ino)
{
    bool dies = co4__disk_call();
    if (!dies && co4__disk_happens(co4__disk->faults.sync, "fsync")) {
        errno = EIO;
        return -1;
    }
    co4__disk_sync_folder(ino);
    if (dies)
        co4__disk_crash();
    return 0;
}

/* -2: it is not the disk's. */
static int sync_any(int fd)
{
    struct stat s;
    struct co4__disk_file *f = co4__disk ? co4__disk_file_of(fd) : NULL;
    if (f)
        return sync_file(f, fd);
    if (!co4__disk || __real_fstat(fd, &s) != 0 || !S_ISDIR(s.st_mode) ||
        s.st_dev != co4__disk->device)
        return -2;
    return sync_folder(s.st_ino);
}

int __wrap_fsync(int fd)
{
    int n = sync_any(fd);
    return n == -2 ? __real_fsync(fd) : n;
}

int __wrap_fdatasync(int fd)
{
    int n = sync_any(fd);
    return n == -2 ? __real_fdatasync(fd) : n;
}

void __wrap_sync(void)
{
    if (!co4__disk) {
        __real_sync();
        return;
    }
    bool dies = co4__disk_call();
    co4__disk_sync_contents();
    co4__disk_sync_names();
    if (dies)
        co4__disk_crash();
}

int __wrap_syncfs(int fd)
{
    struct stat s;
    if (!co4__disk || __real_fstat(fd, &s) != 0 || s.st_dev != co4__disk->device)
        return __real_syncfs(fd);
    __wrap_sync();
    return 0;
}

/* ---- memory that is mapped ---- */

/* A line of /proc/self/maps. */
struct mapping {
    uintptr_t begin, end;
    int64_t offset;
    ino_t ino;
};

static void sync_mapping(const struct mapping *m, uintptr_t from, uintptr_t to)
{
    struct co4__disk_file *f = m->ino ? co4__disk_file_by(m->ino) : NULL;
    from = from > m->begin ? from : m->begin;
    to = to < m->end ? to : m->end;
    if (!f || from >= to)
        return;
    int fd = co4__disk_open_file(f);
    if (fd >= 0) {
        co4__disk_sync_range(f, fd, m->offset + (int64_t)(from - m->begin),
                             m->offset + (int64_t)(to - m->begin));
        __real_close(fd);
    }
}

/* Mappings are not kept: mremap(), partial munmap() and fork() change them. */
static void sync_memory(uintptr_t from, uintptr_t to)
{
    int fd = __real_open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    FILE *maps = fd >= 0 ? fdopen(fd, "r") : NULL;
    char line[CO4__DISK_PATH + 100];
    while (maps && fgets(line, sizeof line, maps)) {
        unsigned long long begin, end, offset, ino;
        if (sscanf(line, "%llx-%llx %*s %llx %*s %llu", &begin, &end, &offset, &ino) == 4) {
            struct mapping m = { (uintptr_t)begin, (uintptr_t)end, (int64_t)offset, (ino_t)ino };
            sync_mapping(&m, from, to);
        }
    }
    if (maps)
        fclose(maps);
}

int __wrap_msync(void *begin, size_t bytes, int flags)
{
    int n = __real_msync(begin, bytes, flags);
    if (!co4__disk || n != 0 || !(flags & MS_SYNC))
        return n;
    bool dies = co4__disk_call();
    if (!dies && co4__disk_happens(co4__disk->faults.sync, "fsync")) {
        errno = EIO;
        return -1;
    }
    if (!dies)
        sync_memory((uintptr_t)begin, (uintptr_t)begin + bytes);
    if (dies)
        co4__disk_crash();
    return 0;
}

/* ---- reads that fail ---- */

/* Returns how many bytes it may read; -1: it fails. */
static ssize_t begin_read(int fd, size_t bytes)
{
    if (!co4__disk || co4__disk->faults.read == 0 || bytes == 0 || !co4__disk_file_of(fd) ||
        !co4__disk_happens(co4__disk->faults.read, "read"))
        return (ssize_t)bytes;
    size_t part = (size_t)(co4__disk_random() % bytes);
    if (part > 0 && co4__disk_random() % 2 == 0)
        return (ssize_t)part;
    errno = EIO;
    return -1;
}

ssize_t __real_read(int fd, void *to, size_t bytes);
ssize_t co4__disk_read(int fd, void *to, size_t bytes)
{
    ssize_t most = begin_read(fd, bytes);
    if (most < 0)
        return -1;
    bytes = (size_t)most;
    return __real_read(fd, to, bytes);
}

ssize_t __real_pread(int fd, void *to, size_t bytes, off_t at);
ssize_t co4__disk_pread(int fd, void *to, size_t bytes, off_t at)
{
    ssize_t most = begin_read(fd, bytes);
    if (most < 0)
        return -1;
    bytes = (size_t)most;
    return __real_pread(fd, to, bytes, at);
}

/* A part of a vector is its first entry. */

ssize_t __real_readv(int fd, const struct iovec *to, int count);
ssize_t co4__disk_readv(int fd, const struct iovec *to, int count)
{
    struct iovec one = count > 0 ? to[0] : (struct iovec){ 0 };
    ssize_t most = begin_read(fd, one.iov_len);
    if (most < 0)
        return -1;
    if ((size_t)most < one.iov_len) {
        one.iov_len = (size_t)most;
        to = &one;
        count = 1;
    }
    return __real_readv(fd, to, count);
}

ssize_t __real_preadv(int fd, const struct iovec *to, int count, off_t at);
ssize_t co4__disk_preadv(int fd, const struct iovec *to, int count, off_t at)
{
    struct iovec one = count > 0 ? to[0] : (struct iovec){ 0 };
    ssize_t most = begin_read(fd, one.iov_len);
    if (most < 0)
        return -1;
    if ((size_t)most < one.iov_len) {
        one.iov_len = (size_t)most;
        to = &one;
        count = 1;
    }
    return __real_preadv(fd, to, count, at);
}

ssize_t __real_preadv2(int fd, const struct iovec *to, int count, off_t at, int flags);
ssize_t co4__disk_preadv2(int fd, const struct iovec *to, int count, off_t at, int flags)
{
    struct iovec one = count > 0 ? to[0] : (struct iovec){ 0 };
    ssize_t most = begin_read(fd, one.iov_len);
    if (most < 0)
        return -1;
    if ((size_t)most < one.iov_len) {
        one.iov_len = (size_t)most;
        to = &one;
        count = 1;
    }
    return __real_preadv2(fd, to, count, at, flags);
}

/* ---- the end ---- */

void __wrap__exit(int status)
{
    if (co4__simulated_ends)
        co4__simulated_ends();
    if (co4__disk)
        co4__disk_end(status);
    __real__exit(status);
}

void __wrap__Exit(int status)
{
    __wrap__exit(status);
}
