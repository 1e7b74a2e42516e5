/* beside.c - names that are free, and glob() and others that look for names; `beside said` makes
 * calls that are not simulated. With a simulated disk: `beside disk`. */
#define _GNU_SOURCE
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <ifaddrs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void free_names(void)
{
    char file[] = "fileXXXXXX", other[] = "otherXXXXXX.txt", folder[] = "folderXXXXXX";
    int fd = mkstemp(file);
    assert(fd >= 0 && write(fd, "text", 4) == 4 && close(fd) == 0 && unlink(file) == 0);
    assert((fd = mkostemps(other, 4, O_CLOEXEC)) >= 0 && (fcntl(fd, F_GETFD) & FD_CLOEXEC));
    assert(close(fd) == 0 && unlink(other) == 0);
    assert(mkdtemp(folder) == folder && rmdir(folder) == 0);
    assert(mkstemp(strcpy(file, "fileXXXXX")) == -1 && errno == EINVAL);
    printf("%s %s %s\n", file, other, folder);
    char fresh[] = "nameXXXXXX", *name = tempnam("/none", "co4"), *of_static = tmpnam(NULL);
    assert(mktemp(fresh) == fresh && access(fresh, F_OK) == -1 && name && of_static);
    printf("%s %s %s\n", fresh, strrchr(name, '/'), strrchr(of_static, '/'));
    free(name);
    const unsigned char *random = (const unsigned char *)getauxval(AT_RANDOM);
    for (int i = 0; i < 16; i++)
        printf("%02x", random[i]);
    puts("");
}

static void looks(void)
{
    glob_t found;
    char *name;
    int fd;
    assert(mkdir("looks", 0777) == 0 || errno == EEXIST);
    assert((fd = creat("looks/a.txt", 0666)) >= 0 && close(fd) == 0);
    assert((fd = creat("looks/b.txt", 0666)) >= 0 && close(fd) == 0);
    char *absolute = realpath("looks", NULL), pattern[5000];
    snprintf(pattern, sizeof pattern, "%s/*.txt", absolute);
    assert(glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc == 2);
    assert(strcmp(strrchr(found.gl_pathv[1], '/'), "/b.txt") == 0);
    globfree(&found);
    assert(glob("looks/*.none", 0, NULL, &found) == GLOB_NOMATCH);
    assert((name = canonicalize_file_name("looks/../looks")) && strcmp(name, absolute) == 0);
    free(name);
    free(absolute);
    assert(eaccess("looks/a.txt", R_OK) == 0 && euidaccess("looks/none", R_OK) == -1);
}

static int visits(const char *path, const struct stat *s, int kind, struct FTW *at)
{
    (void)path, (void)s, (void)kind, (void)at;
    return 0;
}

static void says(void)
{
    struct ifaddrs *list;
    int status;
    if (getifaddrs(&list) == 0)
        freeifaddrs(list);
    pid_t child = fork();
    if (child == 0)
        execl("/bin/sh", "sh", "-c", "test \"$1\" = one && exit 7", "sh", "one", (char *)NULL);
    assert(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7);
    char *environment[] = { (char *)"A=b", NULL };
    child = fork();
    if (child == 0)
        execle("/bin/sh", "sh", "-c", "test \"$A\" = b && exit 8", (char *)NULL, environment);
    assert(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 8);
    child = fork();
    if (child == 0)
        execlp("sh", "sh", "-c", "exit 9", (char *)NULL);
    assert(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 9);
}

int main(int argc, char **argv)
{
    free_names();
    looks();
    if (argc > 1 && strcmp(argv[1], "said") == 0)
        says();
    if (argc > 1 && strcmp(argv[1], "disk") == 0)
        return nftw("looks", visits, 5, 0);
    return 0;
}
