/* deep.c - runs the weaver on a thread with a large stack, and for a limited time.
 *
 * Purpose: clang's parser, its tree and our passes recurse for each nested bracket, and generated
 * sources have thousands. The stack of a program's first thread is too small for them, and
 * libclang's own threads have 8 MB.
 *
 * Invariants: memory is only reserved at first; the kernel supplies the pages that are touched. A
 * nest that exceeds the stack ends with a message and the status of a refusal. Any other crash ends
 * the program as usual. The first thread waits for the work, the end of the time and the end of the
 * client, whichever comes first. If there is no memory for a thread, a process without a client
 * works on its first thread, without a limit.
 *
 * Rejected: limits on the depth. Each release of clang would need its own, found by experiment. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE */
#include "driver/deep.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "driver/complain.h"
#include "driver/files.h"

typedef struct work {
    void (*run)(void *data);
    void *data;
    int done[2]; /* a pipe, closed when the work is done */
} work;

/* A signal handler receives its data through static storage only. */
static struct {
    char *low, *high; /* the guard after the stack: a fault there means that the stack is full */
    const char *message;
    size_t length;
} overflow;

static void on_fault(int number, siginfo_t *info, void *context)
{
    (void)context;
    char *at = info->si_addr;
    if (at >= overflow.low && at < overflow.high) {
        cw_temp_abandon();
        if (write(STDERR_FILENO, overflow.message, overflow.length) < 0)
            _exit(CW_EXIT_REFUSED);
        _exit(CW_EXIT_REFUSED);
    }
    signal(number, SIG_DFL); /* the handler returns to the fault, which then ends the program */
}

static void *begin(void *work_)
{
    const work *w = work_;
    static char handlers_stack[65536];
    const stack_t stack = { .ss_sp = handlers_stack, .ss_size = sizeof handlers_stack };
    stack_t before; /* a sanitizer gives each thread an alternate stack, and takes it back */
    sigaltstack(&stack, &before);
    w->run(w->data);
    sigaltstack(&before, NULL);
    close(w->done[1]);
    return NULL;
}

static long long milliseconds(void)
{
    struct timespec now = { 0, 0 };
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/* Returns when the work is done. */
static void wait_for(const work *w, const cw_deep_end *end)
{
    struct pollfd fds[] = { { .fd = w->done[0], .events = POLLIN }, { .fd = end->client } };
    long long last = milliseconds() + end->seconds * 1000LL;
    for (;;) {
        long long left = last - milliseconds();
        int ready = poll(fds, 2, end->seconds == 0 ? -1 : left > 0 ? (int)left : 0);
        if (ready == 0)
            end->late(w->data);
        else if (ready > 0 && fds[0].revents == 0)
            _exit(EXIT_FAILURE); /* the client has gone */
        else if (ready > 0 || errno != EINTR)
            return;
    }
}

/* A frame larger than the guard would skip it; clang has none. */
enum { GUARD = 1 << 20 };

static bool run_on(work *w, const cw_deep_end *end, size_t bytes)
{
    pthread_attr_t attributes;
    pthread_t thread;
    char *stack = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED)
        return false;
    bool ok = mprotect(stack + GUARD, bytes - GUARD, PROT_READ | PROT_WRITE) == 0;
    overflow.low = stack;
    overflow.high = stack + GUARD;
    pthread_attr_init(&attributes);
    ok = ok && pthread_attr_setstack(&attributes, stack + GUARD, bytes - GUARD) == 0 &&
         pipe(w->done) == 0;
    if (ok && pthread_create(&thread, &attributes, begin, w) != 0) {
        close(w->done[0]);
        close(w->done[1]);
        ok = false;
    }
    pthread_attr_destroy(&attributes);
    if (ok) {
        wait_for(w, end);
        pthread_join(thread, NULL);
        close(w->done[0]);
    }
    munmap(stack, bytes);
    return ok;
}

void cw_run_deep(const char *source, void (*run)(void *data), void *data, const cw_deep_end *end)
{
    static const size_t sizes[] = { (size_t)1 << 30, (size_t)1 << 28, (size_t)1 << 26 };
    work w = { .run = run, .data = data };
    cw_buf message = { 0 };
    cw_printf(&message, "co4weave: error: '%s' nests deeper than there is stack for it\n", source);
    overflow.message = message.data;
    overflow.length = message.length;
    setenv("LIBCLANG_NOTHREADS", "1", 0); /* on this thread, not on one of libclang's */
    setenv("LIBCLANG_DISABLE_CRASH_RECOVERY", "1", 0); /* our handler examines the fault */
    struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK };
    struct sigaction segv, bus;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &segv);
    sigaction(SIGBUS, &action, &bus);
    bool ran = false;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && !ran; i++)
        ran = run_on(&w, end, sizes[i]);
    sigaction(SIGSEGV, &segv, NULL);
    sigaction(SIGBUS, &bus, NULL);
    if (!ran && end->client >= 0)
        _exit(EXIT_FAILURE); /* the client works itself */
    if (!ran)
        run(data);
    cw_buf_free(&message);
}

bool cw_deep_limit(int *seconds)
{
    enum { USUAL = 600, MOST = 1000000 };
    const char *value = getenv("CO4_TIME_LIMIT");
    char *rest = NULL;
    *seconds = USUAL;
    if (value == NULL || *value == '\0')
        return true;
    errno = 0;
    long number = strtol(value, &rest, 10);
    if (*rest != '\0' || errno != 0 || number < 0 || number > MOST) {
        cw_complain("CO4_TIME_LIMIT is '%s', not a number of seconds up to %d", value, MOST);
        return false;
    }
    *seconds = (int)number;
    return true;
}
