/* pull_inflate.c - pull.h by zlib: inflateBack(), which calls for input and with output. */
#include <unistd.h>
#include <zlib.h>

#include "pull.h"

typedef struct input {
    int fd;
    unsigned char bytes[256];
} input;

static unsigned more(void *data, z_const unsigned char **at)
{
    input *in = data;
    ssize_t n = read(in->fd, in->bytes, sizeof in->bytes);
    *at = in->bytes;
    return n > 0 ? (unsigned)n : 0;
}

static int take(void *data, unsigned char *bytes, unsigned length)
{
    unsigned long *sum = data;
    *sum = pull_sum(*sum, bytes, length);
    return 0;
}

unsigned long pull(int fd)
{
    unsigned char window[1 << 15];
    unsigned long sum = PULL_BEGIN;
    input in = { .fd = fd };
    z_stream stream = { 0 };
    if (inflateBackInit(&stream, 15, window) != Z_OK)
        return 0;
    int end = inflateBack(&stream, more, &in, take, &sum);
    inflateBackEnd(&stream);
    return end == Z_STREAM_END ? sum : 0;
}
