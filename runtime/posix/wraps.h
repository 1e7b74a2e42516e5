/* wraps.h - declares functions that the link puts in the place of the C library's (--wrap), and
 * those. */
#ifndef CO4_POSIX_WRAPS_H
#define CO4_POSIX_WRAPS_H

#define CO4__WRAPS(name, parameters)                                                               \
    int __wrap_##name parameters;                                                                  \
    int __real_##name parameters

/* Other C libraries than glibc do not have these. */
#define CO4__MAY_WRAP(name, parameters)                                                            \
    int __wrap_##name parameters;                                                                  \
    __attribute__((weak)) int __real_##name parameters

/* The form for files of 64 bits is the same function, where all are. */
#define CO4__SAME(name) __attribute__((alias(#name)))

#endif
