/* locals.c - thread-locals of the program, of which each task has its own copy.
 *
 * Purpose: code that --auto has woven finds a thread-local by its address in the thread and a
 * distance (co4_abi_local), which is 0 outside tasks, and otherwise leads to the task's copy. All
 * variables of the program are one segment, whose initial values are in the program. So a task has
 * a copy of the segment, and the distance is that between the two.
 *
 * Rejected: copies of single variables, made at the first access (a branch and a table at each
 * access, and memory that a handler of a signal would have to take); an exchange of the contents at
 * each step (pointers to the variables would lead to those of another task). */
#define _GNU_SOURCE
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "co4/abi.h"
#include "posix/thread_part.h"

__thread long co4_abi_locals;

/* The segment in the program; and where this thread has its variables, NULL: not known yet. */
struct segment {
    const char *image;
    size_t bytes_of_image, bytes, align;
    char *here;
};

static int find_segment(struct dl_phdr_info *info, size_t size, void *found)
{
    struct segment *s = found;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type == PT_TLS)
            *s = (struct segment){ (const char *)(uintptr_t)(info->dlpi_addr + p->p_vaddr),
                                   p->p_filesz, p->p_memsz, p->p_align, info->dlpi_tls_data };
    }
    return 1; /* the first object is the program */
}

static const struct segment *segment(void)
{
    static _Thread_local struct segment known;
    if (!known.here)
        dl_iterate_phdr(find_segment, &known);
    return &known;
}

static bool locals_begin(struct co4__thread_state *s)
{
    const struct segment *of = segment();
    size_t align = of->align > 0 ? of->align : 1;
    s->locals.block = co4__alloc(of->bytes + align - 1);
    if (!s->locals.block)
        return false;
    /* as far from a multiple of the alignment as the thread's */
    uintptr_t at = (uintptr_t)s->locals.block;
    uintptr_t gap = ((uintptr_t)of->here - at) & (align - 1);
    s->locals.at = (char *)s->locals.block + gap;
    memcpy(s->locals.at, of->image, of->bytes_of_image);
    return true;
}

static void locals_come(struct co4__thread_state *s)
{
    s->locals.outside = co4_abi_locals;
    co4_abi_locals = (long)((uintptr_t)s->locals.at - (uintptr_t)segment()->here);
}

static void locals_go(struct co4__thread_state *s)
{
    co4_abi_locals = s->locals.outside;
}

static void locals_end(struct co4__thread_state *s)
{
    co4__free(s->locals.block);
}

const struct co4__thread_part co4__part_locals = {
    co4__as_thread, locals_begin, locals_come, locals_go, locals_end, NULL,
};
