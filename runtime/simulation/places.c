/* places.c - where code is: addr2line reads what the compiler says of lines.
 *
 * Purpose: woven code describes its suspension points, but calls and accesses of memory are at all
 * addresses. The run has failed when a place is asked for, so the time of a process does not
 * matter. The child is no child of the program: it sends no signal at its end, and runs no handler
 * of fork(). Where the text goes to /dev/null, as in a search, there is none.
 *
 * Rejected: to read DWARF here (a library of its own); backtrace_symbols() (has no lines). */
#define _GNU_SOURCE
#include "simulation/places.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "simulation/run.h"

enum { LONGEST = 4096 };

ssize_t __real_read(int fd, void *to, size_t bytes);
pid_t __real_getpid(void);
int __real_dup2(int from, int to);
int __real_close(int fd);
int __real_open(const char *path, int flags, ...);
int __real_fstat(int fd, struct stat *to);
int __real_execvp(const char *file, char *const args[]);
long __real_syscall(long number, ...);
_Noreturn void __real__exit(int status);
ssize_t __real_readlink(const char *path, char *to, size_t bytes);
char *__real_getcwd(char *to, size_t bytes);

/* A file, and an address in it as addr2line takes it. */
struct place {
    char file[LONGEST], address[24];
};

static bool find_file(const void *code, struct place *p)
{
    static const char here;
    Dl_info in, own;
    if (!dladdr(code, &in) || !in.dli_fname || !dladdr(&here, &own))
        return false;
    const ElfW(Ehdr) *header = in.dli_fbase;
    uintptr_t at = (uintptr_t)code - 1;
    if (header->e_type == ET_DYN)
        at -= (uintptr_t)in.dli_fbase;
    if (in.dli_fbase == own.dli_fbase) /* the program may have changed its folder */
        snprintf(p->file, sizeof p->file, "/proc/%d/exe", (int)__real_getpid());
    else
        snprintf(p->file, sizeof p->file, "%s", in.dli_fname);
    snprintf(p->address, sizeof p->address, "0x%jx", (uintmax_t)at);
    return true;
}

/* In the child: becomes addr2line. */
static _Noreturn void become_reader(struct place *p, int out)
{
    char name[] = "addr2line", options[] = "-fie";
    char *args[] = { name, options, p->file, p->address, NULL };
    int none = __real_open("/dev/null", O_RDWR);
    __real_dup2(none, 0);
    __real_dup2(none, 2);
    __real_dup2(out, 1);
    __real_execvp(name, args);
    __real__exit(1);
}

/* Puts what addr2line says into `to`, "" for nothing. */
static void ask(struct place *p, char *to, size_t bytes)
{
    int ends[2];
    size_t got = 0;
    to[0] = '\0';
    if (__real_syscall(SYS_pipe2, ends, O_CLOEXEC) != 0)
        return;
    /* no signal at its end, so gdb would take it for a thread */
    long child = __real_syscall(SYS_clone, CLONE_UNTRACED, 0, 0, 0, 0);
    if (child == 0)
        become_reader(p, ends[1]);
    __real_close(ends[1]);
    for (ssize_t n = 1; child > 0 && n > 0 && got<bytes - 1; got += n> 0 ? (size_t)n : 0)
        n = __real_read(ends[0], to + got, bytes - 1 - got);
    to[got] = '\0';
    __real_close(ends[0]);
}

/* Is it of no use to ask? */
static bool goes_nowhere(void)
{
    struct stat s;
    return __real_fstat(STDERR_FILENO, &s) == 0 && S_ISCHR(s.st_mode) && s.st_rdev == makedev(1, 3);
}

/* Woven code has forms of a function: f__co4, f__resume and f__body, which f may be a part of. */
static void cut_form(char *function)
{
    static const char *const forms[] = { "__co4", "__resume", "__body" };
    size_t length = strlen(function);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        size_t end = strlen(forms[i]);
        if (length > end && strcmp(function + length - end, forms[i]) == 0)
            function[length - end] = '\0';
    }
}

/* Woven code calls some functions by f__any, which is inline. */
static char *skip_inline(char *lines)
{
    for (char *end; (end = strchr(lines, '\n')) != NULL; lines = end + 1) {
        char *next = strchr(end + 1, '\n');
        bool made = end - lines > 5 && strncmp(end - 5, "__any", 5) == 0;
        if (!made || !next || next[1] == '\0')
            break;
        end = next;
    }
    return lines;
}

