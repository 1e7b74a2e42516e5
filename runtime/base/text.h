/* text.h - output without stdio, by way of a small buffer and a co4_writer function. */
#ifndef CO4_TEXT_H
#define CO4_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/public.h"

struct co4__text {
    co4_writer *write; /* NULL: the text is discarded */
    void *data;
    int err; /* the first code of `write` that is not CO4_OK; nothing is written after it */
    size_t n;
    char buffer[256];
};

CO4__PRIVATE void co4__text_begin(struct co4__text *x, co4_writer *write, void *data);
CO4__PRIVATE int co4__text_end(struct co4__text *x); /* writes what is buffered; returns err */
CO4__PRIVATE void co4__put(struct co4__text *x, const char *s);
void co4__put_bytes(struct co4__text *x, const char *s, size_t n);
CO4__PRIVATE void co4__put_number(struct co4__text *x, uint64_t n);
CO4__PRIVATE void co4__put_signed(struct co4__text *x, int64_t n);
void co4__put_hex(struct co4__text *x, uint64_t n);
void co4__put_time(struct co4__text *x, int64_t ns); /* "1.5ms", for people */

#endif
