/* picture.c - see picture.h. */
#include "picture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = 100000000, MOST_DEPTH = 10000000, HEAD = 54 };

static int in_a_row(const struct picture *p)
{
    return (p->columns + p->tile - 1) / p->tile;
}

int picture_tiles(const struct picture *p)
{
    return in_a_row(p) * ((p->rows + p->tile - 1) / p->tile);
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

struct tile picture_tile(const struct picture *p, int number)
{
    struct tile t = { .left = number % in_a_row(p) * p->tile,
                      .top = number / in_a_row(p) * p->tile };
    t.columns = least(p->tile, p->columns - t.left);
    t.rows = least(p->tile, p->rows - t.top);
    return t;
}

size_t tile_bytes(struct tile t)
{
    return 3 * (size_t)t.columns * (size_t)t.rows;
}

/* ---- drawing ---- */

static int iterations(double x, double y, int depth)
{
    double a = 0, b = 0, aa = 0, bb = 0;
    int n = 0;
    for (; n < depth && aa + bb < 16; n++) {
        b = 2 * a * b + y;
        a = aa - bb + x;
        aa = a * a;
        bb = b * b;
    }
    return n;
}

static void color(int n, int depth, unsigned char *rgb)
{
    bool inside = n >= depth;
    rgb[0] = inside ? 0 : (unsigned char)(n * 9 % 256);
    rgb[1] = inside ? 0 : (unsigned char)(n * 5 % 256);
    rgb[2] = inside ? 0 : (unsigned char)(64 + n * 3 % 192);
}

void picture_draw(const struct picture *p, int number, unsigned char *rgb)
{
    struct tile t = picture_tile(p, number);
    double step = p->width / p->columns;
    for (int row = 0; row < t.rows; row++)
        for (int column = 0; column < t.columns; column++, rgb += 3) {
            double x = p->x + (t.left + column - p->columns / 2.0) * step;
            double y = p->y - (t.top + row - p->rows / 2.0) * step;
            color(iterations(x, y, p->depth), p->depth, rgb);
        }
}

void picture_place(const struct picture *p, int number, const unsigned char *rgb,
                   unsigned char *picture)
{
    struct tile t = picture_tile(p, number);
    size_t bytes = 3 * (size_t)t.columns;
    for (int row = 0; row < t.rows; row++, rgb += bytes)
        memcpy(picture + 3 * ((size_t)(t.top + row) * (size_t)p->columns + (size_t)t.left), rgb,
               bytes);
}

/* ---- the file ---- */

static void put(unsigned char *to, size_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        to[i] = (unsigned char)(value >> 8 * i);
}

int picture_write(const struct picture *p, const unsigned char *picture, const char *path)
{
    size_t columns = (size_t)p->columns, rows = (size_t)p->rows, line = (3 * columns + 3) / 4 * 4;
    unsigned char head[HEAD] = { 'B', 'M' }, *out = calloc(1, line);
    FILE *file = out ? fopen(path, "wb") : NULL;
    int err = file ? 0 : errno;
    put(head + 2, HEAD + rows * line, 4);
    put(head + 10, HEAD, 4);
    put(head + 14, HEAD - 14, 4);
    put(head + 18, columns, 4);
    put(head + 22, rows, 4);
    put(head + 26, 1, 2);
    put(head + 28, 24, 2);
    if (file && fwrite(head, HEAD, 1, file) != 1)
        err = EIO;
    for (size_t row = rows; !err && row-- > 0;) { /* the lowest first */
        const unsigned char *from = picture + 3 * columns * row;
        for (size_t i = 0; i < 3 * columns; i++)
            out[i] = from[i - i % 3 + 2 - i % 3]; /* blue, green, red */
        if (fwrite(out, line, 1, file) != 1)
            err = EIO;
    }
    if (file && fclose(file) != 0 && !err)
        err = errno;
    free(out);
    return err;
}

/* ---- jobs ---- */

bool picture_is_valid(const struct picture *p)
{
    return p->columns > 0 && p->rows > 0 && p->tile > 0 && p->tile <= 512 && p->depth > 0 &&
           p->depth <= MOST_DEPTH && p->columns <= MOST_POINTS / p->rows && p->wait >= 0 &&
           p->wait <= 60000 && p->width > 0;
}

int job_put(const struct picture *p, int number, char *text)
{
    return snprintf(text, JOB_TEXT, "%d %a %a %a %d %d %d %d %d", number, p->x, p->y, p->width,
                    p->columns, p->rows, p->tile, p->depth, p->wait);
}

bool job_get(const char *text, struct picture *p, int *number)
{
    int end = 0;
    return sscanf(text, "%d %la %la %la %d %d %d %d %d%n", number, &p->x, &p->y, &p->width,
                  &p->columns, &p->rows, &p->tile, &p->depth, &p->wait, &end) == 9 &&
           text[end] == '\0' && picture_is_valid(p) && *number >= 0 && *number < picture_tiles(p);
}
