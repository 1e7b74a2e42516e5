/* find.c - see files.h: from a name in an address to a file. These calls wait for the disk. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#ifdef SYS_openat2
#include <linux/openat2.h>
#endif

#include "files.h"

#include "co4/io.h"

enum { SMALL = 8 << 10 }; /* bytes of a file that is read as a whole */

/* ---- names ---- */

/* Makes "a/b" of "//a/./b/", in place. Returns 0, or the status of a path that is refused. */
static int clean(char *path, size_t size, bool *is_folder)
{
    size_t n = 0, at = 0;
    *is_folder = true;
    while (at < size) {
        size_t end = at;
        while (end < size && path[end] != '/')
            end++;
        size_t part = end - at;
        if (part == 2 && memcmp(path + at, "..", 2) == 0)
            return 403;
        *is_folder = end < size || part == 0 || (part == 1 && path[at] == '.');
        if (part > 0 && !(part == 1 && path[at] == '.')) {
            if (n > 0)
                path[n++] = '/';
            memmove(path + n, path + at, part);
            n += part;
        }
        at = end + 1;
    }
    path[n] = '\0';
    return 0;
}

static const char *type_of(const char *name)
{
    static const struct {
        const char *end, *type;
    } types[] = {
        { "html", "text/html; charset=utf-8" },
        { "htm", "text/html; charset=utf-8" },
        { "css", "text/css" },
        { "js", "text/javascript" },
        { "mjs", "text/javascript" },
        { "json", "application/json" },
        { "txt", "text/plain; charset=utf-8" },
        { "md", "text/markdown; charset=utf-8" },
        { "csv", "text/csv" },
        { "xml", "application/xml" },
        { "svg", "image/svg+xml" },
        { "png", "image/png" },
        { "jpg", "image/jpeg" },
        { "jpeg", "image/jpeg" },
        { "gif", "image/gif" },
        { "webp", "image/webp" },
        { "ico", "image/vnd.microsoft.icon" },
        { "wasm", "application/wasm" },
        { "pdf", "application/pdf" },
        { "woff2", "font/woff2" },
        { "mp4", "video/mp4" },
        { "zip", "application/zip" },
        { "gz", "application/gzip" },
    };
    const char *slash = strrchr(name, '/'), *dot = strrchr(slash ? slash : name, '.');
    for (size_t i = 0; dot && i < sizeof types / sizeof *types; i++)
        if (strcasecmp(dot + 1, types[i].end) == 0)
            return types[i].type;
    return "application/octet-stream";
}

/* ---- the lookup ---- */

#if defined(SYS_openat2) && defined(RESOLVE_CACHED) && defined(RWF_NOWAIT)
#define HAS_CACHED 1
#else
#define HAS_CACHED 0
#endif

/* Without a wait for the other end of a FIFO, and without a terminal. */
#define OPENING (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

/* Folder by folder, without links. */
static int open_walking(int root, char *path)
{
    int folder = root;
    char *at = path;
    for (;;) {
        char *slash = strchr(at, '/');
        int flags = O_NOFOLLOW | (slash ? O_PATH | O_DIRECTORY | O_CLOEXEC : OPENING);
        if (slash)
            *slash = '\0';
        int fd = openat(folder, at, flags), err = errno;
        if (slash)
            *slash = '/';
        if (folder != root)
            close(folder);
        errno = err;
        if (fd < 0 || !slash)
            return fd;
        folder = fd;
        at = slash + 1;
    }
}

static int open_below(const co4_http_folder *folder, char *path, bool cached)
{
#ifdef SYS_openat2
    struct open_how how = { .flags = OPENING, .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS };
#if HAS_CACHED
    how.resolve |= cached ? RESOLVE_CACHED : 0;
#endif
    int fd = folder->links ? (int)syscall(SYS_openat2, folder->root, path, &how, sizeof how) : -1;
    if (folder->links &&
        (fd >= 0 || cached || (errno != ENOSYS && errno != EPERM && errno != EAGAIN)))
        return fd;
#endif
    (void)cached;
    return open_walking(folder->root, path);
}

