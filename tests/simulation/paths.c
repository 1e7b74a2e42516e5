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
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

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

/* Times are those of the run, and stay what they were at the first look. */
static void times(void)
{
    struct stat s, other;
    struct statx x;
    put("timed", "timed");
    int fd = open("timed", O_RDWR);
    HOLDS(fd >= 0 && fstat(fd, &s) == 0 && s.st_mtime < 1100000000 && s.st_atime < 1100000000);
    HOLDS(statx(fd, "", AT_EMPTY_PATH, STATX_ALL, &x) == 0 && x.stx_nlink == 1);
    HOLDS(x.stx_mtime.tv_sec == s.st_mtime && x.stx_ctime.tv_sec == s.st_ctime &&
          x.stx_atime.tv_sec == s.st_atime);
    sleep(5);
    HOLDS(fstat(fd, &other) == 0 && other.st_mtime == s.st_mtime);
    HOLDS(stat("timed", &other) == 0 && other.st_mtime == s.st_mtime);
    put("named", "named");
    HOLDS(stat("named", &s) == 0 && s.st_mtime >= other.st_mtime + 5);
    sleep(5);
    HOLDS(stat("named", &other) == 0 && other.st_mtime == s.st_mtime);
    HOLDS(unlink("timed") == 0);
    HOLDS(statx(fd, "", AT_EMPTY_PATH, STATX_ALL, &x) == 0 && x.stx_nlink == 0);
    close(fd);
}

/* What may only be read is not changed, though its user could. */
static void kept(void)
{
    const struct timeval now[2] = { { .tv_sec = 1 } };
    const struct timespec then[2] = { { .tv_sec = 1 } };
    const struct utimbuf both = { 1, 1 };
    const char *file = "readable/file";
    uid_t me = getuid();
    gid_t us = getgid();
    HOLDS(access(file, R_OK) == 0 && access("deep", W_OK) == 0);
    FAILS(access(file, W_OK), EROFS);
    FAILS(chown(file, me, us), EROFS);
    FAILS(lchown(file, me, us), EROFS);
    FAILS(fchownat(AT_FDCWD, file, me, us, 0), EROFS);
    FAILS(fchmodat(AT_FDCWD, file, 0600, 0), EROFS);
    FAILS(utime(file, &both), EROFS);
    FAILS(utimes(file, now), EROFS);
    FAILS(utimensat(AT_FDCWD, file, then, 0), EROFS);
    HOLDS(symlink("none", "dangling") == 0 && lchown("dangling", me, us) == 0);
    HOLDS(fchownat(AT_FDCWD, "dangling", me, us, AT_SYMLINK_NOFOLLOW) == 0);
    HOLDS(utimensat(AT_FDCWD, "dangling", then, AT_SYMLINK_NOFOLLOW) == 0);
    FAILS(chown("dangling", me, us), ENOENT);
    FAILS(utimensat(AT_FDCWD, "dangling", then, 0), ENOENT);
}

/* No call says where the disk is. */
static void own_names(const char *folder)
{
    char path[PATH_MAX], *name;
    size_t n = strlen(folder);
    ssize_t length = readlink("/proc/self/cwd", path, sizeof path);
    HOLDS(length == (ssize_t)n && memcmp(path, folder, n) == 0);
    HOLDS(readlink("/proc/self/cwd", path, 3) == 3 && memcmp(path, folder, 3) == 0);
    name = realpath("/proc/self/cwd", NULL);
    HOLDS(name && strcmp(name, folder) == 0);
    free(name);
    HOLDS(!getcwd(path, n) && errno == ERANGE);
    HOLDS(getcwd(path, n + 1) == path && strcmp(path, folder) == 0);
    HOLDS(!getcwd(NULL, n) && errno == ERANGE);
    name = getcwd(NULL, 0);
    HOLDS(name && strcmp(name, folder) == 0);
    free(name);
    int fd = open("deep", O_RDONLY | O_DIRECTORY);
    HOLDS(fchdir(fd) == 0 && getcwd(path, sizeof path) && strcmp(path + n, "/deep") == 0);
    FAILS(fchdir(-1), EBADF);
    HOLDS(chdir(folder) == 0 && close(fd) == 0);
}

int main(int count, char **argument)
{
    if (count != 2)
        return 2;
    outside(argument[1]);
    inside(argument[1]);
    times();
    kept();
    own_names(argument[1]);
    puts("all names");
    return 0;
}
