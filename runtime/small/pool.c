/* pool.c - the pool of the small library: all from the one piece of memory that the program gives.
 *
 * Tasks are carved from its end downwards, so they stand side by side and can be walked through;
 * all else from its beginning upwards. What is given back goes onto the list of its size, and is
 * taken again by what has that size. Nothing is split or joined: a program that does the same again
 * and again needs no more than the first time, and what a program needs at most is the sum of what
 * it has at once, by size.
 *
 * Rejected: a general allocator (how much is left then depends on the order of things); a pool for
 * each function, sized by the program (a number to keep right by hand for each; the one sum is
 * checked by co4_memory_left()). */
#include <stddef.h>
#include <stdint.h>

#include "base/asan.h"
#include "base/public.h"
#include "core/fiber.h"
#include "core/task.h"
#include "core/task_pool.h"
#include "memory/pool.h"
#include "small/small.h"

#define GRAIN   _Alignof(max_align_t)
#define CLASSES 24 /* by GRAIN; larger ones stand on the last list, with their sizes */

struct object {
    struct object *next;
    size_t bytes;
};
_Static_assert(sizeof(struct object) <= 2 * GRAIN, "the least object has room for a link");

static struct object *given_back[CLASSES];
static char *low, *high; /* between them nothing has been carved */
static char *end;
static co4_task *free_tasks;

static size_t rounded(size_t bytes)
{
    bytes = (bytes + GRAIN - 1) / GRAIN * GRAIN;
    return bytes < sizeof(struct object) ? sizeof(struct object) : bytes;
}

static struct object **list_of(size_t bytes)
{
    size_t class = bytes / GRAIN;
    return &given_back[class < CLASSES ? class : 0];
}

static void open_memory(void)
{
    size_t bytes;
    if (end)
        return;
    low = co4_port_memory(&bytes);
    end = low + bytes;
    low += -(uintptr_t)low % GRAIN;
    end -= (uintptr_t)end % GRAIN;
    high = end;
}

static void *take(size_t bytes, size_t align)
{
    bytes = rounded(bytes);
    for (struct object **at = list_of(bytes); *at; at = &(*at)->next) {
        struct object *o = *at;
        if (o->bytes != bytes || (uintptr_t)o % align != 0)
            continue;
        *at = o->next;
        return o;
    }
    open_memory();
    size_t gap = -(uintptr_t)low % align, room = (size_t)(high - low);
    if (gap > room || bytes > room - gap)
        return NULL;
    char *at = low + gap;
    low = at + bytes;
    return at;
}

void *co4__pool_take(size_t bytes)
{
    return take(bytes, GRAIN);
}

void *co4__pool_take_frame(const co4_abi_func *func)
{
    return take(func->frame_bytes, func->align > GRAIN ? func->align : GRAIN);
}

void co4__pool_drop(void *p, size_t bytes)
{
    struct object *o = p;
    bytes = rounded(bytes);
    struct object **list = list_of(bytes);
    o->next = *list;
    o->bytes = bytes;
    *list = o;
}

void *co4_abi_frame_take(co4_fiber *co4, const co4_abi_func *func)
{
    co4_frame *f = co4__pool_take_frame(func);
    if (!f) {
        co4__fiber_fail(co4);
        return NULL;
    }
    f->at = func->points;
    return f;
}

void co4_abi_frame_drop(co4_fiber *co4, void *frame)
{
    (void)co4;
    if (!frame)
        return;
    size_t bytes = ((co4_frame *)frame)->at->func->frame_bytes;
    ASAN_UNPOISON_MEMORY_REGION(frame, bytes); /* its red zones */
    co4__pool_drop(frame, bytes);
}

#define TASK_BYTES ((sizeof(struct co4__small_task) + GRAIN - 1) / GRAIN * GRAIN)

_Static_assert(TASK_BYTES <= CO4_MEMORY_TASK, "as the header says");
_Static_assert(sizeof(co4_frame) <= CO4_MEMORY_CALL(0), "as the header says");

co4_task *co4__task_take(void)
{
    co4_task *t = free_tasks;
    if (t) {
        free_tasks = t->next;
        return t;
    }
    open_memory();
    if ((size_t)(high - low) < TASK_BYTES)
        return NULL;
    high -= TASK_BYTES;
    ((struct co4__small_task *)(void *)high)->run = NULL;
    return (co4_task *)(void *)high;
}

void co4__task_drop(co4_task *t)
{
    ((struct co4__small_task *)(void *)t)->run = NULL;
    t->next = free_tasks;
    free_tasks = t;
}

void co4__task_each(void (*each)(co4_task *t, void *arg), void *arg)
{
    for (char *at = high; at != end; at += TASK_BYTES)
        each((co4_task *)(void *)at, arg);
}

size_t co4_memory_left(void)
{
    open_memory();
    return (size_t)(high - low);
}
