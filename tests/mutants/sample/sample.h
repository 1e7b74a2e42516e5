/* sample.h - between the two files of the sample. */
#ifndef SAMPLE_H
#define SAMPLE_H

#include <stdbool.h>
#include <stddef.h>

enum shape { ROUND, SQUARE, FLAT, NONE };

int between(int low, int n, int high);
int both(int a, int b);
bool is_even(int n);
const char *name_of(enum shape shape);
int sums(const int *items, size_t n);

#endif
