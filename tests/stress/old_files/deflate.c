/* deflate.c - what main.c calls. */
#include "deflate.h"

/* Its prototype has the promoted type of `last`. */
unsigned long EXPORT checksum(check, buf, len, last)
unsigned long check;
const Bytef *buf;
unsigned len;
unsigned char last;
{
    if (buf == 0)
        return 1ul;
    while (len--)
        check = check * 31 + *buf++;
    return check + last;
}

int EXPORT deflate_init(strm, level, size)
deflate_state *strm;
int level;
unsigned long size;
{
    strm->level += level;
    return (int)(checksum(0ul, strm->window, strm->length, 256 + strm->level) % 1000) +
           (size != sizeof *strm);
}

long EXPORT deflate_bound(strm, length)
deflate_state FAR *strm;
long length;
{
    return length + (strm->level << 2);
}

double OF_NOTHING(n, by)
int n;
double by;
{
    return n * by;
}

const char *one_name()
{
    return "one";
}

const char *other_name()
{
    return "other";
}
