/* pool.c - the pool of the small library: one block of memory that the program provides.
 *
 * Purpose: tasks are carved from its end downwards, so a walk can visit them. All other objects are
 * carved from its beginning upwards. A dropped object goes to the list of its size, and only an
 * object of that size reuses it. Nothing is split or merged. So a program that repeats itself needs
 * no more memory than the first time. A program needs at most the sum over all sizes of the objects
 * that it has at one time.
 *
 * Rejected: a general allocator (the remaining memory then depends on the order of calls); a pool
 * for each function, with a size from the program (many numbers to maintain by hand;
 * co4_memory_left() checks the one sum). */
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
#define CLASSES 24 /* by GRAIN; larger objects share list 0, with their sizes */

struct object {
    struct object *next;
    size_t bytes;
};
_Static_assert(sizeof(struct object) <= 2 * GRAIN, "the least object has room for a link");

static struct object *dropped[CLASSES];
static char *low, *high; /* the memory between them is not carved yet */
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
    return &dropped[class < CLASSES ? class : 0];
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

static void *pool_take_block(size_t bytes, size_t align)
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
    return pool_take_block(bytes, GRAIN);
}

void *co4__pool_take_frame(const co4_abi_func *func)
{
    size_t align = co4_abi_align_of(func);
    return pool_take_block(func->frame_bytes, align > GRAIN ? align : GRAIN);
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
    f->at = co4_abi_points_of(func);
    return f;
}

void co4_abi_frame_drop(co4_fiber *co4, void *frame)
{
    (void)co4;
    if (!frame)
        return;
    size_t bytes = co4_abi_func_of(((co4_frame *)frame)->at)->frame_bytes;
    ASAN_UNPOISON_MEMORY_REGION(frame, bytes); /* it has red zones */
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
