/* counted.h - what the tests of faults share: numbered messages, each counted. */
#ifndef COUNTED_H
#define COUNTED_H

#include <co4/nats_kv.h>

#include "proxy.h"

#include "program.h"

/* ---- numbered messages, of many sizes ---- */

enum { NUMBERS = 4096, LARGEST = 3000 };

struct tally {
    int seen[NUMBERS];
    int twice, damaged, all;
};

/* Returns its size. */
static inline size_t fill(char *data, int number)
{
    size_t n = (size_t)snprintf(data, LARGEST, "%d ", number);
    size_t size = n + (size_t)(number * 37 % (LARGEST - 20));
    for (size_t i = n; i < size; i++)
        data[i] = (char)('a' + (i + (size_t)number) % 26);
    return size;
}

/* Counts a message. Returns its number; -1: it is damaged. */
static inline int count_in(struct tally *t, const char *data, size_t size)
{
    char wanted[LARGEST];
    int number = atoi(data);
    t->all++;
    if (number < 0 || number >= NUMBERS || fill(wanted, number) != size ||
        memcmp(data, wanted, size) != 0) {
        t->damaged++;
        return -1;
    }
    t->twice += t->seen[number]++ > 0;
    return number;
}

static inline int missing(const struct tally *t, int count)
{
    int n = 0;
    for (int i = 0; i < count; i++)
        n += t->seen[i] == 0;
    return n;
}

#endif
