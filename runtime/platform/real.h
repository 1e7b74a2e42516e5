/* real.h - calls of the system that the link of a program may turn into others (--wrap), and that
 * the library makes for itself.
 *
 * With --auto=test descriptors of the program are simulated; those of the library, and placeholders
 * in the system, are not. CO4__SYSTEM(name) is the system's function, whether or not the link has
 * replaced it. */
#ifndef CO4_REAL_H
#define CO4_REAL_H

#include <stdio.h>
#include <sys/types.h>

#if defined(__linux__) && defined(__GNUC__)
extern __attribute__((weak)) int __real_socket(int domain, int type, int protocol);
extern __attribute__((weak)) int __real_socketpair(int domain, int type, int protocol, int fds[2]);
extern __attribute__((weak)) int __real_pipe(int fds[2]);
extern __attribute__((weak)) int __real_pipe2(int fds[2], int flags);
extern __attribute__((weak)) int __real_eventfd(unsigned value, int flags);
extern __attribute__((weak)) int __real_epoll_create1(int flags);
extern __attribute__((weak)) FILE *__real_fopen(const char *path, const char *mode);
extern __attribute__((weak)) pid_t __real_getpid(void);
extern __attribute__((weak)) long __real_syscall(long number, ...);
#define CO4__SYSTEM(name) (__real_##name ? __real_##name : (name))
#else
#define CO4__SYSTEM(name) (name)
#endif

#endif
