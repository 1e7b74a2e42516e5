/* files.c - a file that is replaced as a whole, and the entries of a folder.
 * needs: descriptors
 * modes: woven forced
 * expect: settings: 9 bytes
 * expect: settings */
#include <co4.h>
#include <co4/file.h>
#include <co4/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* After a failure, and after a crash, the old file is there, or the new one. */
static pausable int replace(const char *path, const void *text, size_t bytes)
{
    char part[300];
    snprintf(part, sizeof part, "%s.part", path);
    int fd = co4_open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0)
        return -1;
    int ok = co4_pwrite(fd, text, bytes, 0) == (ssize_t)bytes && co4_fsync(fd) == 0;
    co4_close(fd);
    if (ok && co4_rename(part, path) == 0)
        return 0;
    co4_unlink(part);
    return -1;
}

static pausable void list(const char *path)
{
    const struct dirent *entry;
    co4_dir *dir = co4_opendir(path);
    while (dir && (entry = co4_readdir(dir)) != NULL)
        if (entry->d_name[0] != '.')
            puts(entry->d_name);
    co4_closedir(dir);
}

static pausable void show(const char *folder)
{
    char path[200];
    struct stat s;
    snprintf(path, sizeof path, "%s/settings", folder);
    if (replace(path, "colour=1\n", 9) == 0 && co4_stat(path, &s) == 0)
        printf("settings: %d bytes\n", (int)s.st_size);
    list(folder);
    co4_unlink(path);
    co4_rmdir(folder);
}

int main(void)
{
    char folder[] = "/tmp/co4-sample.XXXXXX";
    if (mkdtemp(folder))
        co4_run(show(folder));
    return 0;
}
