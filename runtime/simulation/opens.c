/* opens.c - calls that open files, for a program of --auto=test that has a simulated disk.
 *
 * A name of the system that the disk does not have is not there. The first ones are named on
 * standard error: a program with an input beside it needs --disk or --mount. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "posix/wraps.h"
#include "simulation/disk.h"
#include "simulation/identity.h"
#include "simulation/names.h"
#include "simulation/notice.h"
#include "simulation/run.h"
#include "simulation/socket_files.h"

#define HINTS 3

static void hint(const struct co4__disk_place *p)
{
    static int given;
    struct stat s;
    if (given >= HINTS || co4__disk->life != 1 || __real_fstatat(AT_FDCWD, p->name, &s, 0) != 0 ||
        !S_ISREG(s.st_mode))
        return;
    given++;
    dprintf(STDERR_FILENO, "co4: '%s' is not on the simulated disk: --disk or --mount has it\n",
            p->name);
}

static bool writes(int flags)
{
    return (flags & O_ACCMODE) != O_RDONLY;
}

/* The system waits for its other end, which may be a thread: that cannot run meanwhile. */
static void notice_fifo(int folder, const char *path, int flags)
{
    struct stat s;
    int was = errno;
    if (!(flags & (O_NONBLOCK | O_PATH)) && (flags & O_ACCMODE) != O_RDWR &&
        __real_fstatat(folder, path, &s, 0) == 0 && S_ISFIFO(s.st_mode))
        co4__not_simulated("open of a FIFO", "no thread runs until it has its other end", NULL);
    errno = was;
}

static int open_new(const struct co4__disk_place *p, int flags, mode_t mode, bool *is_new)
{
    struct co4__disk_parts parts;
    if (co4__disk_split(&parts, p) != 0) {
        if (errno == EBUSY)
            errno = EISDIR;
        return -1;
    }
    *is_new = parts.ino == 0;
    int fd = __real_open(p->real, flags, mode);
    if (fd >= 0 && *is_new)
        co4__disk_note_put(parts.folder, parts.name, 0, co4__disk_entry(AT_FDCWD, p->real));
    return fd;
}

static int open_here(const struct co4__disk_place *p, int flags, mode_t mode)
{
    bool is_new = false, cuts = (flags & O_TRUNC) && writes(flags);
    bool dies = (writes(flags) || flags & (O_CREAT | O_TRUNC)) && co4__disk_call();
    bool is_unnamed = (flags & O_TMPFILE) == O_TMPFILE;
    notice_fifo(AT_FDCWD, p->real, flags);
    flags &= ~O_DIRECT; /* files in memory may not know it */
    if (cuts)
        flags &= ~O_TRUNC;
    int fd = flags & O_CREAT ? open_new(p, flags, mode, &is_new)
                             : __real_open(p->real, flags, mode);
    if (fd >= 0 && (writes(flags) || is_new))
        co4__disk_track(fd, is_new || is_unnamed);
    struct co4__disk_file *f = fd >= 0 && cuts && !is_new ? co4__disk_file_of(fd) : NULL;
    if (f && __real_ftruncate(fd, 0) == 0)
        co4__disk_cut(f, 0);
    if (fd < 0 && errno == ENOENT)
        hint(p);
    if (dies)
        co4__disk_crash();
    return fd;
}

int co4__disk_open(int folder, const char *path, int flags, mode_t mode)
{
    struct co4__disk_place p;
    bool is_exact = (flags & O_NOFOLLOW) || (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL);
    if (co4__disk_find(&p, folder, path, !is_exact) != 0)
        return -1;
    if (p.zone == CO4__DISK_PRIVATE)
        return open_here(&p, flags, mode);
    if (p.zone == CO4__DISK_READ) {
        if (writes(flags) || (flags & O_TRUNC)) {
            errno = EROFS;
            return -1;
        }
        flags &= ~O_CREAT;
    }
    return __real_open(p.real, flags, mode);
}

