/* shortage.c - an accept that finds no free descriptor, or no memory, waits without a busy loop.
 *
 * Purpose: with EMFILE the connection stays in the queue of the listener, which stays ready. So the
 * wait is for a descriptor that this process closes, and for a timer whose length doubles: other
 * processes may cause the shortage.
 *
 * Invariants: from begin to end the listener counts as used, so its number gets no other meaning.
 * The second case of the select ends when the listener is closed. A listener never becomes
 * writable, unless it is shut down; then that case would always be ready, and is left out. */
#define _GNU_SOURCE /* ENONET, whatever -std says */
#include "net/shortage.h"

#include <errno.h>
#include <stddef.h>

#include "io/descriptor.h"
#include "platform/thread.h"

#define FIRST_PAUSE (5 * CO4_MS)
#define LAST_PAUSE  CO4_SEC

bool co4__is_shortage(int code)
{
    return code == -EMFILE || code == -ENFILE || code == -ENOBUFS || code == CO4_ENOMEM;
}

bool co4__is_lost_connection(int code)
{
    switch (-code) {
    case ECONNABORTED:
    case ECONNRESET:
    case EPROTO:
    case ENOPROTOOPT:
    case ENETDOWN:
    case ENETUNREACH:
    case EHOSTUNREACH:
#ifdef EHOSTDOWN
    case EHOSTDOWN:
#endif
#ifdef ENONET
    case ENONET:
#endif
        return true;
    default:
        return false;
    }
}

bool co4__shortage_begin(struct co4__shortage *s, int listener)
{
    uint32_t generation = co4__local()->attempt.generation;
    s->listener = co4__descriptor_enter(listener);
    if (!s->listener)
        return false;
    co4__closed_begin(&s->closed);
    s->pause = FIRST_PAUSE;
    s->is_shut_down = false;
    uint64_t use = atomic_load_explicit(&s->listener->use, memory_order_relaxed);
    return co4__generation_of(use) == generation; /* else the number is another file's now */
}

void co4__shortage_look(struct co4__shortage *s)
{
    co4__closed_look(&s->closed);
}

int64_t co4__shortage_cases(struct co4__shortage *s, int64_t deadline)
{
    int64_t until = co4_now() + s->pause;
    s->cases[0] = (co4_case)CO4_CASE(&s->closed.source, NULL);
    s->cases[1] = (co4_case)CO4_CASE(s->is_shut_down ? NULL : &s->listener->sources[CO4__WRITING],
                                     NULL);
    if (s->pause < LAST_PAUSE)
        s->pause *= 2;
    return until < deadline ? until : deadline;
}

int co4__shortage_waited(struct co4__shortage *s, int result, int64_t deadline)
{
    if (result == 1)
        s->is_shut_down = true;
    if (result >= 0)
        return CO4_OK;
    if (result == CO4_ETIMEDOUT)
        return co4_now() < deadline ? CO4_OK : CO4_ETIMEDOUT;
    return result == CO4_ENDED(1) ? CO4_ECLOSED : result;
}

void co4__shortage_end(struct co4__shortage *s)
{
    if (!s->listener)
        return;
    co4__closed_end();
    co4__descriptor_leave(s->listener);
}
