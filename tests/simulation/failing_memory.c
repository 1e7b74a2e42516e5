/* failing_memory.c - a library to preload: the n-th allocation of a run fails, once.
 *
 * FAIL_AT is n, FAIL_COUNT a file in which all processes of the run count together. FAIL_SEEN is a
 * file that is made when it fails. Counted are malloc() and its kin, and so what the C library
 * allocates for its caller, and mmap(). */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);

static _Atomic long *count;
static long fail_at;
static const char *seen;

/* The environment may be another one later. */
__attribute__((constructor)) static void begin(void)
{
    const char *at = getenv("FAIL_AT"), *file = getenv("FAIL_COUNT");
    seen = getenv("FAIL_SEEN");
    if (!at || !file || !seen)
        return;
    int fd = (int)syscall(SYS_openat, AT_FDCWD, file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || syscall(SYS_ftruncate, fd, 4096L) != 0)
        _exit(99);
    count = (void *)syscall(SYS_mmap, NULL, 4096L, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0L);
    syscall(SYS_close, fd);
    seen = strdup(seen);
    fail_at = strtol(at, NULL, 10);
}

static bool fails(void)
{
    if (fail_at == 0 || atomic_fetch_add(count, 1) + 1 != fail_at)
        return false;
    syscall(SYS_close, (int)syscall(SYS_openat, AT_FDCWD, seen, O_WRONLY | O_CREAT, 0600));
    errno = ENOMEM;
    return true;
}

void *malloc(size_t bytes)
{
    return fails() ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t n, size_t bytes)
{
    return fails() ? NULL : __libc_calloc(n, bytes);
}

void *realloc(void *old, size_t bytes)
{
    return fails() ? NULL : __libc_realloc(old, bytes);
}

void *mmap(void *at, size_t bytes, int may, int flags, int fd, off_t from)
{
    return fails() ? MAP_FAILED : (void *)syscall(SYS_mmap, at, bytes, may, flags, fd, from);
}
