/* find.c - finds the runtime of co4 in the program.
 *
 * Purpose: the shared library tells its private names to the dynamic linker. An archive that is
 * linked into the program tells them only in the table of symbols, which no process loads: it is
 * read from the file. A program without that table is refused, as its profile would have no names
 * either.
 *
 * Concurrency: called by the constructor, before main() and any other thread of the program. */
#define _GNU_SOURCE /* dl_iterate_phdr, RTLD_DEFAULT */
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "co4/abi.h"
#include "debug/layout.h"
#include "profile.h"

enum { WANTED = 3 };
static const char *const wanted[WANTED] = { "co4__step_profiler", "co4__fiber_finish_step",
                                            "co4__layout" };

static int note_base(struct dl_phdr_info *info, size_t bytes, void *base)
{
    (void)bytes;
    *(uintptr_t *)base = info->dlpi_addr;
    return 1; /* the program is the first */
}

/* Returns whether the file has a table of symbols. */
static bool read_symbols(const unsigned char *file, size_t bytes, void *found[WANTED])
{
    const ElfW(Ehdr) *head = (const void *)file;
    uintptr_t base = 0;
    if (bytes < sizeof *head || memcmp(file, ELFMAG, SELFMAG) != 0 || head->e_shoff > bytes ||
        head->e_shnum > (bytes - head->e_shoff) / sizeof(ElfW(Shdr)))
        return false;
    dl_iterate_phdr(note_base, &base);
    const ElfW(Shdr) *sections = (const void *)(file + head->e_shoff);
    for (unsigned i = 0; i < head->e_shnum; i++) {
        const ElfW(Shdr) *table = &sections[i];
        if (table->sh_type != SHT_SYMTAB || table->sh_link >= head->e_shnum)
            continue;
        const ElfW(Shdr) *names = &sections[table->sh_link];
        if (table->sh_offset > bytes || table->sh_size > bytes - table->sh_offset ||
            names->sh_offset > bytes || names->sh_size > bytes - names->sh_offset)
            return false;
        const ElfW(Sym) *symbols = (const void *)(file + table->sh_offset);
        for (size_t k = 0; k < table->sh_size / sizeof *symbols; k++) {
            const char *name = (const char *)file + names->sh_offset + symbols[k].st_name;
            for (int w = 0; w < WANTED; w++)
                if (symbols[k].st_shndx != SHN_UNDEF && symbols[k].st_name < names->sh_size &&
                    strcmp(name, wanted[w]) == 0)
                    found[w] = (void *)(base +
                                        symbols[k].st_value); // NOLINT(performance-no-int-to-ptr)
        }
        return true;
    }
    return false;
}

static bool search_program(void *found[WANTED])
{
    struct stat st;
    bool has_symbols = false;
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    if (fstat(fd, &st) == 0 && st.st_size > 0) {
        size_t bytes = (size_t)st.st_size;
        void *file = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
        if (file != MAP_FAILED) {
            has_symbols = read_symbols(file, bytes, found);
            munmap(file, bytes);
        }
    }
    close(fd);
    return has_symbols;
}

enum profile_state find_runtime(struct profile_runtime *runtime)
{
    void *found[WANTED] = { NULL };
    bool has_symbols = true;
    for (int i = 0; i < WANTED; i++)
        found[i] = dlsym(RTLD_DEFAULT, wanted[i]);
    if (!found[2])
        has_symbols = search_program(found);
    if (!found[2])
        return has_symbols ? PROFILE_NO_TASKS : PROFILE_NO_SYMBOLS;
    runtime->layout = found[2];
    if (!found[0] || !found[1] || runtime->layout->version != CO4__LAYOUT_VERSION)
        return PROFILE_OTHER_RUNTIME;
    runtime->step_profiler = found[0];
    memcpy(&runtime->finish_step, &found[1], sizeof found[1]);
    return PROFILE_SAMPLES;
}