/* ---- descriptors ---- */

const struct co4__opened *co4__opened;

#define OPENED(fd) (co4__opened ? co4__opened->descriptor((fd), __builtin_return_address(0)) : (fd))

static bool takes_mode(int flags)
{
    return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
}

#define MODE_OF(last)                                                                              \
    __extension__({                                                                                \
        va_list more_;                                                                             \
        va_start(more_, last);                                                                     \
        unsigned mode_ = takes_mode(flags) ? va_arg(more_, unsigned) : 0;                          \
        va_end(more_);                                                                             \
        (mode_t) mode_;                                                                            \
    })

/* The file of a Unix socket is not opened. */
static bool is_socket(int folder, const char *path, int flags)
{
    bool is_new = (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL);
    if (!co4__socket_file(folder, path)) {
        if (!co4__disk)
            notice_fifo(folder, path, flags);
        return false;
    }
    errno = is_new ? EEXIST : ENXIO;
    return true;
}

int __wrap_open(const char *path, int flags, ...);
int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
    mode_t mode = MODE_OF(flags);
    int fd = is_socket(AT_FDCWD, path, flags) ? -1
             : co4__disk                      ? co4__disk_open(AT_FDCWD, path, flags, mode)
                                              : __real_open(CO4__SYSTEM_PATH(path), flags, mode);
    return OPENED(fd);
}

int __wrap_open64(const char *path, int flags, ...) CO4__SAME(__wrap_open);
int __wrap___open_2(const char *path, int flags, ...);
int __real___open_2(const char *path, int flags, ...);
int __wrap___open_2(const char *path, int flags, ...)
{
    mode_t mode = MODE_OF(flags);
    int fd = is_socket(AT_FDCWD, path, flags) ? -1
             : co4__disk                      ? co4__disk_open(AT_FDCWD, path, flags, mode)
                         : __real___open_2(CO4__SYSTEM_PATH(path), flags, mode);
    return OPENED(fd);
}

int __wrap___open64_2(const char *path, int flags, ...) CO4__SAME(__wrap___open_2);
int __wrap_openat(int folder, const char *path, int flags, ...);
int __real_openat(int folder, const char *path, int flags, ...);
int __wrap_openat(int folder, const char *path, int flags, ...)
{
    mode_t mode = MODE_OF(flags);
    int fd = is_socket(folder, path, flags) ? -1
             : co4__disk                    ? co4__disk_open(folder, path, flags, mode)
                         : __real_openat(folder, CO4__SYSTEM_PATH(path), flags, mode);
    return OPENED(fd);
}

int __wrap_openat64(int folder, const char *path, int flags, ...) CO4__SAME(__wrap_openat);
int __wrap___openat_2(int folder, const char *path, int flags, ...);
int __real___openat_2(int folder, const char *path, int flags, ...);
int __wrap___openat_2(int folder, const char *path, int flags, ...)
{
    mode_t mode = MODE_OF(flags);
    int fd = is_socket(folder, path, flags) ? -1
             : co4__disk                    ? co4__disk_open(folder, path, flags, mode)
                         : __real___openat_2(folder, CO4__SYSTEM_PATH(path), flags, mode);
    return OPENED(fd);
}

int __wrap___openat64_2(int folder, const char *path, int flags, ...) CO4__SAME(__wrap___openat_2);

CO4__WRAPS(creat, (const char *path, mode_t mode));
int __wrap_creat(const char *path, mode_t mode)
{
    return is_socket(AT_FDCWD, path, O_CREAT) ? -1
           : co4__disk ? co4__disk_open(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode)
                       : __real_creat(path, mode);
}

int __wrap_creat64(const char *path, mode_t mode) CO4__SAME(__wrap_creat);

/* ---- streams ---- */

