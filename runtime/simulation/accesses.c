/* accesses.c - what the C library does to the program's memory, for a run that looks for races.
 *
 * In the program's own code the compiler has other names for functions that access memory: what the
 * library does for itself is no access of a thread. The link turns the calls of others into those
 * of this file, in all objects. A free of memory writes it, so that it races with what another
 * thread has done there; then the memory is forgotten, and so is what is given anew. */
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "co4/abi.h"
#include "posix/order.h"
#include "simulation/races.h"

#define HERE __builtin_return_address(0)

/* The compiler has this name for the function in the program's own code (weaver/command/races.c). A
 * program that defines the function itself has its own. */
#define RACED(type, name, parameters)                                                              \
    __attribute__((weak)) type co4__raced_##name parameters;                                       \
    __attribute__((weak)) type co4__raced_##name parameters

#define INSTEAD(type, name, parameters)                                                            \
    type __real_##name parameters;                                                                 \
    type __wrap_##name parameters;                                                                 \
    type __wrap_##name parameters

static void reads(const void *at, size_t bytes, const void *place)
{
    co4__race_access(at, bytes, 0, place);
}

static void writes(const void *at, size_t bytes, const void *place)
{
    co4__race_access(at, bytes, CO4__ACCESS_WRITES, place);
}

/* ---- memory ---- */

static void *is_new(void *at)
{
    if (at)
        co4__race_forget(at, malloc_usable_size(at));
    return at;
}

/* It may be given anew where the link does not see it: within the C library. */
static void ends(void *at, const void *place)
{
    if (!at)
        return;
    co4__race_access(at, malloc_usable_size(at), CO4__ACCESS_WRITES | CO4__ACCESS_FREES, place);
    co4__race_forget(at, malloc_usable_size(at));
}

INSTEAD(void *, malloc, (size_t bytes))
{
    return is_new(__real_malloc(bytes));
}

INSTEAD(void *, calloc, (size_t count, size_t bytes))
{
    return is_new(__real_calloc(count, bytes));
}

/* It writes the old block, and leaves it or goes on with it. */
RACED(void *, realloc, (void *at, size_t bytes))
{
    size_t before = at ? malloc_usable_size(at) : 0;
    writes(at, before, HERE);
    co4__race_forget(at, before);
    void *old = at, *fresh = realloc(at, bytes);
    is_new(fresh);
    if (fresh && fresh == old)
        writes(fresh, before, HERE);
    return fresh;
}

RACED(void *, reallocarray, (void *at, size_t count, size_t bytes))
{
    size_t all;
    return __builtin_mul_overflow(count, bytes, &all) ? reallocarray(at, count, bytes)
                                                      : co4__raced_realloc(at, all);
}

INSTEAD(void *, aligned_alloc, (size_t align, size_t bytes))
{
    return is_new(__real_aligned_alloc(align, bytes));
}

INSTEAD(void *, memalign, (size_t align, size_t bytes))
{
    return is_new(__real_memalign(align, bytes));
}

INSTEAD(int, posix_memalign, (void **to, size_t align, size_t bytes))
{
    int err = __real_posix_memalign(to, align, bytes);
    if (err == 0)
        is_new(*to);
    return err;
}

RACED(void, free, (void *at))
{
    ends(at, HERE);
    free(at);
}

INSTEAD(int, munmap, (void *at, size_t bytes))
{
    int n = __real_munmap(at, bytes);
    if (n == 0)
        co4__race_forget(at, bytes);
    return n;
}

/* ---- frames of tasks: a task may take what another one had ---- */

static void *is_frame(void *frame, const co4_abi_func *func)
{
    if (frame)
        co4__race_forget(frame, func->frame_bytes);
    return frame;
}

INSTEAD(void *, co4_abi_frame_take, (co4_fiber * co4, const co4_abi_func *func))
{
    return is_frame(__real_co4_abi_frame_take(co4, func), func);
}

INSTEAD(void *, co4_abi_block_take, (co4_fiber * co4, co4_abi_size bytes, co4_abi_size align))
{
    void *block = __real_co4_abi_block_take(co4, bytes, align);
    if (block)
        co4__race_forget(block, bytes);
    return block;
}

/* The linker's option has the name with the version. */
#define VERSIONED(before, name) CO4_ABI_NAMED(before##name, CO4_ABI_VERSION)

