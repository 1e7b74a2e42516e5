/* pages.c - memory that the system takes back, while its addresses stay reserved. */
#ifdef __linux__
#define _DEFAULT_SOURCE /* madvise */
#endif
#ifdef __APPLE__
#define _DARWIN_C_SOURCE
#endif
#include "platform/pages.h"

#include <stdint.h>

#if CO4__GIVES_PAGES_BACK
#include <sys/mman.h>
#include <unistd.h>

#if defined(__linux__)
#define ADVICE MADV_DONTNEED /* at once: MADV_FREE waits until memory is short */
#else
#define ADVICE MADV_FREE
#endif

size_t co4__pages_give_back(char *first, size_t bytes)
{
    long page = sysconf(_SC_PAGESIZE);
    size_t size = page > 0 ? (size_t)page : 1;
    size_t before = (size - (uintptr_t)first % size) % size;
    if (page <= 0 || bytes < before)
        return 0;
    size_t whole = (bytes - before) / size * size;
    return whole > 0 && madvise(first + before, whole, ADVICE) == 0 ? whole : 0;
}

#else

size_t co4__pages_give_back(char *first, size_t bytes)
{
    (void)first, (void)bytes;
    return 0;
}

#endif
