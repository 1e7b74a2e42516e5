/* stream.c - pulling values through a stream's stages. */
#include "extras/stream.h"

#include "base/ring.h"
#include "sync/source.h"

static pausable int pull_map(co4_stream *s, void *out)
{
    void *value = s->below->value;
    int err = (co4_stream_next)(s->below, value, s->below->size);
    return err == CO4_OK ? s->u.map(s->arg, value, out) : err;
}

static pausable int pull_filter(co4_stream *s, void *out)
{
    int err, kept = 0;
    do {
        err = (co4_stream_next)(s->below, out, s->size);
        if (err == CO4_OK)
            kept = s->u.keep(s->arg, out);
    } while (err == CO4_OK && kept == 0);
    return err == CO4_OK && kept < 0 ? kept : err;
}

static pausable int pull_take(co4_stream *s, void *out)
{
    if (s->u.left == 0)
        return CO4_ECLOSED;
    int err = (co4_stream_next)(s->below, out, s->size);
    if (err == CO4_OK && --s->u.left == 0)
        co4_stream_close(s->below);
    return err;
}

static pausable int pull(co4_stream *s, void *out)
{
    switch (s->kind) {
    case CO4__STREAM_GEN:
        return co4__spent((co4_gen_next)(s->u.gen, out, s->size));
    case CO4__STREAM_SOURCE:
        return (co4_await)(s->u.source, out, s->size);
    case CO4__STREAM_OWN:
        return co4__spent(s->u.next(s->arg, out));
    case CO4__STREAM_MAP:
        return pull_map(s, out);
    case CO4__STREAM_FILTER:
        return pull_filter(s, out);
    case CO4__STREAM_TAKE:
        return pull_take(s, out);
    }
    return CO4_EINVAL;
}

pausable int(co4_stream_next)(co4_stream *stream, void *out, size_t size)
{
    if (!stream || (out && size != stream->size))
        return co4__spent(CO4_EINVAL);
    if (stream->ended)
        return co4__spent(CO4_ECLOSED);
    int err = pull(stream, out ? out : stream->value);
    if (err == CO4_ECLOSED)
        co4_stream_close(stream);
    return err;
}

pausable int co4_stream_each(co4_stream *stream, co4_stream_user *use, void *arg)
{
    if (!stream || !use)
        return co4__spent(CO4_EINVAL);
    for (;;) {
        int err = (co4_stream_next)(stream, stream->value, stream->size);
        if (err != CO4_OK)
            return err == CO4_ECLOSED ? CO4_OK : err;
        err = use(arg, stream->value);
        if (err < 0) {
            co4_stream_close(stream);
            return err;
        }
    }
}

pausable int co4_stream_collect(co4_stream *stream, co4_ring *into)
{
    if (!stream || !into || into->elem_size != stream->size)
        return co4__spent(CO4_EINVAL);
    for (;;) {
        int err = co4__ring_make_room(into);
        if (err == CO4_OK)
            err = (co4_stream_next)(stream, stream->value, stream->size);
        if (err == CO4_OK)
            err = co4_ring_push(into, stream->value);
        if (err != CO4_OK)
            return err == CO4_ECLOSED ? CO4_OK : err;
    }
}

pausable int co4_stream_send(co4_stream *stream, co4_mailbox *to)
{
    if (!stream || !to || co4_source_size(co4_mailbox_source(to)) != stream->size)
        return co4__spent(CO4_EINVAL);
    for (;;) {
        int err = (co4_stream_next)(stream, stream->value, stream->size);
        if (err != CO4_OK)
            return err == CO4_ECLOSED ? CO4_OK : err;
        err = (co4_mailbox_send)(to, stream->value, stream->size);
        if (err == CO4_ECLOSED)
            co4_stream_close(stream);
        if (err != CO4_OK)
            return err;
    }
}
