/* picture.h - a picture of the Mandelbrot set in tiles. A tile depends on these numbers alone. */
#ifndef PICTURE_H
#define PICTURE_H

#include <stdbool.h>
#include <stddef.h>

struct picture {
    double x, y, width; /* its middle, and the width of what it shows */
    int columns, rows;  /* in points */
    int tile;  /* the edge of a tile, in points; those at the right and below may be less */
    int depth; /* iterations */
    int wait;  /* ms that each tile takes longer, for trials */
};

struct tile {
    int left, top, columns, rows;
};

int picture_tiles(const struct picture *p);
struct tile picture_tile(const struct picture *p, int number);
size_t tile_bytes(struct tile t); /* three for each point: red, green, blue */

/* Computes a tile: this takes long. */
void picture_draw(const struct picture *p, int number, unsigned char *rgb);
/* Copies a tile into the whole picture. */
void picture_place(const struct picture *p, int number, const unsigned char *rgb,
                   unsigned char *picture);
/* Writes a file of the kind BMP. Returns 0 or an error number. */
int picture_write(const struct picture *p, const unsigned char *picture, const char *path);

/* A job as text, and back: false for a text that is none, or for a picture that is too large. */
enum { JOB_TEXT = 200 };
int job_put(const struct picture *p, int number, char *text);
bool job_get(const char *text, struct picture *p, int *number);
bool picture_is_valid(const struct picture *p);

#endif
