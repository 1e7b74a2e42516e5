/* deep.c - runs the weaver on a thread with a large stack, and for a limited time.
 *
 * Purpose: clang's parser, its tree and our passes recurse for each nested bracket, and generated
 * sources have thousands. The stack of a program's first thread is too small for them, and
 * libclang's own threads have 8 MB.
 *
 * Invariants: memory is only reserved at first; the kernel supplies the pages that are touched. A
 * nest that exceeds the stack, and work that exceeds its time, end the program with a message and
 * the status of a refusal, in a signal handler. Any other crash ends the program as usual. If there
 * is no memory for a thread, the first thread does the work.
 *
 * Rejected: limits on the depth. Each release of clang would need its own, found by experiment. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "command/complain.h"
#include "command/files.h"
#include "driver/weave.h"

typedef struct work {
    void (*run)(void *data);
    void *data;
} work;

/* A signal handler receives its data through static storage only. */
static struct {
    char *low, *high; /* the guard after the stack: a fault there means that the stack is full */
    cw_buf is_full, is_late; /* messages */
} ends;

static void end_with(const cw_buf *message)
{
    cw_temp_abandon();
    if (write(STDERR_FILENO, message->data, message->length) < 0)
        _exit(CW_EXIT_REFUSED);
    _exit(CW_EXIT_REFUSED);
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    (void)context;
    char *at = info->si_addr;
    if (at >= ends.low && at < ends.high)
        end_with(&ends.is_full);
    signal(number, SIG_DFL); /* the handler returns to the fault, which then ends the program */
}

static void on_alarm(int number)
{
    (void)number;
    end_with(&ends.is_late);
}

static void *begin_work(void *work_)
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

static bool run_on_stack(work *w, size_t bytes)
{
    pthread_attr_t attributes;
    pthread_t thread;
    char *stack = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED)
        return false;
    ends.low = stack;
    ends.high = stack + GUARD;
    pthread_attr_init(&attributes);
    bool ok = mprotect(stack + GUARD, bytes - GUARD, PROT_READ | PROT_WRITE) == 0 &&
              pthread_attr_setstack(&attributes, stack + GUARD, bytes - GUARD) == 0 &&
              pthread_create(&thread, &attributes, begin_work, w) == 0;
    pthread_attr_destroy(&attributes);
    if (ok)
        pthread_join(thread, NULL);
    munmap(stack, bytes);
    return ok;
}

/* The seconds that a unit may take; 0: any number. */
static bool read_limit(unsigned *seconds)
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
    *seconds = (unsigned)number;
    return true;
}

bool cw_run_deep(const char *source, void (*run)(void *data), void *data)
{
    static const size_t sizes[] = { (size_t)1 << 30, (size_t)1 << 28, (size_t)1 << 26 };
    struct sigaction fault = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK };
    struct sigaction late = { .sa_handler = on_alarm }, segv, bus, alrm;
    work w = { .run = run, .data = data };
    unsigned seconds;
    sigset_t mask, alarms;
    if (!read_limit(&seconds))
        return false;
    cw_put_complaint(&ends.is_full, "'%s' nests deeper than there is stack for it", source);
    cw_put_complaint(&ends.is_late,
                     "'%s' is not woven after %u seconds; the variable CO4_TIME_LIMIT gives it "
                     "more (0: no limit)",
                     source, seconds);
    setenv("LIBCLANG_NOTHREADS", "1", 0); /* on this thread, not on one of libclang's */
    setenv("LIBCLANG_DISABLE_CRASH_RECOVERY", "1", 0); /* our handler examines the fault */
    sigemptyset(&fault.sa_mask);
    sigemptyset(&late.sa_mask);
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    sigaction(SIGSEGV, &fault, &segv);
    sigaction(SIGBUS, &fault, &bus);
    sigaction(SIGALRM, &late, &alrm);
    sigprocmask(SIG_UNBLOCK, &alarms, &mask); /* the parent may have blocked it */
    alarm(seconds);
    bool ran = false;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && !ran; i++)
        ran = run_on_stack(&w, sizes[i]);
    if (!ran)
        run(data);
    alarm(0);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    sigaction(SIGSEGV, &segv, NULL);
    sigaction(SIGBUS, &bus, NULL);
    sigaction(SIGALRM, &alrm, NULL);
    cw_buf_free(&ends.is_full);
    cw_buf_free(&ends.is_late);
    return true;
}
