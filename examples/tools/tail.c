/* tail.c - the ends of many files, and what is appended to them, until SIGINT.
 *
 *     tail -n 5 /var/log/syslog app.log - < events
 *
 * -n LINES   of each file at the start (10); of a file that appears later all are written
 * --poll     looks four times a second: for folders where inotify sees nothing, of other machines
 *
 * A file is followed by its name. When the name gets another file, the former one is read on for
 * some seconds: its writer may not know yet. A file that is cut short is read from its beginning.
 * A line is written when it has its end, with the name of the file before it if there are several.
 *
 * One task reads the events of inotify, and wakes the tasks of the files, one each. */
#define _GNU_SOURCE
#include <co4.h>
#include <co4/file.h>
#include <co4/io.h>
#include <co4/signal.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/inotify.h>
#endif

enum { CHUNK = 65536, BLOCK = 4096 };
#define POLL_EVERY  (250 * CO4_MS)
#define READ_FORMER (5 * CO4_SEC)

/* A descriptor that is read, and its last line, which has no end yet. */
struct source {
    int fd; /* -1: none */
    dev_t device;
    ino_t inode;
    off_t at;
    char *line;
    size_t size, room;
};

struct followed {
    const char *path;
    struct source now, former;
    int64_t former_until;
    bool said;         /* why there is no file */
    bool gone;         /* the name is, the file may be read on */
    bool polled;       /* no events come */
    int watch;         /* of its folder; -1: none */
    co4_mailbox *wake; /* a message: something has happened */
};

struct tail {
    struct followed *files;
    int count;
    long lines;
    bool polled;
    int events; /* the descriptor of inotify; -1: none */
    bool ended; /* by a signal */
    co4_mutex output;
};

/* ---- lines ---- */

static pausable int write_parts(const struct iovec *parts, int count)
{
    size_t size = 0;
    for (int i = 0; i < count; i++)
        size += parts[i].iov_len;
    ssize_t n = co4_writev(STDOUT_FILENO, parts, count);
    if (n == (ssize_t)size)
        return CO4_OK;
    if (n < 0 && errno == ECANCELED)
        return CO4_ECANCELED;
    if (n >= 0 || errno != EPIPE)
        fprintf(stderr, "tail: cannot write: %s\n", n < 0 ? strerror(errno) : "no room");
    return CO4_ECLOSED;
}

/* Writes whole lines, each behind the name of its file. */
static pausable int write_lines(struct tail *t, const char *path, char *lines, size_t size)
{
    int err = co4_mutex_lock(&t->output);
    if (err != CO4_OK)
        return err;
    for (size_t n; size > 0 && err == CO4_OK; lines += n, size -= n) {
        n = t->count == 1 ? size : (size_t)((char *)memchr(lines, '\n', size) - lines) + 1;
        struct iovec parts[] = { { (char *)path, strlen(path) }, { ": ", 2 }, { lines, n } };
        err = t->count == 1 ? write_parts(parts + 2, 1) : write_parts(parts, 3);
    }
    co4_mutex_unlock(&t->output);
    return err;
}

static bool make_room(struct source *s, size_t bytes)
{
    if (s->room - s->size >= bytes)
        return true;
    size_t room = s->size + s->size / 2 + bytes;
    char *line = realloc(s->line, room);
    if (!line)
        return false;
    s->line = line;
    s->room = room;
    return true;
}

/* `n` bytes have come behind the line. */
static pausable int take(struct tail *t, const char *path, struct source *s, size_t n)
{
    size_t whole = s->size + n;
    while (whole > s->size && s->line[whole - 1] != '\n')
        whole--;
    n += s->size;
    if (whole == s->size) {
        s->size = n; /* still one line */
        return CO4_OK;
    }
    int err = write_lines(t, path, s->line, whole);
    memmove(s->line, s->line + whole, n - whole);
    s->size = n - whole;
    return err;
}

/* No more comes to the last line: writes it as it is. */
static pausable int finish_line(struct tail *t, const char *path, struct source *s)
{
    if (s->size == 0)
        return CO4_OK;
    if (!make_room(s, 1))
        return CO4_ENOMEM;
    s->line[s->size] = '\n';
    return take(t, path, s, 1);
}