static int flags_of(const char *mode)
{
    size_t n = strcspn(mode, ",");
    int flags = memchr(mode, '+', n) ? O_RDWR : mode[0] == 'r' ? O_RDONLY : O_WRONLY;
    if (mode[0] == 'w' || mode[0] == 'a')
        flags |= O_CREAT | (mode[0] == 'w' ? O_TRUNC : 0) | (memchr(mode, 'x', n) ? O_EXCL : 0);
    return flags | O_CLOEXEC;
}

/* Opens the file as the stream will, and closes it: so it is known before the C library opens it.
 * Returns the name of the system, and a mode that finds the file; or NULL. */
static const char *prepare(const char *path, const char *mode, struct co4__disk_place *p,
                           char usable[64])
{
    size_t n = 0;
    int flags = flags_of(mode), fd;
    if (strlen(mode) >= 64) {
        errno = EINVAL;
        return NULL;
    }
    for (const char *m = mode; *m; m++)
        if (*m != 'x' || memchr(mode, ',', (size_t)(m - mode)))
            usable[n++] = *m;
    usable[n] = '\0';
    fd = co4__disk_open(AT_FDCWD, path, flags, 0666);
    if (fd < 0)
        return NULL;
    __real_close(fd);
    return co4__disk_find(p, AT_FDCWD, path, true) == 0 ? p->real : NULL;
}

FILE *__wrap_fopen(const char *path, const char *mode);
FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode)
{
    struct co4__disk_place p;
    char usable[64];
    const char *real = is_socket(AT_FDCWD, path, flags_of(mode)) ? NULL
                       : co4__disk                               ? prepare(path, mode, &p, usable)
                                                                 : CO4__SYSTEM_PATH(path);
    FILE *file = real ? __real_fopen(real, co4__disk ? usable : mode) : NULL;
    return co4__opened ? co4__opened->stream(file, mode, __builtin_return_address(0)) : file;
}

FILE *__wrap_fopen64(const char *path, const char *mode) CO4__SAME(__wrap_fopen);

/* A stream that cannot be opened is closed, as there. */

FILE *__wrap_freopen(const char *path, const char *mode, FILE *file);
FILE *__real_freopen(const char *path, const char *mode, FILE *file);
FILE *__wrap_freopen(const char *path, const char *mode, FILE *file)
{
    struct co4__disk_place p;
    char usable[64];
    if (!co4__disk || !path)
        return __real_freopen(CO4__SYSTEM_PATH(path), mode, file);
    const char *real = prepare(path, mode, &p, usable);
    return __real_freopen(real ? real : "/dev/null/none", real ? usable : mode, file);
}

FILE *__wrap_freopen64(const char *path, const char *mode, FILE *file) CO4__SAME(__wrap_freopen);

/* ---- folders ---- */

DIR *__wrap_opendir(const char *path);
DIR *__real_opendir(const char *path);

DIR *__wrap_opendir(const char *path)
{
    struct co4__disk_place p;
    if (!co4__disk)
        return __real_opendir(CO4__SYSTEM_PATH(path));
    return co4__disk_find(&p, AT_FDCWD, path, true) == 0 ? __real_opendir(p.real) : NULL;
}

/* ---- names that are free ---- */

static bool names_are_seeded(void)
{
    return co4__disk || co4__program_is_simulated();
}

static void draw_letters(char at[6])
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    for (size_t i = 0; i < 6; i++)
        at[i] = letters[(co4__disk ? co4__disk_random() : co4__simulated_random()) % 36];
}

