/* paths.c - names of files on a simulated disk, and beside it.
 *
 *   paths FOLDER    the folder that the program began in; `readable`, `writable` and `first` in it
 *                   are as case_disk_names of `check` has made them */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int at_line;

static void fail(const char *text)
{
    printf("paths.c:%d: %s: %s\n", at_line, text, strerror(errno));
    fflush(stdout);
    abort();
}

#define HOLDS(what)      (at_line = __LINE__, (what) ? (void)0 : fail(#what))
#define FAILS(what, err) (at_line = __LINE__, (what) < 0 && errno == (err) ? (void)0 : fail(#what))

static void put(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    HOLDS(file != NULL);
    HOLDS(fputs(text, file) >= 0 && fclose(file) == 0);
}

static int has(const char *name, const char *text)
{
    char line[100] = "";
    FILE *file = fopen(name, "r");
    if (!file)
        return 0;
    if (!fgets(line, sizeof line, file))
        line[0] = '\0';
    fclose(file);
    line[strcspn(line, "\n")] = '\0';
    return strcmp(line, text) == 0;
}

static unsigned entries(const char *name)
{
    unsigned n = 0;
    DIR *d = opendir(name);
    HOLDS(d != NULL);
    while (readdir(d))
        n++;
    closedir(d);
    return n - 2;
}

static void outside(const char *folder)
{
    char name[PATH_MAX];
    FAILS(open("canary", O_RDONLY), ENOENT);
    snprintf(name, sizeof name, "%s/canary", folder);
    FAILS(open(name, O_RDWR), ENOENT);
    FAILS(unlink(name), ENOENT);
    FAILS(rename("readable/file", "file"), EROFS);
    FAILS(unlink("readable/file"), EROFS);
    FAILS(open("readable/file", O_RDWR), EROFS);
    FAILS(open("readable/other", O_WRONLY | O_CREAT, 0666), EROFS);
    FAILS(truncate("readable/file", 0), EROFS);
    FAILS(chmod("readable/file", 0), EROFS);
    HOLDS(has("readable/file", "below"));
    put("writable/made", "made");
    FAILS(rename("writable/made", "made"), EXDEV);
    FAILS(open("/etc/shadow", O_RDONLY), ENOENT);
    FAILS(open("/etc/passwd", O_RDWR), EROFS);
    FAILS(open("/dev/../etc/shadow", O_RDONLY), ENOENT);
    HOLDS(open("/dev/null", O_RDWR) >= 0);
    FAILS(mkdir("/usr/lib/made", 0777), EROFS);
    put("/dev/shm/co4-paths-made", "not the system's");
}

static void inside(const char *folder)
{
    char path[PATH_MAX], name[PATH_MAX], *real;
    struct stat s, other;
    HOLDS(getcwd(path, sizeof path) && strcmp(path, folder) == 0);
    HOLDS(has("deep/file", "first"));
    put("deep/file", "changed");
    snprintf(name, sizeof name, "%s/deep/../deep/./file", folder);
    HOLDS(has(name, "changed"));
    HOLDS(mkdir("a", 0755) == 0);
    FAILS(mkdir("a", 0755), EEXIST);
    put("a/one", "one");
    HOLDS(stat("a/one", &s) == 0 && s.st_nlink == 1 && s.st_mtime < 1100000000);
    HOLDS(symlink("/tmp/there", "link") == 0 && link("a/one", "two") == 0);
    put("/tmp/there", "there");
    HOLDS(has("link", "there") && lstat("link", &s) == 0 && S_ISLNK(s.st_mode));
    HOLDS(stat("two", &s) == 0 && s.st_nlink == 2);
    HOLDS(readlink("link", name, sizeof name) == 10 && memcmp(name, "/tmp/there", 10) == 0);
    real = realpath("link", NULL);
    HOLDS(real && strcmp(real, "/tmp/there") == 0);
    free(real);
    HOLDS(symlink("loop", "loop") == 0);
    FAILS(open("loop", O_RDONLY), ELOOP);
    FAILS(open("a/one/more", O_RDONLY), ENOTDIR);
    FAILS(open("", O_RDONLY), ENOENT);
    FAILS(open("none/../a/one", O_RDONLY), ENOENT);
    FAILS(open("a/none/", O_RDONLY), ENOENT);
    FAILS(rmdir("a"), ENOTEMPTY);
    FAILS(unlink("a"), EISDIR);
    int fd = open("two", O_RDWR);
    HOLDS(fd >= 0 && unlink("two") == 0 && unlink("a/one") == 0);
    HOLDS(fstat(fd, &s) == 0 && s.st_nlink == 0 && rmdir("a") == 0);
    FAILS(stat("a", &other), ENOENT);
    HOLDS(chdir("deep") == 0 && has("file", "changed") && has("../deep/file", "changed"));
    HOLDS(getcwd(path, sizeof path) && strcmp(path + strlen(folder), "/deep") == 0);
    HOLDS(chdir("..") == 0 && entries("deep") == 1);
    int at = open("deep", O_RDONLY | O_DIRECTORY);
    HOLDS(at >= 0 && faccessat(at, "file", R_OK, 0) == 0);
    HOLDS(renameat(at, "file", at, "other") == 0 && fchdir(at) == 0 && has("other", "changed"));
    snprintf(name, sizeof name, "%s/XXXXXX", folder);
    HOLDS(chdir("/") == 0 && mkstemp(name) >= 0 && stat(name, &s) == 0 && s.st_mode == 0100600);
    HOLDS(getcwd(path, sizeof path) && strcmp(path, "/") == 0);
    FAILS(rename("/", "/tmp/root"), EBUSY);
    HOLDS(chdir(folder) == 0 && tmpfile() != NULL);
}

int main(int count, char **argument)
{
    if (count != 2)
        return 2;
    outside(argument[1]);
    inside(argument[1]);
    puts("all names");
    return 0;
}
