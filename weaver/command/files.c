/* files.c - whole files in memory, atomic writes, temporary folders. */
#include "command/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/complain.h"

bool cw_file_read(const char *path, cw_buf *text)
{
    int fd = open(strcmp(path, "-") == 0 ? "/dev/stdin" : path, O_RDONLY | O_CLOEXEC);
    bool ok = fd >= 0 && cw_read_all(fd, text);
    if (!ok)
        cw_complain("cannot read '%s': %s", path, strerror(errno));
    if (fd >= 0)
        close(fd);
    return ok;
}

static bool write_all(int fd, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t put = write(fd, text, length);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return false;
        text += put;
        length -= (size_t)put;
    }
    return true;
}

/* Writes in place, as compilers do: links are followed; mode, owner and other names of the file
 * stay. */
static bool write_in_place(const char *path, const char *text, size_t length)
{
    struct stat now;
    cw_buf before = { 0 };
    bool is_new = stat(path, &now) != 0;
    bool regular = !is_new && S_ISREG(now.st_mode);
    bool readable = regular && access(path, R_OK) == 0;
    int flags = is_new ? O_WRONLY | O_CREAT : readable ? O_RDWR : O_WRONLY;
    int fd = open(path, flags, 0666);
    if (fd < 0)
        return false;
    bool kept = readable && cw_read_all(fd, &before) && lseek(fd, 0, SEEK_SET) == 0;
    bool ok = write_all(fd, text, length) &&
              (!(regular || is_new) || ftruncate(fd, (off_t)length) == 0);
    int error = errno;
    if (!ok && kept && lseek(fd, 0, SEEK_SET) == 0 && write_all(fd, before.data, before.length) &&
        ftruncate(fd, (off_t)before.length) != 0)
        error = errno;
    if (close(fd) != 0 && ok) {
        ok = false;
        error = errno;
    }
    if (!ok && is_new)
        unlink(path);
    cw_buf_free(&before);
    errno = error;
    return ok;
}

static void block_signals(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, before);
}

bool cw_file_write(const char *path, const char *text, size_t length)
{
    bool ok;
    if (strcmp(path, "-") == 0) {
        ok = write_all(STDOUT_FILENO, text, length);
    } else {
        sigset_t mask;
        block_signals(&mask); /* none may interrupt a half written file */
        ok = write_in_place(path, text, length);
        int error = errno;
        sigprocmask(SIG_SETMASK, &mask, NULL);
        errno = error;
    }
    if (!ok)
        cw_complain("cannot write '%s': %s", path, strerror(errno));
    return ok;
}

bool cw_file_is_same(const char *one, const char *other)
{
    struct stat a, b;
    return stat(one, &a) == 0 && stat(other, &b) == 0 && S_ISREG(a.st_mode) &&
           a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

bool cw_file_overwrites(const char *input, const char *output)
{
    if (output == NULL || !cw_file_is_same(input, output))
        return false;
    cw_complain("'%s' is the input and the output; write to another file", input);
    return true;
}

/* ---- temporary folders ---------------------------------------------------------------------- */

static const char *temp_place(void)
{
    const char *where = getenv("TMPDIR");
    struct stat now;
    return where && stat(where, &now) == 0 && S_ISDIR(now.st_mode) &&
                   access(where, W_OK | X_OK) == 0
               ? where
               : "/tmp";
}

static cw_temp *first; /* of those with a folder; what a signal interrupts does not change them */

static void end_by(int number)
{
    cw_temp_abandon();
    signal(number, SIG_DFL);
    raise(number); /* it comes when this returns */
}

/* While a compiler runs, process.c takes these signals. */
static void clean_up_after_signals(void)
{
    static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction now;
        sigaction(numbers[i], NULL, &now);
        if (now.sa_handler == SIG_DFL)
            signal(numbers[i], end_by);
    }
}

static bool make_temp_folder(cw_temp *temp)
{
    cw_buf path = { 0 };
    cw_printf(&path, "%s/co4weave.XXXXXX", temp_place());
    if (mkdtemp(path.data) == NULL) {
        cw_complain("cannot make a temporary folder '%s': %s", path.data, strerror(errno));
        cw_buf_free(&path);
        return false;
    }
    temp->folder = path.data;
    temp->next = first;
    first = temp;
    clean_up_after_signals();
    return true;
}

/* Signals are blocked. */
static const char *make_temp_file(cw_temp *temp, const char *name, const char *text, size_t length)
{
    if (temp->folder == NULL && !make_temp_folder(temp))
        return NULL;
    cw_buf path = { 0 };
    cw_printf(&path, "%s/%zu", temp->folder, temp->folders.count);
    if (mkdir(path.data, 0700) != 0) {
        cw_complain("cannot make '%s': %s", path.data, strerror(errno));
        cw_buf_free(&path);
        return NULL;
    }
    cw_argv_add(&temp->folders, path.data);
    cw_printf(&path, "/%s", name);
    cw_argv_add(&temp->files, path.data);
    cw_buf_free(&path);
    const char *kept = temp->files.items[temp->files.count - 1];
    return cw_file_write(kept, text, length) ? kept : NULL;
}

const char *cw_temp_file(cw_temp *temp, const char *name, const char *text, size_t length)
{
    sigset_t before;
    block_signals(&before);
    const char *path = make_temp_file(temp, name, text, length);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return path;
}

/* A compiler may have written other files beside its output. */
static void remove_folder(const char *path)
{
    DIR *folder = opendir(path);
    for (const struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;)
        unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder != NULL)
        closedir(folder);
    rmdir(path);
}

void cw_temp_remove(cw_temp *temp)
{
    sigset_t before;
    block_signals(&before);
    for (size_t i = 0; i < temp->folders.count; i++)
        remove_folder(temp->folders.items[i]);
    if (temp->folder != NULL)
        rmdir(temp->folder);
    for (cw_temp **link = &first; *link != NULL; link = &(*link)->next)
        if (*link == temp) {
            *link = temp->next;
            break;
        }
    free(temp->folder);
    cw_argv_free(&temp->files);
    cw_argv_free(&temp->folders);
    *temp = (cw_temp){ 0 };
    sigprocmask(SIG_SETMASK, &before, NULL);
}

void cw_temp_abandon(void)
{
    for (const cw_temp *temp = first; temp != NULL; temp = temp->next) {
        for (size_t i = 0; i < temp->files.count; i++)
            unlink(temp->files.items[i]);
        for (size_t i = 0; i < temp->folders.count; i++)
            rmdir(temp->folders.items[i]);
        rmdir(temp->folder);
    }
}
