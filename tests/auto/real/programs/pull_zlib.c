/* pull_zlib.c - pull.h by zlib: gzread() of a pipe. */
#include <unistd.h>
#include <zlib.h>

#include "pull.h"

unsigned long pull(int fd)
{
    unsigned long sum = PULL_BEGIN;
    char bytes[1000];
    int n;
    gzFile file = gzdopen(dup(fd), "rb");
    if (file == NULL)
        return 0;
    while ((n = gzread(file, bytes, sizeof bytes)) > 0)
        sum = pull_sum(sum, bytes, (size_t)n);
    return gzclose(file) == Z_OK && n == 0 ? sum : 0;
}
