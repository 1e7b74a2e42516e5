/* program.c - a program of --auto=test: from its beginning to its end in test mode.
 *
 * Purpose: the program's threads are tasks, and run on one thread, in an order that a seed decides,
 * by a clock that jumps. Each run begins alike: so a seed is the whole run. CO4_SEED has it, or is
 * 1; options.c has what else is asked of a run.
 *
 * Many runs: co4test starts the program once, with CO4_TEST_SERVER, the numbers of two descriptors.
 * Before main and before the program's constructors the process reads a seed, makes a child that is
 * the run, and writes how that has ended. A fork is a tenth of a start, and leaves all statics as
 * they are at the beginning. The child has the parent's addresses: so runs of a seed are one where
 * a program goes by these. A run that takes longer than the request allows is killed.
 *
 * Rejected: to reset statics in one process (a C library's cannot be, nor what it has from
 * malloc). */
#define _GNU_SOURCE
#include "simulation/program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/random.h"
#include "base/simulation.h"
#include "co4/test.h"
#include "platform/thread.h"
#include "posix/decides.h"

int __real_sigaction(int signo, const struct sigaction *how, struct sigaction *before);

#define LOOK_NS 100 /* ns that a look at a clock takes */

int co4__simulated_program; /* the link asks for it: so this file is in the program */

/* What co4test sends, and is sent; scripts/co4test has the same. */
struct request {
    uint64_t seed;
    int64_t limit; /* ms */
};

struct answer {
    uint64_t seed, digest, steps, choices;
    int64_t now;
    int32_t status, timed_out; /* as of waitpid() */
};

static struct {
    uint64_t seed, drawn;
    struct answer *answer; /* of the run, in memory that it shares with the server; or NULL */
    pid_t run;
} own;

bool co4__program_is_simulated(void)
{
    return co4__local()->simulate.state != NULL;
}

int64_t co4__simulated_look(void)
{
    struct co4__simulation *s = co4__local()->simulate.state;
    int64_t now = s->ops->now(s);
    s->ops->sleep(s, now + LOOK_NS);
    return now;
}

uint64_t co4__simulated_random(void)
{
    return co4__random(co4__random(~own.seed) + ++own.drawn);
}

/* ---- the run ---- */

/* How it goes: main's end, and exit() anywhere; or a failure.
 * NOLINTBEGIN(bugprone-signal-handler): whatever these calls meet then, the process ends. */
static void note_end(void)
{
    co4_test_result result;
    if (own.answer && own.run == getpid() && co4_test_result_of(NULL, &result) == CO4_OK) {
        own.answer->digest = result.digest;
        own.answer->steps = result.steps;
        own.answer->choices = result.choices;
        own.answer->now = co4_now();
    }
}

/* A run that fails says what its threads were at; one that waits for ever is aborted. */
static void tell_and_end(int signo)
{
    const struct sigaction usual = { .sa_handler = SIG_DFL };
    co4_test_result result;
    if (co4_test_result_of(NULL, &result) == CO4_OK) {
        note_end();
        dprintf(STDERR_FILENO, "co4: signal %d in step %llu of seed %llu\n", signo, result.steps,
                (unsigned long long)own.seed);
        co4_dump(NULL, co4_write_fd, (void *)(intptr_t)STDERR_FILENO);
    }
    __real_sigaction(signo, &usual, NULL);
    raise(signo);
}
/* NOLINTEND(bugprone-signal-handler) */

/* Those of sanitizers, which were there before, stay. The system's call: the program's handlers may
 * be put off, where a task is in a call of the library. */
static void handle_failures(void)
{
    static const int signals[] = { SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL };
    struct sigaction how = { .sa_handler = tell_and_end }, before;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (__real_sigaction(signals[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            __real_sigaction(signals[i], &how, NULL);
}

static void begin_run(uint64_t seed)
{
    co4_test_options options;
    own.seed = seed;
    co4__simulation_options(&options, seed);
    if (co4_test_begin(&options) != CO4_OK)
        co4__simulation_refuses("--auto=test", "out of memory");
    own.run = getpid();
    co4__posix_decides = true;
    handle_failures();
}

/* ---- the server ---- */

/* Returns the status of waitpid(). */
static int wait_for(pid_t run, int64_t limit, int32_t *timed_out)
{
    int status, fd = (int)syscall(SYS_pidfd_open, run, 0);
    struct pollfd ends = { fd, POLLIN, 0 };
    *timed_out = fd >= 0 && poll(&ends, 1, (int)limit) == 0;
    if (*timed_out)
        kill(-run, SIGKILL); /* and what it has begun */
    while (waitpid(run, &status, 0) < 0 && errno == EINTR)
        ;
    if (fd >= 0)
        close(fd);
    return status;
}

/* Returns in each run; the server ends with its client. */
static void serve(int in, int out)
{
    struct request request;
    own.answer = mmap(NULL, sizeof *own.answer, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                      -1, 0);
    if (own.answer == MAP_FAILED)
        co4__simulation_refuses("CO4_TEST_SERVER", strerror(errno));
    for (;;) {
        ssize_t n = read(in, &request, sizeof request);
        if (n < 0 && errno == EINTR)
            continue;
        if (n != (ssize_t)sizeof request)
            _exit(0);
        *own.answer = (struct answer){ .seed = request.seed };
        pid_t run = fork();
        if (run < 0)
            co4__simulation_refuses("CO4_TEST_SERVER: fork", strerror(errno));
        setpgid(run, run); /* by both, as either may come first */
        if (run == 0) {
            setpgid(0, 0);
            close(in);
            close(out);
            unsetenv("CO4_TEST_SERVER"); /* not for programs that this one starts */
            begin_run(request.seed);
            return;
        }
        own.answer->status = wait_for(run, request.limit, &own.answer->timed_out);
        if (write(out, own.answer, sizeof *own.answer) != (ssize_t)sizeof *own.answer)
            _exit(0);
    }
}

/* ---- the beginning ---- */

static uint64_t seed_of(const char *text)
{
    char *end;
    errno = 0;
    unsigned long long seed = text ? strtoull(text, &end, 0) : 1;
    if (text && (*text < '0' || *text > '9' || *end != '\0' || errno != 0))
        co4__simulation_refuses("CO4_SEED", "not a number from 0");
    return seed;
}

/* After the library's own constructors, before those of programs. */
__attribute__((constructor(110))) static void begin(void)
{
    const char *server = getenv("CO4_TEST_SERVER");
    int in, out;
    char more;
    atexit(note_end);
    if (!server)
        begin_run(seed_of(getenv("CO4_SEED")));
    else if (sscanf(server, "%d,%d%c", &in, &out, &more) == 2)
        serve(in, out);
    else
        co4__simulation_refuses("CO4_TEST_SERVER", "not the numbers of two descriptors");
}
