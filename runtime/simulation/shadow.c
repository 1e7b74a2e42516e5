/* shadow.c - a table of what is known of the program's memory.
 *
 * A page of the program has 512 cells, which are made with its first access. A table finds them by
 * the page's number; the pages of the last accesses are found without it. The memory is the
 * system's: with malloc() the program's addresses would be others than without a look for races. */
#define _GNU_SOURCE
#include "simulation/shadow.h"

#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 12, CELLS = (1 << PAGE) / 8, RECENT = 256, CHUNK = 1 << 20, TABLE = 1 << 16 };

struct page {
    struct page *next;
    uintptr_t number;
    struct co4__cell cells[CELLS];
};

static struct page *recent[RECENT];
static struct page **table;
static struct co4__access *unused;

void *co4__shadow_memory(size_t bytes)
{
    static char *at;
    static size_t left;
    bytes = (bytes + 15) & ~(size_t)15;
    if (bytes > left) {
        size_t chunk = bytes > CHUNK ? bytes : CHUNK;
        void *fresh = mmap(NULL, chunk, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (fresh == MAP_FAILED)
            return NULL;
        at = fresh;
        left = chunk;
    }
    at += bytes;
    left -= bytes;
    return at - bytes;
}

static struct page *find_page(uintptr_t number, bool make)
{
    if (!table && (!make || !(table = co4__shadow_memory(TABLE * sizeof *table))))
        return NULL;
    struct page **first = &table[(number * (uintptr_t)0x9e3779b97f4a7c15u >> 40) % TABLE];
    for (struct page *p = *first; p; p = p->next)
        if (p->number == number)
            return p;
    struct page *fresh = make ? co4__shadow_memory(sizeof *fresh) : NULL;
    if (!fresh)
        return NULL;
    fresh->number = number;
    fresh->next = *first;
    return *first = fresh;
}

struct co4__cell *co4__shadow_at(uintptr_t at, int make)
{
    uintptr_t number = at >> PAGE;
    struct page **last = &recent[number % RECENT];
    if (CO4__UNLIKELY(!*last || (*last)->number != number)) {
        struct page *p = find_page(number, make);
        if (!p)
            return NULL;
        *last = p;
    }
    return &(*last)->cells[at / 8 % CELLS];
}

struct co4__access *co4__access_new(void)
{
    struct co4__access *a = unused;
    if (!a)
        return co4__shadow_memory(sizeof *a);
    unused = a->next;
    return a;
}

void co4__access_free(struct co4__access *a)
{
    a->next = unused;
    unused = a;
}

/* A cell of which a part is cleared keeps the accesses of other bytes. */
static void clear_cell(struct co4__cell *cell, uint8_t bytes)
{
    for (struct co4__access **link = &cell->accesses, *a; (a = *link) != NULL;) {
        a->bytes &= (uint8_t)~bytes;
        if (a->bytes == 0) {
            *link = a->next;
            co4__access_free(a);
        } else {
            link = &a->next;
        }
    }
    if (bytes & 1)
        cell->sync = NULL;
}

void co4__shadow_clear(uintptr_t at, size_t bytes)
{
    uintptr_t end = at + bytes;
    while (at < end) {
        uintptr_t next = (at | 7) + 1;
        struct co4__cell *cell = co4__shadow_at(at, false);
        if (!cell) {
            at = (at | ((1 << PAGE) - 1)) + 1; /* the whole page is unknown */
            continue;
        }
        unsigned from = at & 7, to = next <= end ? 8 : (unsigned)(end & 7);
        clear_cell(cell, (uint8_t)(((1u << to) - 1) & ~((1u << from) - 1)));
        at = next;
    }
}