/* Puts the first two lines, "FUNCTION" and "FILE:LINE", as one. Returns false if it does not know
 * them. */
static bool put_lines(struct co4__text *x, char *lines)
{
    char folder[LONGEST];
    lines = skip_inline(lines);
    char *file = strchr(lines, '\n'), *end = file ? strchr(file + 1, '\n') : NULL;
    if (!end || lines[0] == '?' || file[1] == '?')
        return false;
    *file++ = *end = '\0';
    char *more = strstr(file, " (discriminator");
    if (more)
        *more = '\0';
    size_t length = __real_getcwd(folder, sizeof folder) ? strlen(folder) : 0;
    if (length > 1 && strncmp(file, folder, length) == 0 && file[length] == '/')
        file += length + 1;
    cut_form(lines);
    co4__put(x, lines);
    co4__put(x, " () at ");
    co4__put(x, file);
    return true;
}

/* By the name that the file has when the process has ended. */
static void put_command(struct co4__text *x, struct place *p)
{
    char name[LONGEST];
    ssize_t length = __real_readlink(p->file, name, sizeof name - 1);
    if (length >= 0 && strncmp(p->file, "/proc/", 6) == 0)
        snprintf(p->file, sizeof p->file, "%.*s", (int)length, name);
    co4__put(x, "addr2line -fie ");
    co4__put(x, p->file);
    co4__put(x, " ");
    co4__put(x, p->address);
}

void co4__put_code(struct co4__text *x, const void *place)
{
    static struct place p;
    static char lines[2 * LONGEST];
    if (goes_nowhere())
        return;
    if (!find_file(place, &p)) {
        co4__put(x, place ? "code at " : "plain code");
        if (place)
            co4__put_hex(x, (uintptr_t)place);
        return;
    }
    ask(&p, lines, sizeof lines);
    if (!put_lines(x, lines))
        put_command(x, &p);
}

void co4__put_command(struct co4__text *x, const void *place)
{
    static struct place p;
    if (find_file(place, &p))
        put_command(x, &p);
}

/* ---- variables ---- */

/* The program's file, as it was linked. */
struct image {
    const char *bytes;
    size_t size;
    uintptr_t base; /* where it is loaded; 0: where its file says */
};

static bool read_image(struct image *i)
{
    static const char here;
    struct stat s;
    Dl_info own;
    int fd = __real_open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (fd < 0 || __real_fstat(fd, &s) != 0 || !dladdr(&here, &own))
        return false;
    void *at = mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    __real_close(fd);
    if (at == MAP_FAILED)
        return false;
    const ElfW(Ehdr) *header = at;
    *i = (struct image){ at, (size_t)s.st_size,
                         header->e_type == ET_DYN ? (uintptr_t)own.dli_fbase : 0 };
    return true;
}

/* NULL: no variable has the address. */
static const ElfW(Sym) * find_symbol(const struct image *i, uintptr_t at, const char **name)
{
    const ElfW(Ehdr) *header = (const void *)i->bytes;
    const ElfW(Shdr) *sections = (const void *)(i->bytes + header->e_shoff);
    if (header->e_shoff == 0 || header->e_shoff >= i->size)
        return NULL;
    for (unsigned k = 0; k < header->e_shnum; k++) {
        if (sections[k].sh_type != SHT_SYMTAB)
            continue;
        const ElfW(Sym) *all = (const void *)(i->bytes + sections[k].sh_offset);
        for (size_t n = 0; n < sections[k].sh_size / sizeof *all; n++)
            if ((all[n].st_info & 0xf) == STT_OBJECT && at - i->base >= all[n].st_value &&
                at - i->base < all[n].st_value + all[n].st_size) {
                *name = i->bytes + sections[sections[k].sh_link].sh_offset + all[n].st_name;
                return &all[n];
            }
    }
    return NULL;
}

void co4__put_variable(struct co4__text *x, uintptr_t at)
{
    struct image i;
    const char *name;
    const ElfW(Sym) *symbol = read_image(&i) ? find_symbol(&i, at, &name) : NULL;
    if (!symbol)
        return;
    co4__put(x, ", in the variable '");
    co4__put(x, name);
    co4__put(x, "'");
    if (at - i.base > symbol->st_value) {
        co4__put(x, " + ");
        co4__put_number(x, at - i.base - symbol->st_value);
    }
}