void *VERSIONED(__real_, co4_abi_save_first)(co4_fiber *co4, const co4_abi_point *at);
void *VERSIONED(__wrap_, co4_abi_save_first)(co4_fiber *co4, const co4_abi_point *at);
void *VERSIONED(__wrap_, co4_abi_save_first)(co4_fiber *co4, const co4_abi_point *at)
{
    void *frame = VERSIONED(__real_, co4_abi_save_first)(co4, at);
    return is_frame(frame, co4_abi_func_of(at));
}

void *VERSIONED(__real_, co4_abi_save_small)(co4_fiber *co4, void *frame, const co4_abi_point *at);
void *VERSIONED(__wrap_, co4_abi_save_small)(co4_fiber *co4, void *frame, const co4_abi_point *at);
void *VERSIONED(__wrap_, co4_abi_save_small)(co4_fiber *co4, void *frame, const co4_abi_point *at)
{
    void *saved = VERSIONED(__real_, co4_abi_save_small)(co4, frame, at);
    return frame ? saved : is_frame(saved, co4_abi_func_of(at));
}

/* ---- bytes and strings ---- */

RACED(void *, memcpy, (void *to, const void *from, size_t bytes))
{
    reads(from, bytes, HERE);
    writes(to, bytes, HERE);
    return memcpy(to, from, bytes);
}

RACED(void *, mempcpy, (void *to, const void *from, size_t bytes))
{
    reads(from, bytes, HERE);
    writes(to, bytes, HERE);
    return mempcpy(to, from, bytes);
}

RACED(void *, memmove, (void *to, const void *from, size_t bytes))
{
    reads(from, bytes, HERE);
    writes(to, bytes, HERE);
    return memmove(to, from, bytes);
}

RACED(void *, memset, (void *to, int byte, size_t bytes))
{
    writes(to, bytes, HERE);
    return memset(to, byte, bytes);
}

RACED(int, memcmp, (const void *one, const void *other, size_t bytes))
{
    reads(one, bytes, HERE);
    reads(other, bytes, HERE);
    return memcmp(one, other, bytes);
}

RACED(void *, memchr, (const void *at, int byte, size_t bytes))
{
    const char *found = memchr(at, byte, bytes);
    reads(at, found ? (size_t)(found - (const char *)at) + 1 : bytes, HERE);
    return (void *)(uintptr_t)found;
}

static size_t length_of(const char *s, const void *place)
{
    size_t length = strlen(s);
    reads(s, length + 1, place);
    return length;
}

/* Of a string that ends by a limit, too. */
static size_t length_up_to(const char *s, size_t most, const void *place)
{
    size_t length = strnlen(s, most);
    reads(s, length < most ? length + 1 : most, place);
    return length;
}

RACED(size_t, strlen, (const char *s))
{
    size_t length = strlen(s);
    reads(s, length + 1, HERE);
    return length;
}

RACED(size_t, strnlen, (const char *s, size_t most))
{
    size_t length = strnlen(s, most);
    reads(s, length < most ? length + 1 : most, HERE);
    return length;
}

RACED(char *, strcpy, (char *to, const char *from))
{
    writes(to, length_of(from, HERE) + 1, HERE);
    return strcpy(to, from); /* NOLINT(clang-analyzer-security.insecureAPI.strcpy): the program's */
}

RACED(char *, stpcpy, (char *to, const char *from))
{
    writes(to, length_of(from, HERE) + 1, HERE);
    return stpcpy(to, from);
}

RACED(char *, strncpy, (char *to, const char *from, size_t bytes))
{
    length_up_to(from, bytes, HERE);
    writes(to, bytes, HERE);
    return strncpy(to, from, bytes);
}

RACED(char *, strcat, (char *to, const char *from))
{
    size_t length = length_of(to, HERE);
    writes(to + length, length_of(from, HERE) + 1, HERE);
    return strcat(to, from); /* NOLINT(clang-analyzer-security.insecureAPI.strcpy): the program's */
}

RACED(char *, strncat, (char *to, const char *from, size_t most))
{
    size_t length = length_of(to, HERE);
    writes(to + length, length_up_to(from, most, HERE) + 1, HERE);
    return strncat(to, from, most);
}

RACED(char *, strdup, (const char *s))
{
    length_of(s, HERE);
    return is_new(strdup(s));
}

RACED(char *, strndup, (const char *s, size_t most))
{
    length_up_to(s, most, HERE);
    return is_new(strndup(s, most));
}

