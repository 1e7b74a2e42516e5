/* stream.h - types and functions that stream.c and the woven pulling share. */
#ifndef CO4_STREAM_INTERNAL_H
#define CO4_STREAM_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/public.h"
#include "core/gen.h"

enum co4__stream_kind {
    CO4__STREAM_GEN,
    CO4__STREAM_SOURCE,
    CO4__STREAM_OWN,
    CO4__STREAM_MAP,
    CO4__STREAM_FILTER,
    CO4__STREAM_TAKE
};

/* Plain code only carries the pointers to pausable functions. The function that calls them is woven
 * if the one that gave them is, and plain otherwise. */
struct co4_stream {
    enum co4__stream_kind kind;
    bool ended;
    size_t size;
    co4_stream *below; /* of stages */
    unsigned depth;    /* stages below */
    union {
        co4_gen *gen;
        co4_source *source;
        co4_stream_producer *next;
        co4_stream_mapper *map;
        co4_stream_tester *keep;
        size_t left;
    } u;
    void (*stop)(void *arg);
    void *arg;
    /* Room for one value, while a stage works on it, or if no stage wants it. */
    max_align_t value[];
};

#endif