/* ---- files ---- */

static void drop(struct source *s)
{
    if (s->fd >= 0)
        co4_close(s->fd);
    free(s->line);
    *s = (struct source){ .fd = -1 };
}

static pausable int finish(struct tail *t, const char *path, struct source *s)
{
    int err = finish_line(t, path, s);
    drop(s);
    return err;
}

/* Reads up to the present end. */
static pausable int read_on(struct tail *t, struct followed *f, struct source *s)
{
    int err = CO4_OK;
    ssize_t n = 1;
    while (n > 0 && err == CO4_OK) {
        if (!make_room(s, CHUNK))
            return CO4_ENOMEM;
        if ((n = co4_pread(s->fd, s->line + s->size, CHUNK, s->at)) > 0) {
            s->at += n;
            err = take(t, f->path, s, (size_t)n);
        }
    }
    if (n < 0 && errno == ECANCELED)
        return CO4_ECANCELED;
    if (n < 0)
        fprintf(stderr, "tail: %s: %s\n", f->path, strerror(errno));
    return err;
}

/* The file that is read may have become shorter. */
static pausable int start_again_if_cut(struct tail *t, struct followed *f)
{
    struct stat st;
    if (co4_fstat(f->now.fd, &st) != 0 || st.st_size >= f->now.at)
        return CO4_OK;
    fprintf(stderr, "tail: %s: file truncated\n", f->path);
    f->now.at = 0;
    return finish_line(t, f->path, &f->now);
}

/* Where the last lines begin. */
static pausable off_t last_lines(int fd, off_t size, long lines)
{
    char block[BLOCK];
    off_t at = lines > 0 ? size : 0;
    while (at > 0) {
        size_t n = at < BLOCK ? (size_t)at : BLOCK;
        at -= (off_t)n;
        if (co4_pread(fd, block, n, at) != (ssize_t)n)
            return 0;
        for (size_t i = n; i > 0; i--)
            if (block[i - 1] == '\n' && at + (off_t)i != size && --lines == 0)
                return at + (off_t)i;
    }
    return lines > 0 ? 0 : size;
}

/* Opens the file that has the name now, if there is one. */
static pausable void open_now(struct followed *f, bool first, long lines)
{
    struct stat st;
    if (co4_lstat(f->path, &st) == 0 && S_ISLNK(st.st_mode))
        f->polled = true; /* the events are in another folder */
    int fd = co4_open(f->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0 && (co4_fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))) {
        co4_close(fd);
        fd = -1;
        errno = EINVAL;
    }
    if (fd < 0) {
        if (!f->said && errno != ECANCELED)
            fprintf(stderr, "tail: %s: %s\n", f->path,
                    errno == EINVAL ? "not a regular file" : strerror(errno));
        f->said = true;
        return;
    }
    if (!first)
        fprintf(stderr, "tail: %s: a new file\n", f->path);
    f->now = (struct source){ .fd = fd, .device = st.st_dev, .inode = st.st_ino };
    if (first)
        f->now.at = last_lines(fd, st.st_size, lines);
    f->said = false;
}

/* Has the name another file now? While it is open no other file has its number. */
static pausable bool is_replaced(struct followed *f)
{
    struct stat st;
    f->gone = co4_stat(f->path, &st) != 0;
    return !f->gone && (st.st_ino != f->now.inode || st.st_dev != f->now.device);
}

static pausable int retire(struct tail *t, struct followed *f)
{
    int err = finish(t, f->path, &f->former);
    f->former = f->now;
    f->now = (struct source){ .fd = -1 };
    f->former_until = co4_now() + READ_FORMER;
    return err == CO4_OK ? read_on(t, f, &f->former) : err;
}

