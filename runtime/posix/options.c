/* options.c - calls that Emscripten's C library refuses, for programs of web/library.js. */
#ifdef __EMSCRIPTEN__
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <emscripten.h>

/* clang-format off */
/* Returns 0, or a value of errno. */
EM_JS(int, co4__js_setsockopt, (int fd, int level, int name, int one, int two), {
    return typeof CO4 != 'undefined' ? CO4.setsockopt(fd, level, name, one, two) : -1;
});
EM_JS(int, co4__js_shutdown, (int fd, int how), {
    return typeof CO4 != 'undefined' ? -CO4.result(CO4.sockets().shutdown(fd, how)) : -1;
});

EM_JS(int, co4__js_pair, (int type, int flags, int *ends), {
    if (typeof CO4 == 'undefined')
        return -1;
    return -CO4.pair(type ? CO4.process().socketpair(flags) : CO4.process().pipe(flags), ends);
});
/* clang-format on */

/* `err`: 0, or a value of errno; -1: the program has Emscripten's own files and sockets. */
static int result(int err)
{
    if (err == 0)
        return 0;
    errno = err < 0 ? ENOSYS : err;
    return -1;
}

/* Two numbers are all that an option has. */
static int set_option(int fd, int level, int name, int one, int two)
{
    int err = co4__js_setsockopt(fd, level, name, one, two);
    return result(err < 0 ? ENOPROTOOPT : err);
}

int __wrap_setsockopt(int fd, int level, int name, const void *value, socklen_t length);
int __wrap_link(const char *from, const char *to);
int __wrap_shutdown(int fd, int how);
int __wrap_socketpair(int family, int type, int protocol, int ends[2]);
int __wrap_pipe2(int ends[2], int flags);

int __wrap_setsockopt(int fd, int level, int name, const void *value, socklen_t length)
{
    int words[2] = { 0 };
    struct timeval limit;
    bool is_limit = level == SOL_SOCKET && (name == SO_RCVTIMEO || name == SO_SNDTIMEO);
    size_t size = is_limit ? sizeof limit : name == SO_LINGER ? sizeof words : sizeof *words;
    if (length < size) {
        errno = EINVAL;
        return -1;
    }
    if (!is_limit) {
        memcpy(words, value, size);
        return set_option(fd, level, name, words[0], words[1]);
    }
    memcpy(&limit, value, sizeof limit);
    return set_option(fd, level, name == SO_RCVTIMEO ? 20 : 21, (int)limit.tv_sec,
                      (int)limit.tv_usec);
}

int __wrap_shutdown(int fd, int how)
{
    return result(co4__js_shutdown(fd, how));
}

int __wrap_socketpair(int family, int type, int protocol, int ends[2])
{
    int flags = type & (SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (family != AF_UNIX || (type & ~flags) != SOCK_STREAM || (protocol & ~1) != 0) {
        errno = family != AF_UNIX ? EAFNOSUPPORT : EPROTONOSUPPORT;
        return -1;
    }
    return result(co4__js_pair(SOCK_STREAM, flags, ends));
}

int __wrap_pipe2(int ends[2], int flags)
{
    return result(co4__js_pair(0, flags, ends));
}

int __wrap_link(const char *from, const char *to)
{
    return linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
}
#endif
