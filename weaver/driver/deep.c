/* deep.c - runs the weaver on a thread with a large stack.
 *
 * Purpose: clang's parser, its tree and our passes recurse for each nested bracket, and generated
 * sources have thousands. The stack of a program's first thread is too small for them, and
 * libclang's own threads have 8 MB.
 *
 * Invariants: memory is only reserved at first; the kernel supplies the pages that are touched. A
 * nest that exceeds the stack ends with a message and the status of a refusal. Any other crash ends
 * the program as usual.
 *
 * Rejected: limits on the depth. Each release of clang would need its own, found by experiment. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE */
#include "driver/deep.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "driver/complain.h"

typedef struct work {
    void (*run)(void *data);
    void *data;
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
    return NULL;
}

/* A frame larger than the guard would skip it; clang has none. */
enum { GUARD = 1 << 20 };

static bool run_on(const work *w, size_t bytes)
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
         pthread_create(&thread, &attributes, begin, (void *)w) == 0;
    pthread_attr_destroy(&attributes);
    if (ok)
        pthread_join(thread, NULL);
    munmap(stack, bytes);
    return ok;
}

void cw_run_deep(const char *source, void (*run)(void *data), void *data)
{
    static const size_t sizes[] = { (size_t)1 << 30, (size_t)1 << 28, (size_t)1 << 26 };
    const work w = { run, data };
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
        ran = run_on(&w, sizes[i]);
    sigaction(SIGSEGV, &segv, NULL);
    sigaction(SIGBUS, &bus, NULL);
    if (!ran)
        run(data);
    cw_buf_free(&message);
}