/* Something may have happened to the file. */
static pausable int look(struct tail *t, struct followed *f)
{
    int err = CO4_OK;
    if (f->former.fd >= 0)
        err = read_on(t, f, &f->former);
    if (err == CO4_OK && f->former.fd >= 0 && co4_now() >= f->former_until)
        err = finish(t, f->path, &f->former);
    if (err == CO4_OK && f->now.fd >= 0 && is_replaced(f))
        err = retire(t, f);
    if (err == CO4_OK && f->now.fd < 0)
        open_now(f, false, 0);
    if (err == CO4_OK && f->now.fd >= 0)
        err = start_again_if_cut(t, f);
    if (err == CO4_OK && f->now.fd >= 0)
        err = read_on(t, f, &f->now);
    return err;
}

static pausable int follow(struct tail *t, struct followed *f)
{
    char token;
    int err = CO4_OK;
    open_now(f, true, t->lines);
    if (f->now.fd >= 0)
        err = read_on(t, f, &f->now);
    while (err == CO4_OK || err == CO4_ETIMEDOUT) {
        bool soon = f->polled || f->gone || f->former.fd >= 0;
        err = co4_mailbox_receive_until(f->wake, &token, soon ? co4_now() + POLL_EVERY : CO4_NEVER);
        if (err == CO4_OK || err == CO4_ETIMEDOUT)
            err = look(t, f);
    }
    drop(&f->now);
    drop(&f->former);
    return err;
}

/* Standard input: all of it, as it comes. */
static pausable int follow_input(struct tail *t)
{
    struct source s = { .fd = -1 };
    ssize_t n = 1;
    int err = co4_fd_attach(STDIN_FILENO, CO4_FD_SHARED);
    while (err == CO4_OK && n > 0) {
        if (!make_room(&s, CHUNK))
            err = CO4_ENOMEM;
        else if ((n = co4_read(STDIN_FILENO, s.line + s.size, CHUNK)) > 0)
            err = take(t, "-", &s, (size_t)n);
    }
    if (n < 0 && errno != ECANCELED)
        fprintf(stderr, "tail: standard input: %s\n", strerror(errno));
    if (err == CO4_OK)
        err = finish_line(t, "-", &s);
    drop(&s);
    return err;
}

/* ---- events ---- */

#ifdef __linux__
static void watch_folder(struct tail *t, struct followed *f)
{
    const char *slash = strrchr(f->path, '/');
    size_t size = slash ? (size_t)(slash - f->path) + 1 : 0;
    char *folder = malloc(size + 2);
    if (folder && t->events >= 0) {
        snprintf(folder, size + 2, "%.*s.", (int)size, f->path);
        f->watch = inotify_add_watch(t->events, folder,
                                     IN_MODIFY | IN_CREATE | IN_MOVE | IN_DELETE | IN_DELETE_SELF |
                                         IN_MOVE_SELF | IN_ONLYDIR);
    }
    free(folder);
    f->polled = f->watch < 0;
}

static void wake_files(struct tail *t, const struct inotify_event *e)
{
    for (int i = 0; i < t->count; i++) {
        struct followed *f = &t->files[i];
        const char *slash = strrchr(f->path, '/');
        if (!(e->mask & IN_Q_OVERFLOW) &&
            (e->wd != f->watch ||
             (e->len > 0 && strcmp(e->name, slash ? slash + 1 : f->path) != 0)))
            continue;
        if (e->mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED))
            f->polled = true; /* the folder is gone */
        if (co4_mailbox_send_until(f->wake, &(char){ 1 }, CO4_NOW) != CO4_OK)
            continue; /* it has been woken already */
    }
}

static pausable int read_events(struct tail *t)
{
    _Alignas(struct inotify_event) char events[BLOCK];
    ssize_t n;
    while ((n = co4_read(t->events, events, sizeof events)) > 0)
        for (ssize_t at = 0; at < n;) {
            const struct inotify_event *e = (const void *)(events + at);
            wake_files(t, e);
            at += (ssize_t)(sizeof *e + e->len);
        }
    return CO4_OK;
}

static int open_events(const struct tail *t)
{
    int fd = t->polled ? -1 : inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (fd >= 0 && co4_fd_attach(fd, 0) != CO4_OK) {
        close(fd);
        return -1;
    }
    return fd;
}
#else
static void watch_folder(struct tail *t, struct followed *f)
{
    (void)t;
    f->polled = true;
}

