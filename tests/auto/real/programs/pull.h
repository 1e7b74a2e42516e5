/* pull.h - a document from a descriptor, read by a library that calls back for more.
 *
 * pull_LIBRARY.c has pull(): it reads one document from `fd` with the blocking calls of POSIX, and
 * returns a sum of what the library has found in it; 0 for an error. It knows nothing of tasks. The
 * same file is linked with pull_plain.c and with pull_tasks.c. */
#ifndef PULL_H
#define PULL_H

#include <stddef.h>

extern unsigned long pull(int fd);

static inline unsigned long pull_sum(unsigned long sum, const void *bytes, size_t length)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < length; i++)
        sum = (sum ^ at[i]) * 1099511628211u;
    return sum;
}

#define PULL_BEGIN 14695981039346656037u

#endif
