/* regular.c - whole files. */
#include "base/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"

static bool is_regular(const struct stat *file, size_t most)
{
    return S_ISREG(file->st_mode) && file->st_size >= 0 && (size_t)file->st_size <= most;
}

bool cw_read_regular(const char *path, size_t most, cw_buf *text)
{
    struct stat file;
    if (stat(path, &file) != 0 || !is_regular(&file, most))
        return false;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* it may be another file by now */
    bool ok = fd >= 0 && fstat(fd, &file) == 0 && is_regular(&file, most);
    if (ok) {
        text->room = (size_t)file.st_size + 1;
        text->data = malloc(text->room);
        ok = text->data != NULL;
    }
    while (ok && text->length < text->room - 1) {
        ssize_t got = read(fd, text->data + text->length, text->room - 1 - text->length);
        ok = got > 0;
        text->length += ok ? (size_t)got : 0;
    }
    if (ok)
        text->data[text->length] = '\0';
    if (fd >= 0)
        close(fd);
    return ok;
}

bool cw_read_all(int fd, cw_buf *text)
{
    char bytes[16384];
    ssize_t got;
    cw_puts(text, "");
    while ((got = read(fd, bytes, sizeof bytes)) > 0 || (got < 0 && errno == EINTR))
        if (got > 0)
            cw_put(text, bytes, (size_t)got);
    return got == 0;
}
