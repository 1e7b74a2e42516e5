/* files.c - whole files in memory, files that appear at once or not at all, temporary folders. */
#include "driver.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool cw_file_read(const char *path, cw_buf *text)
{
    errno = 0;
    FILE *file = fopen(path, "rb");
    bool ok = file != NULL;
    char bytes[16384];
    size_t got;
    while (ok && (got = fread(bytes, 1, sizeof bytes, file)) > 0)
        cw_put(text, bytes, got);
    if (ok && ferror(file)) /* a folder opens, but does not read */
        ok = false;
    if (!ok)
        cw_complain("cannot read '%s': %s", path, strerror(errno));
    if (file != NULL)
        fclose(file);
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

/* Beside the target, so that the rename stays within one file system. */
static bool replace_file(const char *path, const char *text, size_t length)
{
    cw_buf temp = { 0 };
    cw_printf(&temp, "%s.XXXXXX", path);
    int fd = mkstemp(temp.data);
    bool ok = fd >= 0;
    if (ok) {
        mode_t mask = umask(0);
        umask(mask);
        ok = write_all(fd, text, length) && fchmod(fd, 0666 & ~mask) == 0;
        ok = close(fd) == 0 && ok;
        ok = ok && rename(temp.data, path) == 0;
        int error = errno;
        if (!ok)
            unlink(temp.data);
        errno = error;
    }
    cw_buf_free(&temp);
    return ok;
}

bool cw_file_write(const char *path, const char *text, size_t length)
{
    struct stat now;
    bool ok;
    if (strcmp(path, "-") == 0) {
        ok = write_all(STDOUT_FILENO, text, length);
    } else if (stat(path, &now) == 0 && !S_ISREG(now.st_mode) && !S_ISDIR(now.st_mode)) {
        int fd = open(path, O_WRONLY); /* /dev/null, a pipe: not to be replaced by a file */
        ok = fd >= 0 && write_all(fd, text, length);
        if (fd >= 0)
            ok = close(fd) == 0 && ok;
    } else {
        sigset_t all, mask; /* no signal may come between making the file and naming it */
        sigfillset(&all);
        sigprocmask(SIG_BLOCK, &all, &mask);
        ok = replace_file(path, text, length);
        int error = errno;
        sigprocmask(SIG_SETMASK, &mask, NULL);
        errno = error;
    }
    if (!ok)
        cw_complain("cannot write '%s': %s", path, strerror(errno));
    return ok;
}

/* ---- temporary folders ---------------------------------------------------------------------- */

static bool make_temp_folder(cw_temp *temp)
{
    const char *where = getenv("TMPDIR");
    cw_buf path = { 0 };
    cw_printf(&path, "%s/co4weave.XXXXXX", where && *where ? where : "/tmp");
    if (mkdtemp(path.data) == NULL) {
        cw_complain("cannot make a temporary folder '%s': %s", path.data, strerror(errno));
        cw_buf_free(&path);
        return false;
    }
    temp->folder = path.data;
    return true;
}

const char *cw_temp_file(cw_temp *temp, const char *name, const char *text, size_t length)
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

void cw_temp_remove(cw_temp *temp)
{
    for (size_t i = 0; i < temp->files.count; i++)
        unlink(temp->files.items[i]);
    for (size_t i = 0; i < temp->folders.count; i++)
        rmdir(temp->folders.items[i]);
    if (temp->folder != NULL)
        rmdir(temp->folder);
    free(temp->folder);
    cw_argv_free(&temp->files);
    cw_argv_free(&temp->folders);
    *temp = (cw_temp){ 0 };
}
