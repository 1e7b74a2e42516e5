/* inodes.c - numbers of inodes: the same for each call that has them, in each run of a seed, and
 * after a crash. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define FILES 100 /* more than the first table has */

static void must(int holds, const char *what)
{
    if (!holds) {
        printf("not: %s\n", what);
        fflush(stdout);
        abort();
    }
}

static ino_t listed(const char *name)
{
    DIR *d = opendir(".");
    ino_t found = 0;
    for (struct dirent *e; d && (e = readdir(d)) != NULL;)
        if (strcmp(e->d_name, name) == 0)
            found = e->d_ino;
    closedir(d);
    return found;
}

static ino_t number_of(const char *name)
{
    struct stat by_name, by_fd, by_folder;
    struct statx x;
    int fd = open(name, O_RDONLY);
    must(stat(name, &by_name) == 0 && fstat(fd, &by_fd) == 0 &&
             fstatat(AT_FDCWD, name, &by_folder, 0) == 0 &&
             statx(AT_FDCWD, name, 0, STATX_INO, &x) == 0,
         "a look");
    must(by_name.st_ino == by_fd.st_ino && by_name.st_ino == by_folder.st_ino &&
             by_name.st_ino == x.stx_ino && listed(name) == by_name.st_ino,
         "one number");
    must(by_name.st_dev == by_fd.st_dev &&
             by_name.st_dev == makedev(x.stx_dev_major, x.stx_dev_minor),
         "one device");
    close(fd);
    return by_name.st_ino;
}

/* The number of each life is kept where no crash reaches. */
static void compare(const char *name, ino_t now)
{
    char path[100];
    ino_t before = now;
    snprintf(path, sizeof path, "/acknowledged/%s", name);
    int fd = open(path, O_RDWR | O_CREAT, 0666);
    must(fd >= 0 && (read(fd, &before, sizeof before) == 0 || before == now), "the number before");
    must(pwrite(fd, &now, sizeof now, 0) == sizeof now, "a write");
    close(fd);
}

int main(void)
{
    char name[20];
    int folder = open(".", O_RDONLY);
    struct stat other;
    for (int i = 0; i < FILES; i++) {
        snprintf(name, sizeof name, "file%d", i);
        close(open(name, O_WRONLY | O_CREAT, 0666));
        must(fsync(folder) == 0, "fsync");
        ino_t now = number_of(name);
        compare(name, now);
        must(now < 10 * FILES && (i == 0 || (stat("file0", &other) == 0 && other.st_ino != now)),
             "a small number of its own");
        printf("%d: %lu\n", i, (unsigned long)now);
    }
    must(stat("/proc", &other) == 0 && fstat(folder, &other) == 0, "the system's");
    return 0;
}
