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
 * With a disk that crashes (disk.c) a run has several lives, each a fork of its own. Without a
 * server the process that has crashed executes the program again: so gdb is at each life.
 *
 * Rejected: to reset statics in one process (a C library's cannot be, nor what it has from
 * malloc). */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/random.h"
#include "base/simulation.h"
#include "co4/test.h"
#include "core/woven_form.h"
#include "platform/thread.h"
#include "posix/decides.h"
#include "posix/posts.h"
#include "simulation/checks.h"
#include "simulation/coverage.h"
#include "simulation/descriptors.h"
#include "simulation/devices.h"
#include "simulation/disk.h"
#include "simulation/faults.h"
#include "simulation/hub.h"
#include "simulation/identity.h"
#include "simulation/leaks.h"
#include "simulation/nodes.h"
#include "simulation/notice.h"
#include "simulation/options.h"
#include "simulation/races.h"
#include "simulation/run.h"
#include "simulation/socket_files.h"
#include "simulation/suspends.h"
#include "simulation/syscalls.h"
#include "simulation/wakeups.h"

_Noreturn void __real__exit(int status);
long __real_syscall(long number, ...);
int __real_chdir(const char *path);
int __real_raise(int signo);
int __real_waitid(idtype_t kind, id_t process, siginfo_t *info, int flags);
int __real_sigaction(int signo, const struct sigaction *how, struct sigaction *before);

/* Of the leak sanitizer, if it is in the program: does not return if memory is lost. */
__attribute__((weak)) void __lsan_do_leak_check(void);

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
    uint64_t pairs;            /* of decisions, in all runs so far (coverage.h) */
};

struct shared {
    struct answer answer;
    bool crashed;
    struct co4__coverage coverage;
};

static struct {
    uint64_t seed;
    struct answer *answer; /* of the run, in memory that it shares with the server; or NULL */
    bool *crashed;         /* the same: whether the life has */
    bool noted;
    bool deadlock; /* no thread can go on */
    pid_t run;
    char **argv, **environment; /* of the beginning */
} own;

/* ---- the run ---- */

/* How it goes: main's end, and exit() anywhere; or a failure.
 * NOLINTBEGIN(bugprone-signal-handler): whatever these calls meet then, the process ends. */
static void note_end(void)
{
    co4_test_result result;
    struct answer *a = own.answer;
    co4__node_note();
    if (a && !co4__nodes && own.run == getpid() && !own.noted &&
        co4_test_result_of(NULL, &result) == CO4_OK) {
        own.noted = true;
        a->digest = co4__random_mix(a->digest) ^ result.digest;
        a->steps += result.steps;
        a->choices += result.choices;
        a->now += co4_now();
        if (co4__disk)
            a->digest ^= co4__random(co4__disk->calls ^ co4__random(co4__disk->drawn));
    }
}

static void note_exit(int status, void *data)
{
    (void)data;
    note_end();
    if (own.run == getpid())
        co4__notice_threads();
    if (co4__disk)
        co4__disk_end(status);
    bool own_end = own.run == getpid() && status == 0;
    if (!own_end || !co4__leaks_report())
        return;
    if (&__lsan_do_leak_check) /* it would come after this */
        __lsan_do_leak_check();
    fflush(NULL);
    __real__exit(1);
}

/* A run that fails says what its threads were at; one that waits for ever is aborted. */
static void tell_and_end(int signo)
{
    const struct sigaction usual = { .sa_handler = SIG_DFL };
    co4_test_result result;
    if (co4_test_result_of(NULL, &result) == CO4_OK) {
        note_end();
        dprintf(STDERR_FILENO, "co4: signal %d in step %llu of seed %llu%s%s\n", signo,
                result.steps, (unsigned long long)own.seed, co4__node ? ", node " : "",
                co4__node ? co4__node->name : "");
        co4_dump(NULL, co4_write_fd, (void *)(intptr_t)STDERR_FILENO);
        if (own.deadlock)
            co4__wakeups_report();
    }
    __real_sigaction(signo, &usual, NULL);
    __real_raise(signo);
}
/* NOLINTEND(bugprone-signal-handler) */