static int status_of(int err)
{
    switch (err) {
    case ENOENT:
    case ENOTDIR:
    case ENAMETOOLONG:
        return 404;
    case EACCES:
    case EPERM:
    case ELOOP:
    case EXDEV:
    case ENXIO:
        return 403; /* not allowed, a link that leads out, a socket */
    case EMFILE:
    case ENFILE:
    case ENOMEM:
        return 503;
    default:
        return 500;
    }
}

static bool read_whole(int fd, char *to, size_t size, bool cached)
{
    size_t done = 0;
#if HAS_CACHED
    struct iovec iov = { to, size };
    if (cached)
        return preadv2(fd, &iov, 1, 0, RWF_NOWAIT) == (ssize_t)size;
#endif
    (void)cached;
    while (done < size) {
        ssize_t n = pread(fd, to + done, size - done, (off_t)done);
        if (n == 0 || (n < 0 && errno != EINTR))
            return false;
        done += n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* Opens a name, and reads it if it is small. */
static int look_at(char *path, struct co4__http_found *f)
{
    f->fd = open_below(f->folder, path, f->cached);
    if (f->fd < 0)
        return f->cached ? 0 : status_of(errno);
    int status = 500;
    if (fstat(f->fd, &f->stat) != 0)
        status = 500;
    else if (!S_ISREG(f->stat.st_mode))
        status = S_ISDIR(f->stat.st_mode) ? 301 : 403;
    else if (f->stat.st_size > SMALL)
        status = 200;
    else if (!(f->bytes = malloc((size_t)f->stat.st_size + 1)))
        status = 503;
    else if (read_whole(f->fd, f->bytes, (size_t)f->stat.st_size, f->cached))
        status = 200;
    else
        status = f->cached ? 0 : 500;
    f->type = type_of(path);
    if (status == 0) {
        free(f->bytes);
        f->bytes = NULL;
    }
    if (status != 200 || f->bytes) {
        close(f->fd);
        f->fd = -1;
    }
    return status;
}

bool co4__http_has_cached(const co4_http_folder *folder)
{
    return HAS_CACHED && folder->links;
}

void co4__http_find(struct co4__http_found *f, struct co4__http_text name)
{
    static const char index[] = "/index.html";
    char path[PATH_MAX + sizeof index];
    bool is_folder;
    f->fd = -1;
    if (name.size >= PATH_MAX) {
        f->status = 414;
        return;
    }
    ssize_t n = co4__http_decode(name, path, false);
    f->status = n < 0 ? 400 : clean(path, (size_t)n, &is_folder);
    if (f->status != 0)
        return;
    if (is_folder) {
        size_t length = strlen(path);
        memcpy(path + length, index + (length == 0), sizeof index - (length == 0));
        f->status = look_at(path, f);
        if (f->status == 301)
            f->status = 403; /* a folder of this name */
    } else {
        f->status = look_at(path, f);
    }
}

void co4__http_found_end(struct co4__http_found *f)
{
    free(f->bytes);
    if (f->fd >= 0)
        co4_close(f->fd);
    f->bytes = NULL;
    f->fd = -1;
}

/* ---- folders ---- */

int co4_http_folder_open(co4_http_folder **folder, const char *path, unsigned flags)
{
    if (!folder)
        return CO4_EINVAL;
    *folder = NULL;
    if (!path || (flags & ~CO4_HTTP_NO_LINKS))
        return CO4_EINVAL;
    co4_http_folder *made = malloc(sizeof *made);
    if (!made)
        return CO4_ENOMEM;
    made->links = !(flags & CO4_HTTP_NO_LINKS);
    made->root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (made->root < 0) {
        int err = co4_code_of_errno(errno);
        free(made);
        return err;
    }
    *folder = made;
    return CO4_OK;
}

void co4_http_folder_close(co4_http_folder *folder)
{
    if (folder)
        close(folder->root);
    free(folder);
}
