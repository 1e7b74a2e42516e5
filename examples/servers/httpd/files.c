/* files.c - answers from the files of a folder: types, conditions, ranges.
 *
 * A name is looked up below the folder by the kernel, so that no link and no ".." leads out. The
 * first try takes what the kernel has in memory, and does not wait; a second one is made by a
 * thread of the blocking pool. Either also reads a small file. A large file is sent by sendfile().
 * The open itself would wait only for a network file system. */
#define _GNU_SOURCE
#include <co4/io.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#ifdef SYS_openat2
#include <linux/openat2.h>
#endif

#include "httpd.h"

enum { SMALL = 8 << 10 };   /* bytes of a file that is read as a whole */
enum { PIECE = 256 << 10 }; /* bytes of a file that are sent before one deadline */

static int root = -1;
static bool links;

bool files_begin(const char *folder, bool follows_links)
{
    root = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    links = follows_links;
    return root >= 0;
}

/* ---- names ---- */

static int hex(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Decodes "%41" into `to`, which has room for as many bytes. Returns their number; -1. */
static ssize_t decode(struct http_text path, char *to)
{
    size_t n = 0;
    for (size_t i = 0; i < path.size; i++) {
        char c = path.at[i];
        if (c == '%') {
            int high = i + 2 < path.size ? hex(path.at[i + 1]) : -1;
            int low = high >= 0 ? hex(path.at[i + 2]) : -1;
            if (low < 0)
                return -1;
            c = (char)(high * 16 + low);
            i += 2;
        }
        if (c == '\0')
            return -1;
        to[n++] = c;
    }
    return (ssize_t)n;
}

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

struct found {
    bool cached; /* only what is in memory */
    int status;  /* 0: that is not in memory */
    int fd;      /* of a large file; else -1 */
    char *bytes; /* of a small file */
    struct stat stat;
    const char *type;
};

/* Without a wait for the other end of a FIFO, and without a terminal. */
#define OPENING (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

/* Folder by folder, without links. */
static int open_walking(char *path)
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

static int open_below(char *path, bool cached)
{
#ifdef SYS_openat2
    struct open_how how = { .flags = OPENING, .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS };
#if HAS_CACHED
    how.resolve |= cached ? RESOLVE_CACHED : 0;
#endif
    int fd = links ? (int)syscall(SYS_openat2, root, path, &how, sizeof how) : -1;
    if (links && (fd >= 0 || cached || (errno != ENOSYS && errno != EPERM && errno != EAGAIN)))
        return fd;
#endif
    return open_walking(path);
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
static int look_at(char *path, struct found *f)
{
    f->fd = open_below(path, f->cached);
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

/* The status is 301 for a folder whose name lacks its '/'. */
static void find(const char *at, size_t size, struct found *f)
{
    static const char index[] = "/index.html";
    char path[PATH_MAX + sizeof index];
    bool is_folder;
    f->fd = -1;
    if (size > PATH_MAX) {
        f->status = 414;
        return;
    }
    ssize_t n = decode((struct http_text){ at, size }, path);
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

/* ---- conditions ---- */

enum { TAG = 48, DATE = 32 };

static void make_tag(const struct stat *s, char tag[TAG])
{
    snprintf(tag, TAG, "\"%llx-%llx-%llx\"", (unsigned long long)s->st_mtim.tv_sec,
             (unsigned long long)s->st_mtim.tv_nsec, (unsigned long long)s->st_size);
}

static void make_date(time_t when, char date[DATE])
{
    struct tm tm;
    gmtime_r(&when, &tm);
    strftime(date, DATE, "%a, %d %b %Y %H:%M:%S GMT", &tm);
}

/* The three forms of RFC 9110. Returns -1 for another one. */
static time_t read_date(struct http_text text)
{
    static const char *const forms[] = { "%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT",
                                         "%a %b %e %H:%M:%S %Y" };
    char date[64];
    if (text.size >= sizeof date)
        return -1;
    memcpy(date, text.at, text.size);
    date[text.size] = '\0';
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct tm tm = { 0 };
        const char *end = strptime(date, forms[i], &tm);
        if (end && *end == '\0')
            return timegm(&tm);
    }
    return -1;
}

/* Whether a tag is in a list; "W/" before it does not matter. */
static bool is_listed(struct http_text list, const char *tag)
{
    const char *at = list.at, *end = at + list.size;
    size_t size = strlen(tag);
    if (http_is(list, "*"))
        return true;
    while (at < end) {
        if (*at == ' ' || *at == '\t' || *at == ',') {
            at++;
            continue;
        }
        if (end - at > 2 && memcmp(at, "W/", 2) == 0)
            at += 2;
        const char *close = *at == '"' ? memchr(at + 1, '"', (size_t)(end - at) - 1) : NULL;
        if (!close)
            return false;
        if ((size_t)(close + 1 - at) == size && memcmp(at, tag, size) == 0)
            return true;
        at = close + 1;
    }
    return false;
}

static bool is_unchanged(const struct http *h, const struct stat *s, const char *tag)
{
    struct http_text none = http_field(h, HTTP_IF_NONE_MATCH);
    struct http_text since = http_field(h, HTTP_IF_MODIFIED_SINCE);
    if (none.at)
        return is_listed(none, tag);
    time_t when = since.at ? read_date(since) : -1;
    return when != -1 && s->st_mtime <= when;
}

/* ---- ranges ---- */

struct range {
    int64_t from, bytes;
};

static bool take_number(struct http_text *t, int64_t *n)
{
    size_t digits = 0;
    *n = 0;
    for (; digits < t->size && t->at[digits] >= '0' && t->at[digits] <= '9'; digits++)
        *n = *n > INT64_MAX / 20 ? *n : *n * 10 + (t->at[digits] - '0');
    t->at += digits;
    t->size -= digits;
    return digits > 0;
}

/* "bytes=0-9", "bytes=10-", "bytes=-10". Other forms, and several ranges, count as none. Returns
 * the status: 200, 206, 416. */
static int read_range(struct http_text t, int64_t size, struct range *r)
{
    int64_t first, last = INT64_MAX;
    if (t.size < 7 || strncasecmp(t.at, "bytes=", 6) != 0)
        return 200;
    t.at += 6;
    t.size -= 6;
    bool has_first = take_number(&t, &first);
    if (t.size == 0 || *t.at != '-')
        return 200;
    t.at++;
    t.size--;
    bool has_last = take_number(&t, &last);
    if (t.size > 0 || (!has_first && !has_last) || (has_first && has_last && last < first))
        return 200;
    if (!has_first) {
        first = last < size ? size - last : 0;
        first = last > 0 ? first : size;
        has_last = false;
    }
    if (first >= size)
        return 416;
    last = has_last && last < size ? last : size - 1;
    *r = (struct range){ first, last - first + 1 };
    return 206;
}

static int choose_range(const struct http *h, const struct found *f, const char *tag,
                        const char *date, struct range *r)
{
    struct http_text range = http_field(h, HTTP_RANGE), same = http_field(h, HTTP_IF_RANGE);
    *r = (struct range){ 0, f->stat.st_size };
    if (h->method != HTTP_GET || !range.at ||
        (same.at && !http_is(same, tag) && !http_is(same, date)))
        return 200;
    return read_range(range, f->stat.st_size, r);
}

/* ---- the answer ---- */

static pausable bool send_file(struct http *h, int fd, struct range r)
{
    off_t at = (off_t)r.from;
    while (r.bytes > 0) {
        size_t piece = r.bytes < PIECE ? (size_t)r.bytes : PIECE;
        ssize_t n = co4_conn_send_file_until(h->c, fd, &at, piece, co4_now() + h->limits->progress);
        if (n != (ssize_t)piece)
            return false; /* the file is shorter now, or the peer is gone */
        r.bytes -= n;
    }
    return true;
}

static pausable void send_found(struct http *h, const struct found *f)
{
    struct range r;
    char tag[TAG], modified[DATE], more[320], range[96] = "";
    make_tag(&f->stat, tag);
    make_date(f->stat.st_mtime, modified);
    bool unchanged = is_unchanged(h, &f->stat, tag);
    int status = unchanged ? 304 : choose_range(h, f, tag, modified, &r);
    if (status == 206)
        snprintf(range, sizeof range, "Content-Range: bytes %lld-%lld/%lld\r\n", (long long)r.from,
                 (long long)(r.from + r.bytes - 1), (long long)f->stat.st_size);
    if (status == 416)
        snprintf(range, sizeof range, "Content-Range: bytes */%lld\r\n",
                 (long long)f->stat.st_size);
    snprintf(more, sizeof more, "ETag: %s\r\nLast-Modified: %s\r\nAccept-Ranges: bytes\r\n%s", tag,
             modified, range);
    if (status == 304 || status == 416) {
        answer_status(h, status, more);
        return;
    }
    answer_head(h, status, f->type, r.bytes, more);
    if (h->method == HTTP_HEAD)
        return;
    if (f->bytes)
        co4_conn_put(h->c, f->bytes + r.from, (size_t)r.bytes);
    else if (!send_file(h, f->fd, r))
        h->closes = h->failed = true;
}

/* The way to a folder is relative, so that no host can come of it. */
static void send_to_folder(const struct http *h)
{
    struct http_text path = http_text(h, h->path);
    char more[512];
    const char *name = memrchr(path.at, '/', path.size);
    int size = (int)(path.at + path.size - name) - 1;
    if (size > 400)
        answer_status(h, 404, "");
    else
        snprintf(more, sizeof more, "Location: ./%.*s/\r\n", size, name + 1),
            answer_status(h, 301, more);
}

pausable void files_answer(struct http *h)
{
    struct found f = { .status = root < 0 ? 404 : 0, .fd = -1, .cached = true };
    if (f.status == 0 && HAS_CACHED && links)
        find(h->in + h->path.at, h->path.size, &f);
    f.cached = false;
    if (f.status == 0)
        co4_blocking(find(h->in + h->path.at, h->path.size, &f));
    if (f.status == 200)
        send_found(h, &f);
    else if (f.status == 301)
        send_to_folder(h);
    else
        answer_status(h, f.status, "");
    free(f.bytes);
    if (f.fd >= 0)
        co4_close(f.fd);
}
