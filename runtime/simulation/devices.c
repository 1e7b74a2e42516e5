/* devices.c - files of the system whose bytes differ from run to run, for a program of --auto=test:
 * devices of random numbers, and files of /proc and /sys.
 *
 * What a file is says the system once it is open, so it does not matter by which name. /dev/random
 * and /dev/urandom become objects whose bytes the seed decides; the placeholder is the device, so
 * that fstat() and fcntl() see one. The files uuid and boot_id of the kernel become files in
 * memory, with a number of the seed. There are no control groups, as the machine is one of its own
 * (machine.c). Of others the program says that they are not simulated.
 *
 * Rejected: a pipe or a file in memory for the devices, which never end. */
#define _GNU_SOURCE
#include "simulation/devices.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/alloc.h"
#include "io/attempt.h"
#include "simulation/disk.h"
#include "simulation/identity.h"
#include "simulation/names.h"
#include "simulation/notice.h"
#include "simulation/objects.h"
#include "simulation/run.h"

int __real_dup2(int from, int to);
int __real_dup(int fd);

#define MEMORY_MAJOR 1
#define RANDOM       8
#define URANDOM      9
#define PROC_FILES   0x9fa0 /* as the kernel calls them */
#define SYS_FILES    0x62656572

/* ---- devices of random numbers ---- */

static ssize_t random_read(struct co4__object *o, void *to, size_t bytes)
{
    (void)o;
    co4__simulated_fill(to, bytes);
    return (ssize_t)bytes;
}

/* What is written does not decide what is read. */
static ssize_t random_write(struct co4__object *o, const void *from, size_t bytes)
{
    (void)o, (void)from;
    return (ssize_t)bytes;
}

static short random_poll(const struct co4__object *o)
{
    (void)o;
    return POLLIN | POLLOUT;
}

static void random_end(struct co4__object *o)
{
    co4__free(o);
}

static const struct co4__object_kind random_kind = {
    .read = random_read,
    .write = random_write,
    .poll = random_poll,
    .end = random_end,
};

bool co4__is_random_device(int fd)
{
    return co4__object_at(fd, &random_kind) != NULL;
}

static int open_random(int fd)
{
    struct co4__object *o = co4__alloc(sizeof *o);
    if (!o) {
        __real_close(fd);
        return co4__errno_fails(ENOMEM);
    }
    o->kind = &random_kind;
    fd = co4__object_open(o, fd);
    if (fd < 0)
        co4__free(o);
    return fd;
}

/* ---- files of the kernel ---- */

/* As the kernel writes them: version 4, variant 1. */
static void put_uuid(char text[38], const uint64_t numbers[2])
{
    uint64_t a = (numbers[0] & ~UINT64_C(0xf000)) | 0x4000;
    uint64_t b = (numbers[1] & ~(UINT64_C(3) << 62)) | UINT64_C(2) << 62;
    snprintf(text, 38, "%08x-%04x-%04x-%04x-%012llx\n", (unsigned)(a >> 32),
             (unsigned)(a >> 16 & 0xffff), (unsigned)(a & 0xffff), (unsigned)(b >> 48),
             (unsigned long long)(b & 0xffffffffffff));
}

/* The number becomes one of a file in memory with the text. */
static int replace_by_text(int fd, const char *text)
{
    int flags = fcntl(fd, F_GETFD), file = memfd_create("co4-uuid", MFD_CLOEXEC);
    size_t bytes = strlen(text);
    if (file < 0 || __real_pwrite(file, text, bytes, 0) != (ssize_t)bytes ||
        __real_dup2(file, fd) < 0) {
        int err = errno;
        if (file >= 0)
            __real_close(file);
        return co4__errno_fails(err);
    }
    __real_close(file);
    fcntl(fd, F_SETFD, flags);
    return fd;
}

/* The process has another number in each run. */
static void name_self(char *name)
{
    char own[40];
    int n = snprintf(own, sizeof own, "/proc/%d", (int)co4__process_real(getpid()));
    if (strncmp(name, own, (size_t)n) == 0 && (name[n] == '/' || name[n] == '\0')) {
        memmove(name + 10, name + n, strlen(name + n) + 1);
        memcpy(name, "/proc/self", 10);
    }
}