/* How many bytes a comparison has to read of both. */
static size_t common(const char *one, const char *other, size_t most)
{
    size_t n = 0;
    while (n < most && one[n] == other[n] && one[n] != '\0')
        n++;
    return n < most ? n + 1 : n;
}

RACED(int, strcmp, (const char *one, const char *other))
{
    size_t bytes = common(one, other, (size_t)-1);
    reads(one, bytes, HERE);
    reads(other, bytes, HERE);
    return strcmp(one, other);
}

RACED(int, strncmp, (const char *one, const char *other, size_t most))
{
    size_t bytes = common(one, other, most);
    reads(one, bytes, HERE);
    reads(other, bytes, HERE);
    return strncmp(one, other, most);
}

RACED(char *, strchr, (const char *s, int byte))
{
    const char *found = strchr(s, byte);
    reads(s, found ? (size_t)(found - s) + 1 : strlen(s) + 1, HERE);
    return (char *)(uintptr_t)found;
}

RACED(char *, strrchr, (const char *s, int byte))
{
    length_of(s, HERE);
    return strrchr(s, byte);
}

RACED(int, vsnprintf, (char *to, size_t bytes, const char *format, va_list more))
{
    int n = vsnprintf(to, bytes, format, more);
    if (n >= 0 && bytes > 0)
        writes(to, (size_t)n < bytes ? (size_t)n + 1 : bytes, HERE);
    return n;
}

RACED(int, snprintf, (char *to, size_t bytes, const char *format, ...))
{
    va_list more;
    va_start(more, format);
    int n = vsnprintf(to, bytes, format, more);
    va_end(more);
    if (n >= 0 && bytes > 0)
        writes(to, (size_t)n < bytes ? (size_t)n + 1 : bytes, HERE);
    return n;
}

RACED(int, sprintf, (char *to, const char *format, ...))
{
    va_list more;
    va_start(more, format);
    int n = vsprintf(to, format, more);
    va_end(more);
    if (n >= 0)
        writes(to, (size_t)n + 1, HERE);
    return n;
}

/* ---- locks that the library has no other reason to replace ---- */

INSTEAD(int, pthread_rwlock_rdlock, (pthread_rwlock_t * lock))
{
    return co4__orders_if(__real_pthread_rwlock_rdlock(lock), CO4__ORDER_READ_LOCKED, lock);
}

INSTEAD(int, pthread_rwlock_tryrdlock, (pthread_rwlock_t * lock))
{
    return co4__orders_if(__real_pthread_rwlock_tryrdlock(lock), CO4__ORDER_READ_LOCKED, lock);
}

INSTEAD(int, pthread_spin_lock, (pthread_spinlock_t * lock))
{
    int err = __real_pthread_spin_lock(lock);
    return co4__orders_if(err, CO4__ORDER_LOCKED, (const void *)(uintptr_t)lock);
}

INSTEAD(int, pthread_spin_trylock, (pthread_spinlock_t * lock))
{
    int err = __real_pthread_spin_trylock(lock);
    return co4__orders_if(err, CO4__ORDER_LOCKED, (const void *)(uintptr_t)lock);
}

INSTEAD(int, pthread_spin_unlock, (pthread_spinlock_t * lock))
{
    co4__orders(CO4__ORDER_UNLOCKS, (const void *)(uintptr_t)lock);
    return __real_pthread_spin_unlock(lock);
}

INSTEAD(int, sem_wait, (sem_t * sem))
{
    return co4__orders_if(__real_sem_wait(sem), CO4__ORDER_LOCKED, sem);
}

INSTEAD(int, sem_trywait, (sem_t * sem))
{
    return co4__orders_if(__real_sem_trywait(sem), CO4__ORDER_LOCKED, sem);
}

/* ---- descriptors and streams ---- */

/* The woven calls are the program's; what they do to its memory they do later, perhaps in another
 * step. So each notes its place. */
INSTEAD(ssize_t, co4_posix_read__co4, (co4_fiber * co4, int fd, void *to, size_t bytes))
{
    co4__race_calls(HERE);
    return __real_co4_posix_read__co4(co4, fd, to, bytes);
}

INSTEAD(ssize_t, co4_posix_write__co4, (co4_fiber * co4, int fd, const void *from, size_t bytes))
{
    co4__race_calls(HERE);
    return __real_co4_posix_write__co4(co4, fd, from, bytes);
}

INSTEAD(ssize_t, co4_posix_recv__co4, (co4_fiber * co4, int fd, void *to, size_t bytes, int flags))
{
    co4__race_calls(HERE);
    return __real_co4_posix_recv__co4(co4, fd, to, bytes, flags);
}

