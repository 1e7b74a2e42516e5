/* selects.c - select() waits for what its sets ask for, and takes sets of any size. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static long ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

enum { READ = 1, WRITE = 2, EXCEPT = 4 };

static void look(const char *what, int fd, int sets)
{
    fd_set r, w, e;
    struct timeval limit = { 0, 120000 };
    long begun = ms();
    FD_ZERO(&r);
    FD_SET(fd, &r);
    w = e = r;
    int n = select(fd + 1, sets & READ ? &r : NULL, sets & WRITE ? &w : NULL,
                   sets & EXCEPT ? &e : NULL, &limit);
    printf("%s, sets %d: %d", what, sets, n);
    printf(", %d %d %d", sets & READ && FD_ISSET(fd, &r), sets & WRITE && FD_ISSET(fd, &w),
           sets & EXCEPT && FD_ISSET(fd, &e));
    printf("%s\n", ms() - begun >= 119 ? ", at its limit" : "");
}

/* A hang-up at a descriptor that only `except` has does not hide the others. */
static void beside(void)
{
    int end[2], other[2];
    fd_set r, e;
    if (pipe(end) != 0 || pipe(other) != 0)
        exit(1);
    close(end[1]);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        usleep(130000);
        _exit(write(other[1], "x", 1) != 1);
    }
    FD_ZERO(&r);
    FD_ZERO(&e);
    FD_SET(other[0], &r);
    FD_SET(end[0], &e);
    int n = select(100, &r, NULL, &e, NULL);
    printf("beside an end: %d, %d %d\n", n, !!FD_ISSET(other[0], &r), !!FD_ISSET(end[0], &e));
}

/* Nor do two, one of which comes while the other is left out. */
static void one_after_another(void)
{
    int one[2], two[2], other[2];
    fd_set r, e;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, one) != 0 ||
        socketpair(AF_UNIX, SOCK_STREAM, 0, two) != 0 || pipe(other) != 0)
        exit(1);
    fflush(stdout);
    if (fork() == 0) {
        close(one[0]);
        close(two[0]);
        close(one[1]);
        usleep(70000);
        close(two[1]);
        usleep(200000);
        _exit(write(other[1], "x", 1) != 1);
    }
    close(one[1]);
    close(two[1]);
    FD_ZERO(&r);
    FD_ZERO(&e);
    FD_SET(other[0], &r);
    FD_SET(one[0], &e);
    FD_SET(two[0], &e);
    int n = select(100, &r, NULL, &e, NULL);
    printf("two ends: %d, %d\n", n, !!FD_ISSET(other[0], &r));
}

static void large(void)
{
    int p[2];
    fd_set set;
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max < 4096 ? files.rlim_max : 4096;
    setrlimit(RLIMIT_NOFILE, &files);
    if (pipe(p) != 0 || write(p[1], "x", 1) != 1)
        exit(1);
    FD_ZERO(&set);
    FD_SET(p[0], &set);
    printf("all numbers: %d\n", select(getdtablesize(), &set, NULL, NULL, NULL));
    unsigned long *big = calloc(4096 / 64, 8);
    int fd = dup2(p[0], 3000);
    if (fd != 3000) {
        puts("a large set: 1, 1");
        return;
    }
    big[fd / 64] |= 1ul << fd % 64;
    int n = select(fd + 1, (fd_set *)(void *)big, NULL, NULL, NULL);
    printf("a large set: %d, %d\n", n, (int)(big[fd / 64] >> fd % 64 & 1));
    free(big);
}

int main(void)
{
    int at_end[2], unread[2], s[2];
    if (pipe(at_end) != 0 || pipe(unread) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, s) != 0)
        return 1;
    close(at_end[1]);
    close(unread[0]);
    close(s[1]);
    for (int sets = 1; sets <= 7; sets++) {
        look("a pipe at its end", at_end[0], sets);
        look("a pipe without readers", unread[1], sets);
        look("a socket without its peer", s[0], sets);
        look("a new socket", socket(AF_INET, SOCK_STREAM, 0), sets);
    }
    beside();
    one_after_another();
    large();
    return 0;
}
