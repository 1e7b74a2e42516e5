/* table.h - nodes found by a number, such as an address: see table.c. */
#ifndef CO4_TABLE_H
#define CO4_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CO4__TABLE_FIRST = 16, CO4__TABLE_SEGMENTS = 24 };

/* Part of what the table holds. Its owner frees it, after co4__table_remove(). */
struct co4__table_node {
    struct co4__table_node *next, **link;
    uintptr_t key;
};

/* Zeroed, it is empty. Its user guards it. */
struct co4__table {
    size_t count;
    size_t more; /* buckets beside the first ones */
    struct co4__table_node *first[CO4__TABLE_FIRST];
    struct co4__table_node **segments[CO4__TABLE_SEGMENTS];
};

/* Returns the newest node of this key, or NULL; next: an older one. */
struct co4__table_node *co4__table_find(const struct co4__table *t, uintptr_t key);
struct co4__table_node *co4__table_find_next(const struct co4__table_node *n);

void co4__table_add(struct co4__table *t, struct co4__table_node *n, uintptr_t key);
void co4__table_remove(struct co4__table *t, struct co4__table_node *n);

/* Puts a node in the place of another node, under its key. */
void co4__table_replace(struct co4__table_node *old, struct co4__table_node *n);

/* Calls `visit` for each node. It may remove the node, or replace it by a node that is not in the
 * table. */
void co4__table_each(const struct co4__table *t, void (*visit)(struct co4__table_node *n));

/* Like co4__table_add(), for a user that may allocate. */
void co4__table_add_growing(struct co4__table *t, struct co4__table_node *n, uintptr_t key);

#ifdef CO4__SMALL /* small/table.c: the table is a list */
static inline size_t co4__table_wants(const struct co4__table *t)
{
    (void)t;
    return 0;
}

static inline bool co4__table_give(struct co4__table *t, void *memory, size_t bytes)
{
    (void)t, (void)memory, (void)bytes;
    return false;
}
#else
/* Returns the bytes of memory that the table needs to grow further; 0: none now. The user allocates
 * and zeroes them, where that is allowed, and gives them. Without them the table works on, and is
 * slower. */
size_t co4__table_wants(const struct co4__table *t);
/* Takes the memory. False: it is not needed any more. */
bool co4__table_give(struct co4__table *t, void *memory, size_t bytes);
#endif
/* Frees a table that was allocated, with the memory that it was given. NULL does nothing. */
void co4__table_free(struct co4__table **t);

#endif
