/* close.c - descriptors that a program without marks closes.
 *
 * Purpose: the library knows which descriptors tasks wait for, and has to learn when a number loses
 * its meaning. A program that is woven as a whole closes descriptors by the calls of the system. So
 * its link turns these calls into those below, by the linker's option --wrap, in all objects and
 * archives. Nothing else refers to this file.
 *
 * The library's own descriptors are not open to such a program: a loop that closes all spares them.
 *
 * Invariants: co4_close() marks the descriptor before it calls close(), so that call passes. A
 * handler of signals that jumps out of these waits until the library knows of the end
 * (base/inside.h). */
#define _POSIX_C_SOURCE 200809L /* fileno */
#include "posix/close.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/inside.h"
#include "base/public.h"
#include "co4/io.h"
#include "io/attempt.h"
#include "io/descriptor.h"
#include "platform/fd.h"

int __wrap_close(int fd);
int __wrap_dup2(int from, int to);
int __wrap_dup3(int from, int to, int flags);
int __wrap_fclose(FILE *file);
int __wrap_pclose(FILE *file);
int __wrap_close_range(unsigned first, unsigned last, int flags);
void __wrap_closefrom(int first);
/* Older C libraries have none. */
__attribute__((weak)) int __real_close_range(unsigned first, unsigned last, int flags);
__attribute__((weak)) void __real_closefrom(int first);
int __real_close(int fd);
int __real_dup2(int from, int to);
int __real_dup3(int from, int to, int flags);
int __real_fclose(FILE *file);
int __real_pclose(FILE *file);

int (*co4__posix_duplicated)(int from, int to);

static bool is_known(int fd)
{
    struct co4__descriptor *d = fd < 0 ? NULL : co4__descriptor_at(fd);
    return d && co4__is_attached(atomic_load_explicit(&d->use, memory_order_acquire));
}

static void forget(int fd)
{
    co4_abi_enter();
    if (is_known(fd))
        co4_fd_detach(fd);
    co4_abi_leave();
}

int __wrap_close(int fd)
{
    if (co4__is_own_fd(fd))
        return co4__errno_fails(EBADF);
    co4_abi_enter();
    int n = is_known(fd) ? co4_close(fd) : __real_close(fd);
    co4_abi_leave();
    return n;
}

static int duplicated(int from, int to)
{
    return co4__posix_duplicated && to >= 0 && from != to ? co4__posix_duplicated(from, to) : to;
}

/* EBUSY: as where another thread is about to have the number. */
int __wrap_dup2(int from, int to)
{
    if (co4__is_own_fd(to))
        return co4__errno_fails(EBUSY);
    if (from != to)
        forget(to);
    return duplicated(from, __real_dup2(from, to));
}

int __wrap_dup3(int from, int to, int flags)
{
    if (co4__is_own_fd(to))
        return co4__errno_fails(EBUSY);
    if (from != to)
        forget(to);
    return duplicated(from, __real_dup3(from, to, flags));
}

/* A stream of memory has no descriptor. */
static void forget_stream(FILE *file)
{
    int was = errno;
    forget(fileno(file));
    errno = was;
}

int __wrap_fclose(FILE *file)
{
    forget_stream(file);
    return __real_fclose(file);
}

int __wrap_pclose(FILE *file)
{
    forget_stream(file);
    return __real_pclose(file);
}

/* Looks at records that exist. */
static void forget_range(unsigned first, unsigned last)
{
    const unsigned all = CO4__DESCRIPTOR_CHUNK * CO4__DESCRIPTOR_CHUNKS;
    for (unsigned fd = first; fd <= last && fd < all;)
        if (co4__descriptor_at((int)fd))
            forget((int)fd++);
        else
            fd += CO4__DESCRIPTOR_CHUNK - fd % CO4__DESCRIPTOR_CHUNK;
}

/* The first of the library's own in a range; the number after the range: there is none. */
static uint64_t next_own(uint64_t first, uint64_t last)
{
    for (; first <= last && first < CO4__OWN_FDS; first++)
        if (co4__is_own_fd((int)first))
            return first;
    return last + 1;
}

/* With that flag the descriptors stay open until an execve(). */
int __wrap_close_range(unsigned first, unsigned last, int flags)
{
    if (first <= last && !(flags & 4 /* CLOSE_RANGE_CLOEXEC */))
        forget_range(first, last);
    for (uint64_t from = first, to; from <= last; from = to + 1) {
        to = next_own(from, last);
        if (to > from && __real_close_range((unsigned)from, (unsigned)(to - 1), flags) != 0)
            return -1;
    }
    return first <= last ? 0 : co4__errno_fails(EINVAL);
}

void __wrap_closefrom(int first)
{
    uint64_t from = first > 0 ? (uint64_t)first : 0;
    forget_range((unsigned)from, INT_MAX);
    for (uint64_t own; (own = next_own(from, INT_MAX)) <= INT_MAX; from = own + 1)
        for (; from < own; from++)
            __real_close((int)from);
    __real_closefrom((int)from);
}
