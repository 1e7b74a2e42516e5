/* pages.h - memory that the system takes back, while its addresses stay reserved. */
#ifndef CO4_PAGES_INTERNAL_H
#define CO4_PAGES_INTERNAL_H

#include <stddef.h>

#if (defined(__linux__) || defined(__APPLE__) || defined(__FreeBSD__) || defined(__NetBSD__) ||    \
     defined(__OpenBSD__) || defined(__DragonFly__)) &&                                            \
    !defined(CO4__NO_THREADS)
#define CO4__GIVES_PAGES_BACK 1
#else
#define CO4__GIVES_PAGES_BACK 0
#endif

/* Gives the whole pages of this block to the system. Their contents are lost: each later read finds
 * the old bytes or zeros. Returns the bytes of these pages; 0 if there are none, or the system does
 * not take them. */
size_t co4__pages_give_back(char *first, size_t bytes);

#endif