INSTEAD(ssize_t, co4_posix_send__co4,
        (co4_fiber * co4, int fd, const void *from, size_t bytes, int flags))
{
    co4__race_calls(HERE);
    return __real_co4_posix_send__co4(co4, fd, from, bytes, flags);
}

INSTEAD(ssize_t, co4_posix_readv__co4, (co4_fiber * co4, int fd, const struct iovec *to, int count))
{
    co4__race_calls(HERE);
    return __real_co4_posix_readv__co4(co4, fd, to, count);
}

INSTEAD(ssize_t, co4_posix_writev__co4,
        (co4_fiber * co4, int fd, const struct iovec *from, int count))
{
    co4__race_calls(HERE);
    return __real_co4_posix_writev__co4(co4, fd, from, count);
}

/* All of the buffer, before the call: what it takes of the stream is not known here. */
INSTEAD(size_t, co4_posix_fread__co4,
        (co4_fiber * co4, void *to, size_t bytes, size_t count, FILE *from))
{
    writes(to, bytes * count, HERE);
    return __real_co4_posix_fread__co4(co4, to, bytes, count, from);
}

INSTEAD(size_t, co4_posix_fwrite__co4,
        (co4_fiber * co4, const void *from, size_t bytes, size_t count, FILE *to))
{
    reads(from, bytes * count, HERE);
    return __real_co4_posix_fwrite__co4(co4, from, bytes, count, to);
}

INSTEAD(int, co4_posix_fputs__co4, (co4_fiber * co4, const char *s, FILE *to))
{
    length_of(s, HERE);
    return __real_co4_posix_fputs__co4(co4, s, to);
}

INSTEAD(int, co4_posix_puts__co4, (co4_fiber * co4, const char *s))
{
    length_of(s, HERE);
    return __real_co4_posix_puts__co4(co4, s);
}

static ssize_t received(ssize_t n)
{
    if (n >= 0)
        co4__race_received();
    return n;
}

static void sent_from(const void *from, size_t bytes)
{
    reads(from, bytes, co4__race_call());
    co4__race_sent();
}

static ssize_t received_at(void *to, ssize_t n)
{
    if (received(n) > 0)
        writes(to, (size_t)n, co4__race_call());
    return n;
}

INSTEAD(ssize_t, co4__try_read, (int fd, void *to, size_t bytes))
{
    return received_at(to, __real_co4__try_read(fd, to, bytes));
}

INSTEAD(ssize_t, co4__try_write, (int fd, const void *from, size_t bytes))
{
    sent_from(from, bytes);
    return __real_co4__try_write(fd, from, bytes);
}

INSTEAD(ssize_t, co4__try_readv, (int fd, const struct iovec *to, int count))
{
    ssize_t n = received(__real_co4__try_readv(fd, to, count)), left = n;
    for (int i = 0; i < count && left > 0; left -= (ssize_t)to[i++].iov_len)
        writes(to[i].iov_base, (size_t)left < to[i].iov_len ? (size_t)left : to[i].iov_len,
               co4__race_call());
    return n;
}

INSTEAD(ssize_t, co4__try_writev, (int fd, const struct iovec *from, int count))
{
    for (int i = 0; i < count; i++)
        reads(from[i].iov_base, from[i].iov_len, co4__race_call());
    co4__race_sent();
    return __real_co4__try_writev(fd, from, count);
}

INSTEAD(ssize_t, co4__try_recvfrom,
        (int fd, void *to, size_t bytes, int flags, struct sockaddr *address, socklen_t *length))
{
    return received_at(to, __real_co4__try_recvfrom(fd, to, bytes, flags, address, length));
}

INSTEAD(ssize_t, co4__try_sendto,
        (int fd, const void *from, size_t bytes, int flags, const struct sockaddr *address,
         socklen_t length))
{
    sent_from(from, bytes);
    return __real_co4__try_sendto(fd, from, bytes, flags, address, length);
}

INSTEAD(ssize_t, co4__try_recvmsg, (int fd, struct msghdr *message, int flags))
{
    return received(__real_co4__try_recvmsg(fd, message, flags));
}

INSTEAD(ssize_t, co4__try_sendmsg, (int fd, const struct msghdr *message, int flags))
{
    co4__race_sent();
    return __real_co4__try_sendmsg(fd, message, flags);
}
