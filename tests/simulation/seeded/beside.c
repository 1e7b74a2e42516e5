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
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
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

/* By syscall(), as libuv makes them. */
static void by_number(void)
{
    char read_back[5] = "";
    struct iovec text = { (char[]){ 't', 'e', 'x', 't' }, 4 }, part = { read_back, 4 };
    struct mmsghdr out = { .msg_hdr = { .msg_iov = &text, .msg_iovlen = 1 } };
    struct mmsghdr in = { .msg_hdr = { .msg_iov = &part, .msg_iovlen = 1 } };
    struct statx s;
    struct stat same;
    int fd = open("looks/a.txt", O_RDWR), to = open("looks/b.txt", O_RDWR), pair[2];
    assert(fd >= 0 && to >= 0 && syscall(SYS_pwritev, fd, &text, 1, 2L, 0L) == 4);
    assert(syscall(SYS_preadv, fd, &part, 1, 2L, 0L) == 4 && strcmp(read_back, "text") == 0);
    assert(syscall(SYS_pwrite64, fd, "ab", 2L, 0L) == 2);
    assert(syscall(SYS_pread64, fd, read_back, 4L, 0L) == 4 && strcmp(read_back, "abte") == 0);
    assert(syscall(SYS_copy_file_range, fd, NULL, to, NULL, 6L, 0L) == 6);
    assert(syscall(SYS_statx, AT_FDCWD, "looks/b.txt", 0L, STATX_BASIC_STATS, &s) == 0);
    assert(stat("looks/b.txt", &same) == 0 && s.stx_size == 6 && s.stx_ino == same.st_ino);
    assert(syscall(SYS_statx, AT_FDCWD, "looks/none", 0L, 0L, &s) == -1 && errno == ENOENT);
    assert(close(fd) == 0 && close(to) == 0 && socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0);
    assert(syscall(SYS_sendmmsg, pair[0], &out, 1L, 0L) == 1 && out.msg_len == 4);
    assert(syscall(SYS_recvmmsg, pair[1], &in, 1L, 0L, NULL) == 1 && in.msg_len == 4);
    assert(strcmp(read_back, "text") == 0 && close(pair[0]) == 0 && close(pair[1]) == 0);
}

int main(int argc, char **argv)
{
    free_names();
    looks();
    by_number();
    if (argc > 1 && strcmp(argv[1], "said") == 0)
        says();
    if (argc > 1 && strcmp(argv[1], "disk") == 0)
        return nftw("looks", visits, 5, 0);
    return 0;
}
