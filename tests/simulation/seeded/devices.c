/* devices.c - prints bytes of devices of random numbers, opened in each way, and numbers of the
 * kernel's files. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static void show(const char *what, const void *bytes, size_t count)
{
    const unsigned char *b = bytes;
    size_t zeros = 0;
    printf("%s: ", what);
    for (size_t i = 0; i < count; i++) {
        printf("%02x", b[i]);
        zeros += b[i] == 0;
    }
    puts("");
    assert(zeros < count / 2);
}

static int opened(const char *how)
{
    static const char name[] = "/dev/urandom";
    int dev = open("/dev", O_RDONLY | O_DIRECTORY), fd = -1;
    if (strcmp(how, "open") == 0)
        fd = open(name, O_RDONLY | O_CLOEXEC);
    else if (strcmp(how, "openat") == 0)
        fd = openat(dev, "random", O_RDONLY);
    else if (strcmp(how, "path") == 0)
        fd = open("/dev/../dev/./urandom", O_RDWR | O_NONBLOCK);
    else if (strcmp(how, "proc") == 0)
        fd = open("/proc/self/root/dev/urandom", O_RDONLY);
    close(dev);
    assert(fd >= 0);
    return fd;
}

static void *read_some(void *arg)
{
    unsigned char bytes[24];
    int fd = opened(arg);
    struct stat s;
    memset(bytes, 0, sizeof bytes);
    assert(read(fd, bytes, sizeof bytes) == sizeof bytes);
    show(arg, bytes, sizeof bytes);
    assert(fstat(fd, &s) == 0 && S_ISCHR(s.st_mode));
    assert(!(fcntl(fd, F_GETFD) & FD_CLOEXEC) == (strcmp(arg, "open") != 0));
    assert(close(fd) == 0 && read(fd, bytes, 1) == -1 && errno == EBADF);
    return arg;
}

/* Each call that reads. */
static void calls(void)
{
    unsigned char bytes[16] = { 0 }, more[16] = { 0 };
    struct iovec parts[] = { { bytes, 16 }, { more, 16 } };
    int fd = opened("open"), other = dup(fd);
    struct pollfd p = { fd, POLLIN | POLLOUT, 0 };
    assert(poll(&p, 1, 0) == 1 && (p.revents & POLLIN));
    assert(read(other, bytes, 16) == 16);
    show("dup", bytes, 16);
    assert(pread(fd, bytes, 16, 100) == 16);
    show("pread", bytes, 16);
    assert(readv(fd, parts, 2) >= 16);
    show("readv", bytes, 16);
    assert(preadv(fd, parts, 2, 0) >= 16);
    show("preadv", bytes, 16);
    assert(dup2(fd, other) == other && close(fd) == 0 && read(other, bytes, 16) == 16);
    show("dup2", bytes, 16);
    int pipes[2];
    assert(pipe(pipes) == 0);
    FILE *file = tmpfile();
    assert(file && sendfile(fileno(file), other, NULL, 16) == 16);
    assert(pread(fileno(file), bytes, 16, 0) == 16);
    show("sendfile", bytes, 16);
    assert(read(other, bytes, 0) == 0 && close(other) == 0);
    fd = open("/dev/urandom", O_WRONLY);
    assert(fd >= 0 && close(fd) == 0);
    assert(open("/dev/urandom", O_RDONLY | O_DIRECTORY) == -1 && errno == ENOTDIR);
}

static void streams(void)
{
    unsigned char bytes[16];
    FILE *file = fopen("/dev/urandom", "rb");
    assert(file && fread(bytes, 1, 16, file) == 16);
    show("fopen", bytes, 16);
    assert(fileno(file) >= 0 && fgetc(file) != EOF && fclose(file) == 0);
    file = fdopen(opened("open"), "r");
    setvbuf(file, NULL, _IONBF, 0);
    assert(file && fread(bytes, 1, 16, file) == 16 && fclose(file) == 0);
    show("fdopen", bytes, 16);
}

static void files(void)
{
    char one[64] = "", other[64] = "", boot[64] = "", again[64] = "";
    FILE *file = fopen("/proc/sys/kernel/random/uuid", "r");
    int fd = open("/proc/sys/kernel/random/uuid", O_RDONLY);
    assert(file && fgets(one, sizeof one, file) && fclose(file) == 0);
    assert(read(fd, other, sizeof other) == 37 && other[36] == '\n' && close(fd) == 0);
    assert(strcmp(one, other) != 0 && one[14] == '4' && strchr("89ab", one[19]));
    for (int i = 0; i < 2; i++) {
        file = fopen("/proc/sys/kernel/random/boot_id", "r");
        assert(file && fgets(i ? again : boot, 64, file) && fclose(file) == 0);
    }
    assert(strcmp(boot, again) == 0);
    printf("%s%s%s", one, other, boot);
}

/* A child has other numbers. */
static void children(void)
{
    unsigned long long own, its[2];
    int pipes[2], status;
    assert(pipe(pipes) == 0);
    for (int i = 0; i < 2; i++) {
        pid_t child = fork();
        if (child == 0) {
            getrandom(&own, sizeof own, 0);
            _exit(write(pipes[1], &own, sizeof own) != sizeof own);
        }
        assert(child > 0 && waitpid(child, &status, 0) == child && status == 0);
        assert(read(pipes[0], &its[i], sizeof its[i]) == sizeof its[i]);
    }
    getrandom(&own, sizeof own, 0);
    assert(own != its[0] && own != its[1] && its[0] != its[1]);
    printf("children: %llx %llx %llx\n", own, its[0], its[1]);
}

int main(int count, char **argument)
{
    pthread_t id;
    static char *const ways[] = { "open", "openat", "path", "proc" };
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 0; i < 4; i++) {
        assert(pthread_create(&id, NULL, read_some, ways[i]) == 0);
        pthread_join(id, NULL);
    }
    calls();
    streams();
    files();
    if (count > 1 && strcmp(argument[1], "children") == 0)
        children();
    return 0;
}
