/* unseen.c - whether code that this link does not contain may signal a condition.
 *
 * The link turns the program's calls of pthread_cond_signal() into the library's. A shared library
 * that calls it may have a condition of the program. So a task looks from time to time, by a return
 * without a cause, but only where such a library is there. */
#define _GNU_SOURCE
#include "posix/unseen.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __GLIBC__
#include <link.h>

/* Twice how many objects have ever been there, and 1 if one of them signals. */
static atomic_ullong known;

struct look {
    unsigned long long was, now;
};

static bool is_signal(const char *name)
{
    return strcmp(name, "pthread_cond_signal") == 0 ||
           strcmp(name, "pthread_cond_broadcast") == 0 || strcmp(name, "cnd_signal") == 0 ||
           strcmp(name, "cnd_broadcast") == 0;
}

/* glibc has made most of these addresses; in the kernel's object they are relative. */
static const void *address(const struct dl_phdr_info *object, ElfW(Addr) at)
{
    return (const void *)(at < object->dlpi_addr ? at + object->dlpi_addr : at); // NOLINT
}

/* What an object takes from others comes before what it has, so the tables for names of the latter
 * say how many there are. */
static bool object_signals(const struct dl_phdr_info *object, const ElfW(Dyn) * entry)
{
    const ElfW(Sym) *symbols = NULL;
    const char *names = NULL;
    size_t count = 0;
    for (; entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_SYMTAB)
            symbols = address(object, entry->d_un.d_ptr);
        else if (entry->d_tag == DT_STRTAB)
            names = address(object, entry->d_un.d_ptr);
        else if (entry->d_tag == DT_GNU_HASH || (entry->d_tag == DT_HASH && count == 0))
            count = ((const uint32_t *)address(object, entry->d_un.d_ptr))[1];
    }
    for (size_t i = 1; symbols && names && i < count; i++)
        if (symbols[i].st_shndx == SHN_UNDEF && is_signal(names + symbols[i].st_name))
            return true;
    return false;
}

static const ElfW(Dyn) * table_of(const struct dl_phdr_info *object)
{
    for (int i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
            return (const void *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr); // NOLINT
    return NULL;
}

/* The first object is the program. */
static int look_at(struct dl_phdr_info *object, size_t bytes, void *data)
{
    struct look *l = data;
    (void)bytes;
    if (l->now == 0) {
        l->now = object->dlpi_adds * 2;
        return l->was / 2 == object->dlpi_adds;
    }
    const ElfW(Dyn) *table = table_of(object);
    if (table && object_signals(object, table))
        l->now |= 1;
    return l->now & 1;
}

bool co4__signals_unseen(void)
{
    struct look l = { .was = atomic_load_explicit(&known, memory_order_relaxed) };
    dl_iterate_phdr(look_at, &l);
    if (l.was / 2 == l.now / 2)
        return l.was & 1;
    atomic_store_explicit(&known, l.now, memory_order_relaxed);
    return l.now & 1;
}

#else

bool co4__signals_unseen(void)
{
    return true;
}

#endif