/* While all tasks are still there. */
static void report_deadlock(void)
{
    own.deadlock = true;
    fputs("co4: deadlock: waiting here could never end, for any thread\n", stderr);
    abort();
}

/* ---- lives ---- */

/* Programs write over theirs, to change their titles. */
static char **copy_strings(char **from)
{
    size_t n = 0;
    while (from[n])
        n++;
    char **to = co4__disk_alloc((n + 1) * sizeof *to);
    for (size_t i = 0; i < n; i++) {
        size_t bytes = strlen(from[i]) + 1;
        to[i] = memcpy(co4__disk_alloc(bytes), from[i], bytes);
    }
    return to;
}

static _Noreturn void execute_again(void)
{
    char life[] = "CO4_TEST_LIFE=0000000000";
    sigset_t none;
    size_t n = 0, i = 0;
    while (own.environment[n])
        n++;
    char **environment = co4__disk_alloc((n + 2) * sizeof *environment);
    snprintf(life + 14, sizeof life - 14, "%010u", co4__disk->life + 1);
    for (; i < n && strncmp(own.environment[i], life, 14) != 0; i++)
        environment[i] = own.environment[i];
    for (environment[i] = life; i < n; i++)
        environment[i + 1] = own.environment[i + 1];
    if (i < n)
        environment[n] = NULL;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (__real_chdir(co4__disk->home) == 0) {
        __real_syscall(SYS_close_range, 3, ~0U, 0);
        __real_syscall(SYS_execve, co4__disk->exe, own.argv, environment);
    }
    perror("co4: the next life");
    __real__exit(CO4__REFUSED);
}

static _Noreturn void end_node(enum co4__script_what how)
{
    if (how == CO4__SCRIPT_CRASH && co4__disk && !co4__node->crashed) {
        co4__node->crashed = true;
        co4__disk_crash();
    }
    co4__node_note();
    co4__node->crashed = how == CO4__SCRIPT_CRASH;
    co4__node->killed = how == CO4__SCRIPT_KILL;
    __real__exit(0);
}

static void end_crashed(void)
{
    note_end();
    if (co4__node) {
        co4__node->crashed = true;
        end_node(CO4__SCRIPT_CRASH);
    }
    if (own.crashed) {
        *own.crashed = true;
        __real__exit(0);
    }
    fprintf(stderr, "co4: crash %u, in call %llu of this life\n", co4__disk->life,
            (unsigned long long)co4__disk->calls);
    if (!co4__check_passes(co4__disk->home))
        __real__exit(1);
    execute_again();
}

static void end_last(void)
{
    if (!own.crashed && !co4__node && !co4__check_passes(co4__disk->home))
        __real__exit(1);
}

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

static bool asks_for_races(void)
{
    const char *asked = getenv("CO4_TEST_RACES");
    return asked && strcmp(asked, "0") != 0;
}

/* The step before which a debugger takes over. Of nodes, it is the step of the one under gdb. */
static uint64_t stop_asked(void)
{
    const char *text = getenv("CO4_TEST_STOP");
    char *end;
    uint64_t step = text ? strtoull(text, &end, 10) : 0;
    if (text && (*text < '0' || *text > '9' || *end != '\0'))
        co4__simulation_refuses("CO4_TEST_STOP", "not the number of a step");
    return step;
}

static void stop(void)
{
    __real_raise(SIGTRAP);
}