/* Tries names by the seed; `suffix` bytes behind the six of the template stay. */
static int make_unique(char *template, int suffix, int flags, bool is_folder)
{
    size_t n = strlen(template);
    if (suffix < 0 || n < 6 + (size_t)suffix ||
        strncmp(template + n - 6 - (size_t)suffix, "XXXXXX", 6) != 0) {
        errno = EINVAL;
        return -1;
    }
    for (int tries = 0; tries < 1000; tries++) {
        draw_letters(template + n - 6 - (size_t)suffix);
        int fd = is_folder ? mkdir(template, 0700)
                           : open(template, flags | O_RDWR | O_CREAT | O_EXCL, 0600);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

CO4__WRAPS(mkstemp, (char *template));
int __wrap_mkstemp(char *template)
{
    return names_are_seeded() ? make_unique(template, 0, 0, false) : __real_mkstemp(template);
}

int __wrap_mkstemp64(char *template) CO4__SAME(__wrap_mkstemp);
CO4__WRAPS(mkostemp, (char *template, int how));
int __wrap_mkostemp(char *template, int how)
{
    return names_are_seeded() ? make_unique(template, 0, how, false)
                              : __real_mkostemp(template, how);
}

int __wrap_mkostemp64(char *template, int how) CO4__SAME(__wrap_mkostemp);
CO4__WRAPS(mkstemps, (char *template, int suffix));
int __wrap_mkstemps(char *template, int suffix)
{
    return names_are_seeded() ? make_unique(template, suffix, 0, false)
                              : __real_mkstemps(template, suffix);
}

int __wrap_mkstemps64(char *template, int suffix) CO4__SAME(__wrap_mkstemps);
CO4__WRAPS(mkostemps, (char *template, int suffix, int how));
int __wrap_mkostemps(char *template, int suffix, int how)
{
    return names_are_seeded() ? make_unique(template, suffix, how, false)
                              : __real_mkostemps(template, suffix, how);
}

int __wrap_mkostemps64(char *template, int suffix, int how) CO4__SAME(__wrap_mkostemps);

char *__wrap_mkdtemp(char *template);
char *__real_mkdtemp(char *template);

char *__wrap_mkdtemp(char *template)
{
    if (!names_are_seeded())
        return __real_mkdtemp(template);
    return make_unique(template, 0, 0, true) == 0 ? template : NULL;
}

FILE *__wrap_tmpfile(void);
FILE *__real_tmpfile(void);
FILE *__wrap_tmpfile(void)
{
    char template[] = "/tmp/XXXXXX";
    if (!co4__disk)
        return __real_tmpfile();
    int fd = make_unique(template, 0, 0, false);
    if (fd >= 0)
        unlink(template);
    return fd >= 0 ? fdopen(fd, "w+") : NULL;
}

FILE *__wrap_tmpfile64(void) CO4__SAME(__wrap_tmpfile);

/* ---- names that are free now, and perhaps not when they are used ---- */

char *__wrap_mktemp(char *template);
char *__wrap_mktemp(char *template)
{
    struct stat s;
    size_t n = strlen(template);
    bool is_one = n >= 6 && strcmp(template + n - 6, "XXXXXX") == 0;
    for (int tries = 0; is_one && tries < 1000; tries++) {
        draw_letters(template + n - 6);
        if (lstat(template, &s) != 0 && errno == ENOENT)
            return template;
    }
    errno = is_one ? EEXIST : EINVAL;
    template[0] = '\0';
    return template;
}

char *__wrap_tmpnam(char *name);
char *__wrap_tmpnam(char *name)
{
    static char own[L_tmpnam];
    char *to = name ? name : own;
    snprintf(to, L_tmpnam, "/tmp/fileXXXXXX");
    return *__wrap_mktemp(to) ? to : NULL;
}

char *__wrap_tmpnam_r(char *name);
char *__wrap_tmpnam_r(char *name)
{
    return name ? __wrap_tmpnam(name) : NULL;
}

char *__wrap_tempnam(const char *folder, const char *prefix);
char *__wrap_tempnam(const char *folder, const char *prefix)
{
    const char *wanted = getenv("TMPDIR");
    char *name = NULL;
    if (!wanted || access(wanted, W_OK) != 0)
        wanted = folder && access(folder, W_OK) == 0 ? folder : "/tmp";
    if (asprintf(&name, "%s/%.5sXXXXXX", wanted, prefix ? prefix : "file") < 0)
        return NULL;
    if (*__wrap_mktemp(name))
        return name;
    free(name);
    return NULL;
}