static pausable int read_events(struct tail *t)
{
    (void)t;
    return CO4_OK;
}

static int open_events(const struct tail *t)
{
    (void)t;
    return -1;
}
#endif

/* ---- the program ---- */

static pausable int wait_for_signal(struct tail *t, co4_scope *scope, co4_mailbox *signals)
{
    co4_signal s;
    if (co4_mailbox_receive(signals, &s) == CO4_OK) {
        t->ended = true;
        co4_scope_cancel(scope, 0);
    }
    return CO4_OK;
}

static pausable int follow_all(struct tail *t)
{
    int err = CO4_OK;
    for (int i = 0; i < t->count && err == CO4_OK; i++) {
        struct followed *f = &t->files[i];
        if (strcmp(f->path, "-") == 0) {
            err = co4_scope_spawn(co4_scope_here(), follow_input(t));
        } else {
            watch_folder(t, f);
            err = co4_scope_spawn(co4_scope_here(), follow(t, f));
        }
    }
    return err;
}

static pausable int run_tasks(struct tail *t, co4_mailbox *signals)
{
    co4_scope *scope = co4_scope_here();
    int err = co4_scope_spawn(scope, wait_for_signal(t, scope, signals));
    if (err == CO4_OK && t->events >= 0)
        err = co4_scope_spawn(scope, read_events(t));
    if (err == CO4_OK)
        err = co4_scope_run(0, follow_all(t));
    co4_scope_cancel(scope, 0);
    return err;
}

static pausable int run(struct tail *t)
{
    co4_mailbox *signals;
    int err = co4_signals(&signals, SIGINT, SIGTERM, SIGHUP);
    t->events = open_events(t);
    if (err == CO4_OK)
        err = co4_scope_run(0, run_tasks(t, signals));
    if (t->events >= 0)
        co4_close(t->events);
    if (signals)
        co4_signals_destroy(signals);
    return err;
}

static int usage(void)
{
    fprintf(stderr, "usage: tail [-n LINES] [--poll] FILE...   (- is standard input)\n");
    return 2;
}

/* Takes options out of the arguments. Returns how many words these are; -1: they make no sense. */
static int read_options(struct tail *t, int argc, char **argv)
{
    int i = 1;
    for (; i < argc && argv[i][0] == '-' && argv[i][1] != '\0'; i++) {
        char *end = NULL;
        if (strcmp(argv[i], "--poll") == 0) {
            t->polled = true;
        } else if (strcmp(argv[i], "-n") == 0 && i + 1 < argc) {
            errno = 0;
            t->lines = strtol(argv[++i], &end, 10);
            if (argv[i][strspn(argv[i], "0123456789")] || end == argv[i] || errno != 0) {
                fprintf(stderr, "tail: -n: a number of lines, not '%s'\n", argv[i]);
                return -1;
            }
        } else {
            return -1;
        }
    }
    return i < argc ? i : -1;
}

static bool make_files(struct tail *t, char **paths)
{
    t->files = calloc((size_t)t->count, sizeof *t->files);
    for (int i = 0; t->files && i < t->count; i++) {
        t->files[i] = (struct followed){ .path = paths[i], .watch = -1 };
        t->files[i].now.fd = t->files[i].former.fd = -1;
        t->files[i].wake = co4_mailbox_create(1, 1);
        if (!t->files[i].wake)
            return false;
    }
    return t->files;
}

static void drop_files(struct tail *t)
{
    for (int i = 0; t->files && i < t->count; i++)
        co4_mailbox_destroy(t->files[i].wake);
    free(t->files);
}

int main(int argc, char **argv)
{
    struct tail t = { .lines = 10, .events = -1, .output = CO4_MUTEX_INIT };
    int words = read_options(&t, argc, argv), err = CO4_ENOMEM;
    if (words < 0)
        return usage();
    t.count = argc - words;
    if (make_files(&t, argv + words))
        err = co4_run(run(&t));
    drop_files(&t);
    if (t.ended || err == CO4_OK)
        return 0;
    if (err != CO4_ECLOSED) /* it was said */
        fprintf(stderr, "tail: %s\n", co4_strerror(err));
    return 1;
}
