/* late_info.c - handlers of signals that come while the library takes memory run when it has it;
 * the first of two has no memory for what its signal says, but hears of its number.
 *
 * Link it with -Wl,--wrap=mmap. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

void *__real_mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset);
void *__libc_calloc(size_t count, size_t bytes);

static volatile sig_atomic_t armed, fails, failed, in_calloc, heard;
static volatile struct {
    int signo, number, value, inside;
} seen[4];

void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    failed += fails;
    return fails ? MAP_FAILED : __real_mmap(at, bytes, protection, flags, fd, offset);
}

static void hear(int signo, siginfo_t *info, void *context)
{
    (void)context;
    if (heard >= 4)
        return;
    seen[heard].signo = signo;
    seen[heard].number = info->si_signo;
    seen[heard].value = info->si_value.sival_int;
    seen[heard++].inside = in_calloc;
}

/* The library's too. */
void *calloc(size_t count, size_t bytes)
{
    if (armed) {
        armed = 0;
        in_calloc = 1;
        fails = 1;
        sigqueue(getpid(), SIGUSR1, (union sigval){ .sival_int = 5 });
        fails = 0;
        sigqueue(getpid(), SIGUSR2, (union sigval){ .sival_int = 6 });
        in_calloc = 0;
    }
    return __libc_calloc(count, bytes);
}

int main(void)
{
    struct sigaction action = { .sa_sigaction = hear, .sa_flags = SA_SIGINFO };
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR2, &action, NULL);
    usleep(1000);
    armed = 1;
    for (int i = 0; i < 1000 && armed; i++) {
        flockfile(stdin); /* takes memory */
        funlockfile(stdin);
    }
    for (int i = 0; i < heard; i++)
        printf("SIGUSR%d: its number %d, value %d, inside %d\n", seen[i].signo == SIGUSR1 ? 1 : 2,
               seen[i].number == seen[i].signo, seen[i].value, seen[i].inside);
    printf("failed %d\n", failed);
    return 0;
}
