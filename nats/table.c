/* table.c - pointers by numbers that do not come again: the lower half of a number is the slot, the
 * upper half says how often the slot has been used. */
#include <stdlib.h>

#include "internal.h"

static uint64_t number_of(uint32_t slot, uint32_t generation)
{
    return (uint64_t)generation << 32 | (slot + 1);
}

static bool grow(struct co4__nats_table *t)
{
    uint32_t room = t->room ? 2 * t->room : 16;
    struct co4__nats_slot *more = room > t->room && room < UINT32_MAX / 2
                                      ? realloc(t->slots, room * sizeof *more)
                                      : NULL;
    if (!more)
        return false;
    t->slots = more;
    t->room = room;
    return true;
}

uint64_t co4__nats_table_add(struct co4__nats_table *t, void *pointer)
{
    uint32_t slot = t->first_free - 1;
    if (t->first_free == 0) {
        if (t->used == t->room && !grow(t))
            return 0;
        slot = t->used++;
        t->slots[slot] = (struct co4__nats_slot){ NULL, 0, 0 };
    } else {
        t->first_free = t->slots[slot].next_free;
    }
    t->slots[slot].pointer = pointer;
    t->count++;
    return number_of(slot, t->slots[slot].generation);
}

static struct co4__nats_slot *slot_of(const struct co4__nats_table *t, uint64_t number)
{
    uint32_t slot = (uint32_t)number - 1;
    if (number == 0 || slot >= t->used || !t->slots[slot].pointer ||
        t->slots[slot].generation != (uint32_t)(number >> 32))
        return NULL;
    return &t->slots[slot];
}

void *co4__nats_table_find(const struct co4__nats_table *t, uint64_t number)
{
    const struct co4__nats_slot *s = slot_of(t, number);
    return s ? s->pointer : NULL;
}

void *co4__nats_table_remove(struct co4__nats_table *t, uint64_t number)
{
    struct co4__nats_slot *s = slot_of(t, number);
    if (!s)
        return NULL;
    void *pointer = s->pointer;
    s->pointer = NULL;
    s->generation++;
    s->next_free = t->first_free;
    t->first_free = (uint32_t)number;
    t->count--;
    return pointer;
}

void *co4__nats_table_next(const struct co4__nats_table *t, uint32_t *slot, uint64_t *number)
{
    for (; *slot < t->used; (*slot)++)
        if (t->slots[*slot].pointer) {
            *number = number_of(*slot, t->slots[*slot].generation);
            return t->slots[(*slot)++].pointer;
        }
    return NULL;
}

void co4__nats_table_free(struct co4__nats_table *t)
{
    free(t->slots);
    *t = (struct co4__nats_table){ 0 };
}