/* A child may send a signal, also by its end. */
static bool has_children(void)
{
    siginfo_t info;
    return __real_waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

static void note_lack(const char *what)
{
    co4__not_simulated(what, "a socket does not send it", NULL);
}

static bool look_at_others(void)
{
    if (!co4__simulated_shares)
        return false;
    bool may_post = &co4__posts_look && co4__posts_look();
    return has_children() || may_post;
}

static void begin_run(uint64_t seed)
{
    co4_test_options options;
    static const struct co4__disk_ends ends = { .crashed = end_crashed, .ends = end_last };
    unsigned life = co4__disk_life();
    const char *wrong;
    co4__simulation_options(&options, seed);
    co4__simulated_numbers(seed, life);
    co4__identity_begin();
    co4__devices_begin();
    co4__socket_files_begin();
    co4__network_lacks = note_lack;
    co4__posix_processes = &co4__simulated_processes;
    if (life > 1) /* its order is another, too */
        options.seed = co4__random(seed ^ co4__random(life)) | 1;
    if (co4__node)
        options.start = co4__nodes->now;
    if (co4_test_begin(&options) != CO4_OK)
        co4__simulation_refuses("--auto=test", "out of memory");
    struct co4__simulation *s = co4__local()->simulate.state;
    s->deadlock = report_deadlock;
    s->between = co4__suspends_between;
    s->stops_at = stop_asked();
    s->stops = stop;
    s->look = look_at_others;
    s->fault = co4__faults_matter() ? co4__fault : NULL;
    own.run = getpid();
    co4__simulated_ends = note_end;
    if (at_quick_exit(note_end) != 0) /* the first one, so it is the last that runs */
        co4__simulation_refuses("--auto=test", "out of memory");
    co4__check_takes_output(life);
    if ((wrong = co4__disk_begin(seed, life, &ends)) != NULL)
        co4__simulation_refuses("the simulated disk", wrong);
    if (co4__disk) {
        own.argv = copy_strings(own.argv);
        own.environment = copy_strings(own.environment);
    }
    /* Not of the hub, nor of later lives. A program that a child executes would empty the files. */
    unsetenv("CO4_TEST_TRACE");
    unsetenv("CO4_TEST_CHOICES");
    co4__posix_decides = true;
    co4__posix_steps = co4__simulated_step_until;
    co4__wakeups_begin();
    if (&co4__races_begin)
        co4__races_begin();
    else if (asks_for_races())
        co4__simulation_refuses("CO4_TEST_RACES", "the program is not woven with --races");
    co4__leaks_begin();
    handle_failures();
    if (co4__node)
        co4__node_begin(end_node);
}

/* Each node has a sequence of its own. */
static uint64_t seed_of_node(uint64_t seed)
{
    uint64_t k = (uint64_t)(co4__node - co4__nodes->nodes) + 1;
    return seed == 0 ? 0 : co4__random(seed ^ co4__random(k << 32)) | 1;
}

/* All nodes have ended. */
static _Noreturn void end_nodes(const struct co4__hub_ends *ends)
{
    const struct rlimit none = { 0, 0 };
    if (own.answer) {
        own.answer->digest = ends->digest;
        own.answer->steps = ends->steps;
        own.answer->choices = ends->choices;
        own.answer->now = ends->now;
    }
    if (WIFSIGNALED(ends->status)) {
        setrlimit(RLIMIT_CORE, &none); /* the node's is there */
        __real_raise(WTERMSIG(ends->status));
    }
    __real__exit(WEXITSTATUS(ends->status));
}

/* Returns in each process that has a main to run. */
static void begin_all(uint64_t seed)
{
    const char *file = getenv("CO4_TEST_NODES");
    struct co4__hub_ends ends;
    own.seed = seed;
    if (file && getenv("CO4_TEST_NODES_CHECK")) {
        co4__hub_check(file);
        __real__exit(0);
    }
    if (co4__hub_is_node())
        begin_run(seed_of_node(co4__nodes->seed));
    else if (!file)
        begin_run(seed);
    else if (co4__hub_run(file, seed, &ends))
        begin_run(seed_of_node(seed));
    else
        end_nodes(&ends);
}

/* ---- the server ---- */

/* Returns the status of waitpid(). */
static int wait_for(pid_t run, int64_t limit, int32_t *timed_out)
{
    int status, fd = (int)__real_syscall(SYS_pidfd_open, run, 0);
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

/* In the child: where its environment has the number of a life. */
static void set_life(unsigned life)
{
    char *text = getenv("CO4_TEST_LIFE"), number[16];
    snprintf(number, sizeof number, "%010u", life);
    if (text && strlen(text) == strlen(number))
        memcpy(text, number, strlen(number)); /* the stack stays as it is */
    else if (life > 1)
        co4__simulation_sets("CO4_TEST_LIFE", number);
}

/* Returns 0 in a life; else its process, which has ended. */
static pid_t make_life(const struct request *request, unsigned life, int in, int out)
{
    pid_t run = fork();
    if (run < 0)
        co4__simulation_refuses("CO4_TEST_SERVER: fork", strerror(errno));
    setpgid(run, run); /* by both, as either may come first */
    if (run == 0) {
        setpgid(0, 0);
        close(in);
        close(out);
        unsetenv("CO4_TEST_SERVER"); /* not for programs that this one starts */
        set_life(life);
        begin_all(request->seed);
        return 0;
    }
    own.answer->status = wait_for(run, request->limit, &own.answer->timed_out);
    if (*own.crashed)
        kill(-run, SIGKILL); /* what it has begun */
    return run;
}

/* Returns true in a life. */
static bool make_run(const struct request *request, int in, int out)
{
    char home[CO4__DISK_PATH];
    bool checks = !getenv("CO4_TEST_NODES") && getcwd(home, sizeof home) != NULL;
    *own.answer = (struct answer){ .seed = request->seed };
    for (unsigned life = 1; life == 1 || *own.crashed; life++) {
        *own.crashed = false;
        if (make_life(request, life, in, out) == 0)
            return true;
        if (own.answer->status == 0 && checks && !co4__check_passes(home)) {
            own.answer->status = 1 << 8;
            return false;
        }
    }
    return false;
}

/* Returns in each life; the server ends with its client. */
static void serve(int in, int out)
{
    struct request request;
    struct shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        co4__simulation_refuses("CO4_TEST_SERVER", strerror(errno));
    own.answer = &shared->answer;
    own.crashed = &shared->crashed;
    co4__coverage = &shared->coverage;
    for (;;) {
        ssize_t n = read(in, &request, sizeof request);
        if (n < 0 && errno == EINTR)
            continue;
        if (n != (ssize_t)sizeof request)
            _exit(0);
        if (make_run(&request, in, out))
            return;
        own.answer->pairs = shared->coverage.pairs;
        if (write(out, own.answer, sizeof *own.answer) != (ssize_t)sizeof *own.answer)
            _exit(0);
    }
}

/* ---- the beginning ---- */

int __real_main(int argc, char **argv, char **environment);
int __wrap_main(int argc, char **argv, char **environment);

/* A node has arguments of its own. */
int __wrap_main(int argc, char **argv, char **environment)
{
    char **words = co4__hub_words();
    if (co4__woven_forms_lost) /* what they wait for would not be simulated */
        co4__simulation_refuses("--auto=test", "out of memory");
    if (words) {
        argv = words;
        for (argc = 0; argv[argc]; argc++)
            ;
        program_invocation_name = argv[0];
        environment = environ;
    }
    return __real_main(argc, argv, environment);
}

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
__attribute__((constructor(110))) static void begin(int argc, char **argv, char **environment)
{
    (void)argc;
    own.argv = argv;
    own.environment = environment;
    const char *server = getenv("CO4_TEST_SERVER");
    int in, out;
    char more;
    on_exit(note_exit, NULL);
    if (!server)
        begin_all(seed_of(getenv("CO4_SEED")));
    else if (sscanf(server, "%d,%d%c", &in, &out, &more) == 2)
        serve(in, out);
    else
        co4__simulation_refuses("CO4_TEST_SERVER", "not the numbers of two descriptors");
}
