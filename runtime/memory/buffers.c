/* buffers.c - buffers of one size for input and output. A thread keeps some that are free. */
#include "memory/buffers.h"

#include <stdlib.h>

#include "base/asan.h"
#include "base/compiler.h"
#include "platform/thread.h"

#define KEPT 8

struct kept {
    struct kept *next;
};

void *co4__buffer_take(void)
{
    struct co4__local *here = co4__local();
    struct kept *b = here->buffers.free;
    if (!b)
        return malloc(CO4__BUFFER_BYTES);
    here->buffers.free = b->next;
    here->buffers.count--;
    return b;
}

void co4__buffer_drop(void *buffer)
{
    struct co4__local *here = co4__local();
    struct kept *b = buffer;
    /* With the address sanitizer none is kept, so that it finds a use after the end. */
    if (CO4__UNLIKELY(!here->buffers.ends_with_thread))
        here->buffers.ends_with_thread = co4__thread_at_exit();
    if (ASAN || !b || here->buffers.count >= KEPT || !here->buffers.ends_with_thread) {
        free(b);
        return;
    }
    b->next = here->buffers.free;
    here->buffers.free = b;
    here->buffers.count++;
}

void co4__buffers_thread_exit(void)
{
    struct co4__local *here = co4__local();
    for (struct kept *b = here->buffers.free, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    here->buffers.free = NULL;
    here->buffers.count = 0;
    here->buffers.ends_with_thread = false;
}
