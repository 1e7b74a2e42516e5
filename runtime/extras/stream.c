/* stream.c - how streams are made, and how they end. woven/stream.c pulls.
 *
 * Purpose: a stream is one struct of a few kinds; a stage points to the one below it. Behind each
 * struct there is room for one of its values. The stage above pulls into it, so no value needs
 * memory on its way.
 *
 * Invariants: the end passes from the top to the bottom, once (`ended`). */
#include "extras/stream.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/public.h"
#include "core/gen.h"
#include "core/task.h"
#include "memory/pool.h"

/* The size includes the value behind the struct. It is a multiple of the strictest alignment, so
 * that the pool aligns the struct. */
static size_t stream_bytes(size_t size)
{
    size_t align = _Alignof(co4_stream);
    return (sizeof(co4_stream) + size + align - 1) / align * align;
}

static co4_stream *stream_create(enum co4__stream_kind kind, size_t size)
{
    bool right = size > 0 && size < SIZE_MAX / 2;
    co4_stream *s = right ? co4__pool_take(stream_bytes(size)) : NULL;
    if (!s)
        return NULL;
    memset(s, 0, sizeof *s);
    s->kind = kind;
    s->size = size;
    return s;
}

/* ---- beginnings ---- */

co4_stream *co4_stream_of_gen(co4_gen *gen, size_t size)
{
    co4_stream *s = gen ? stream_create(CO4__STREAM_GEN, size) : NULL;
    if (s)
        s->u.gen = gen;
    else
        co4_gen_destroy(gen);
    return s;
}

co4_stream *co4_stream_of_source(co4_source *source, void (*stop)(void *arg), void *arg)
{
    co4_stream *s = stream_create(CO4__STREAM_SOURCE, co4_source_size(source));
    if (!s)
        return NULL;
    s->u.source = source;
    s->stop = stop;
    s->arg = arg;
    return s;
}

static void close_channel(void *channel)
{
    co4_mailbox_close(channel);
}

co4_stream *co4_stream_of_mailbox(co4_mailbox *channel)
{
    return co4_stream_of_source(co4_mailbox_source(channel), close_channel, channel);
}

co4_stream *co4_stream_of_producer(size_t size, co4_stream_producer *next, void (*stop)(void *arg),
                                   void *arg)
{
    co4_stream *s = next ? stream_create(CO4__STREAM_OWN, size) : NULL;
    if (!s)
        return NULL;
    s->u.next = next;
    s->stop = stop;
    s->arg = arg;
    return s;
}

/* ---- stages ---- */

static co4_stream *stage(enum co4__stream_kind kind, co4_stream *below, bool right, size_t size,
                         void *arg)
{
    right = right && below && !co4__nests_too_deep(below->depth + 1);
    co4_stream *s = right ? stream_create(kind, size) : NULL;
    if (!s) {
        co4_stream_destroy(below);
        return NULL;
    }
    s->below = below;
    s->depth = below->depth + 1;
    s->arg = arg;
    return s;
}

co4_stream *co4_stream_map(co4_stream *stream, size_t size, co4_stream_mapper *map, void *arg)
{
    co4_stream *s = stage(CO4__STREAM_MAP, stream, map != NULL, size, arg);
    if (s)
        s->u.map = map;
    return s;
}

co4_stream *co4_stream_filter(co4_stream *stream, co4_stream_tester *keep, void *arg)
{
    co4_stream *s = stage(CO4__STREAM_FILTER, stream, keep != NULL, co4_stream_size(stream), arg);
    if (s)
        s->u.keep = keep;
    return s;
}

co4_stream *co4_stream_take(co4_stream *stream, size_t n)
{
    co4_stream *s = stage(CO4__STREAM_TAKE, stream, true, co4_stream_size(stream), NULL);
    if (s)
        s->u.left = n;
    return s;
}

/* ---- the end ---- */

size_t co4_stream_size(const co4_stream *stream)
{
    return stream ? stream->size : 0;
}

int co4_stream_close(co4_stream *stream)
{
    if (!stream)
        return CO4_EINVAL;
    for (co4_stream *s = stream; s && !s->ended; s = s->below) {
        s->ended = true;
        if (s->kind == CO4__STREAM_GEN)
            co4_gen_close(s->u.gen);
        if (s->stop)
            s->stop(s->arg);
    }
    return CO4_OK;
}

void co4_stream_destroy(co4_stream *stream)
{
    if (stream)
        co4_stream_close(stream);
    for (co4_stream *below; stream; stream = below) {
        below = stream->below;
        if (stream->kind == CO4__STREAM_GEN)
            co4_gen_destroy(stream->u.gen);
        co4__pool_drop(stream, stream_bytes(stream->size));
    }
}
