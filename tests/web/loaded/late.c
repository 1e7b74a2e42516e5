/* late.c - calls on files that take time, for JavaScript to begin many of, and to disturb. */
#include <dirent.h>
#include <emscripten.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int the_file = -1;

static int failed(void)
{
    return errno == ENOSPC      ? -1
           : errno == EIO       ? -2
           : errno == ECANCELED ? -3
           : errno == EBADF     ? -4
           : errno == ENOSYS    ? -5
                                : -100 - errno;
}

/* The sum of the bytes of a file, or an error. */
EMSCRIPTEN_KEEPALIVE int sum(const char *path)
{
    char text[100];
    int fd = open(path, O_RDONLY), n, total = 0;
    if (fd < 0)
        return failed();
    while ((n = read(fd, text, sizeof text)) > 0)
        for (int i = 0; i < n; i++)
            total += text[i];
    total = n < 0 ? failed() : total;
    close(fd);
    return total;
}

/* The same by a stream, with its whole content in memory. */
EMSCRIPTEN_KEEPALIVE int sum_stream(const char *path)
{
    FILE *f = fopen(path, "r");
    char *text = malloc(1 << 20);
    if (!f)
        return failed();
    int n = (int)fread(text, 1, 1 << 20, f), total = ferror(f) ? failed() : 0;
    for (int i = 0; i < n; i++)
        total += text[i];
    free(text);
    fclose(f);
    return total;
}

/* Writes `count` bytes by a stream. */
EMSCRIPTEN_KEEPALIVE int fill(const char *path, int count)
{
    FILE *f = fopen(path, "w");
    if (!f)
        return failed();
    for (int i = 0; i < count; i++)
        if (fputc('a' + i % 26, f) == EOF)
            break;
    int err = ferror(f) ? failed() : 0;
    if (fclose(f) != 0 && err == 0)
        err = failed();
    return err;
}

EMSCRIPTEN_KEEPALIVE int store(const char *path, int count)
{
    char *text = calloc(1, (size_t)count);
    int fd = open(path, O_WRONLY | O_CREAT, 0600), n = 0, done = 0;
    while (fd >= 0 && done < count && (n = write(fd, text + done, (size_t)(count - done))) > 0)
        done += n;
    int err = fd < 0 || n < 0 || fsync(fd) != 0 ? failed() : 0;
    close(fd);
    free(text);
    return err;
}

EMSCRIPTEN_KEEPALIVE int begin(const char *path)
{
    return the_file = open(path, O_RDONLY);
}

EMSCRIPTEN_KEEPALIVE int read_it(void)
{
    char byte;
    return read(the_file, &byte, 1) == 1 ? byte : failed();
}

EMSCRIPTEN_KEEPALIVE int end_it(void)
{
    return close(the_file);
}

EMSCRIPTEN_KEEPALIVE int grow(int megabytes)
{
    char *p = malloc((size_t)megabytes << 20);
    if (!p)
        return -1;
    memset(p, 1, (size_t)megabytes << 20);
    return 0;
}

/* A function of the C library that makes such calls by itself. */
EMSCRIPTEN_KEEPALIVE int plain(void)
{
    struct dirent **names;
    return scandir("/", &names, NULL, NULL) < 0 ? failed() : 0;
}

int main(void)
{
    char byte;
    puts("ready");
    fflush(stdout);
    read(0, &byte, 1);
    return 0;
}
