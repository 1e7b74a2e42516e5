/* system.c - what the operating system reports about the process: whether it has other threads,
 * whether a signal may interrupt it, its environment. */
#ifdef __linux__
#define _GNU_SOURCE /* secure_getenv */
#else
#define _POSIX_C_SOURCE 200809L
#endif
#ifdef __APPLE__
#define _DARWIN_C_SOURCE
#endif
#include "platform/system.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "co4/sanitizer.h"

#if defined(__linux__) && !defined(CO4__NO_THREADS)
#include <fcntl.h>
#include <sys/stat.h>
#endif
#if defined(__unix__) || defined(__APPLE__)
#include <signal.h>
#include <unistd.h>
#endif

#if defined(__linux__) && !defined(CO4__NO_THREADS)

/* Returns the number after "Threads:" in the status of the process, which the kernel reads at one
 * moment. Returns 0 if there is none. Allocates nothing. */
static unsigned count_threads(void)
{
    static const char word[] = "\nThreads:";
    size_t found = 0; /* the matched bytes of `word` */
    unsigned n = 0;
    bool over = false;
    char text[512];
    int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    ssize_t bytes = fd >= 0 ? read(fd, text, sizeof text) : 0;
    for (; bytes > 0 && !over; bytes = over ? 0 : read(fd, text, sizeof text))
        for (ssize_t i = 0; i < bytes && !over; i++) {
            if (found < sizeof word - 1)
                found = text[i] == word[found] ? found + 1 : text[i] == word[0];
            else if (text[i] >= '0' && text[i] <= '9')
                n = n * 10 + (unsigned)(text[i] - '0');
            else
                over = text[i] == '\n';
        }
    if (fd >= 0)
        close(fd);
    return n;
}

/* The thread sanitizer starts a thread of its own together with the program's first. That thread
 * wakes no other. */
bool co4__threads_are(unsigned n)
{
    struct stat tasks;
    /* The folder has a link for each thread, and stat() reads their number without a listing. Some
     * systems that resemble Linux differ here. So this check can only answer no. */
    if (stat("/proc/self/task", &tasks) != 0 || tasks.st_nlink > n + CO4_THREAD_SANITIZER + 2)
        return false;
    unsigned all = count_threads();
    return all == n || (CO4_THREAD_SANITIZER && all == n + 1);
}

#else

bool co4__threads_are(unsigned n)
{
    (void)n;
    return false;
}

#endif

const char *co4__safe_env(const char *name)
{
#if defined(__linux__)
    return secure_getenv(name);
#elif defined(__unix__) || defined(__APPLE__)
    return getuid() == geteuid() && getgid() == getegid() ? getenv(name) : NULL;
#else
    return getenv(name);
#endif
}

atomic_int co4__dump_signal;

#if defined(__unix__) || defined(__APPLE__)

#ifdef NSIG
#define LAST_SIGNAL NSIG
#else
#define LAST_SIGNAL 65
#endif

/* Returns whether the signal's cause is an instruction or call of the thread. A sleeping thread
 * executes none. */
static bool comes_from_the_thread(int signo)
{
    static const int its[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPIPE, SIGTRAP, SIGSYS };
    for (size_t i = 0; i < sizeof its / sizeof its[0]; i++)
        if (signo == its[i])
            return true;
    return false;
}

bool co4__may_be_interrupted(void)
{
    int dump = atomic_load_explicit(&co4__dump_signal, memory_order_relaxed);
    for (int signo = 1; signo < LAST_SIGNAL; signo++) {
        struct sigaction a;
        if (signo != dump && !comes_from_the_thread(signo) && sigaction(signo, NULL, &a) == 0 &&
            a.sa_handler != SIG_DFL && a.sa_handler != SIG_IGN)
            return true;
    }
    return false;
}

#else

bool co4__may_be_interrupted(void)
{
    return false;
}

#endif