/* -1: it is to be closed, with `errno`. */
static int open_kernels(int fd, const void *place)
{
    static const char random[] = "/proc/sys/kernel/random/", groups[] = "/sys/fs/cgroup/";
    char link[40], name[PATH_MAX], text[38];
    struct statfs in;
    if (fstatfs(fd, &in) != 0 || (in.f_type != PROC_FILES && in.f_type != SYS_FILES))
        return fd;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = __real_readlinkat(AT_FDCWD, link, name, sizeof name - 1);
    name[n > 0 ? n : 0] = '\0';
    name_self(name);
    bool is_uuid = strncmp(name, random, sizeof random - 1) == 0 &&
                   strcmp(name + sizeof random - 1, "uuid") == 0;
    bool is_boot = strncmp(name, random, sizeof random - 1) == 0 &&
                   strcmp(name + sizeof random - 1, "boot_id") == 0;
    if (is_uuid || is_boot) {
        put_uuid(text, (const uint64_t[]){
                           is_uuid ? co4__simulated_random() : co4__simulated_constant(1),
                           is_uuid ? co4__simulated_random() : co4__simulated_constant(2) });
        return replace_by_text(fd, text);
    }
    if (strcmp(name, "/proc/self/cgroup") == 0 || strncmp(name, groups, sizeof groups - 1) == 0)
        return co4__errno_fails(ENOENT);
    co4__not_simulated("open", name, place);
    return fd;
}

/* ---- what is open ---- */

static bool is_random(const struct stat *s)
{
    return S_ISCHR(s->st_mode) && major(s->st_rdev) == MEMORY_MAJOR &&
           (minor(s->st_rdev) == RANDOM || minor(s->st_rdev) == URANDOM);
}

/* Files of the kernel say that they have no bytes. */
static bool may_be_kernels(const struct stat *s)
{
    return S_ISREG(s->st_mode) && major(s->st_dev) == 0;
}

static int close_failed(int fd)
{
    int err = errno;
    __real_close(fd);
    return co4__errno_fails(err);
}

static int opened(int fd, const void *place)
{
    struct stat s;
    if (fd < 0 || !co4__program_is_simulated() || __real_fstat(fd, &s) != 0)
        return fd;
    int was = errno;
    if (is_random(&s))
        fd = open_random(fd);
    else if (may_be_kernels(&s) && open_kernels(fd, place) < 0)
        fd = close_failed(fd);
    if (fd >= 0)
        errno = was;
    return fd;
}

/* The C library has opened it for a stream, which reads by the system: the number moves to a stream
 * of this library. */
static FILE *opened_stream(FILE *file, const char *mode, const void *place)
{
    struct stat s;
    int fd = file ? fileno(file) : -1;
    if (fd < 0 || !co4__program_is_simulated() || __real_fstat(fd, &s) != 0)
        return file;
    if (!is_random(&s)) {
        if (!may_be_kernels(&s) || open_kernels(fd, place) >= 0)
            return file;
        int err = errno;
        fclose(file);
        errno = err;
        return NULL;
    }
    int flags = fcntl(fd, F_GETFD), moved = __real_dup(fd);
    fclose(file);
    if (moved < 0)
        return NULL;
    if (__real_dup2(moved, fd) < 0)
        fd = -1;
    __real_close(moved);
    if (fd >= 0)
        fcntl(fd, F_SETFD, flags);
    fd = fd >= 0 ? open_random(fd) : -1;
    return fd >= 0 ? fdopen(fd, mode) : NULL;
}

void co4__devices_begin(void)
{
    static const struct co4__opened hooks = { opened, opened_stream };
    const uint64_t bytes[2] = { co4__simulated_constant(4), co4__simulated_constant(5) };
    void *at = (void *)getauxval(AT_RANDOM); /* the C library has taken what it needs */
    if (at)
        memcpy(at, bytes, sizeof bytes);
    co4__opened = &hooks;
}
