/* pipeline.c - runs `one | two | three`, counts the bytes between the stages, and ends all in time.
 *
 *     pipeline -v --timeout 5 seq 100000 -- grep 7 -- wc -l
 *
 * Stages are separated by -- or :::. A task copies from each stage to the next; a stage that ends
 * early closes its pipe, as in a shell. SIGINT, SIGTERM and the timeout end all stages: SIGTERM
 * first, SIGKILL after two seconds or with a second signal.
 *
 * The exit status is that of the last stage that has failed (`pipefail` of a shell), 128 and a
 * number after a signal, 124 after the timeout, 127 and 126 if a stage could not start. */
#include <co4.h>
#include <co4/io.h>
#include <co4/process.h>
#include <co4/signal.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 65536 };
#define GRACE (2 * CO4_SEC)

struct stage {
    const char *const *argv;
    co4_process *process; /* NULL: not started */
    int status;
    unsigned long long bytes; /* to the next stage */
};

struct pipeline {
    struct stage *stages;
    int count;
    double timeout; /* seconds; 0: none */
    bool verbose;
    int early; /* the exit status of an end by a signal or the timeout; 0: there was none */
};

static void signal_all(const struct pipeline *p, int signo)
{
    for (int i = 0; i < p->count; i++)
        if (p->stages[i].process)
            co4_process_kill(p->stages[i].process, signo);
}

/* Waits for a signal or the timeout. It is cancelled when all stages have ended. */
static pausable void watch(struct pipeline *p, co4_mailbox *signals)
{
    co4_signal s;
    int64_t deadline = p->timeout > 0 ? co4_now() + (int64_t)(p->timeout * 1e9) : CO4_NEVER;
    int code = co4_mailbox_receive_until(signals, &s, deadline);
    if (code != CO4_OK && code != CO4_ETIMEDOUT)
        return;
    p->early = code == CO4_OK ? 128 + s.signo : 124;
    signal_all(p, SIGTERM);
    signal_all(p, SIGCONT); /* a stage that is stopped could not end */
    code = co4_mailbox_receive_until(signals, &s, co4_now() + GRACE);
    if (code == CO4_OK || code == CO4_ETIMEDOUT)
        signal_all(p, SIGKILL);
}

/* Copies until the one side has written all, or the other reads no more. */
static pausable int copy(struct stage *from, struct stage *to)
{
    int in = co4_process_stdout(from->process), out = co4_process_stdin(to->process);
    char *bytes = malloc(CHUNK);
    ssize_t n;
    if (!bytes)
        return CO4_ENOMEM;
    while ((n = co4_read(in, bytes, CHUNK)) > 0 && co4_write(out, bytes, (size_t)n) == n)
        from->bytes += (unsigned long long)n;
    free(bytes);
    co4_process_close(from->process, STDOUT_FILENO); /* SIGPIPE, if it goes on */
    co4_process_close(to->process, STDIN_FILENO);
    return CO4_OK;
}

/* Returns 0, or the exit status if a stage could not start. */
static pausable int start_all(struct pipeline *p)
{
    /* A group of its own could not read from a terminal. */
    int flags = isatty(STDIN_FILENO) ? 0 : CO4_PROCESS_GROUP;
    for (int i = 0; i < p->count && !p->early; i++) {
        co4_process_options o = { .in = i > 0 ? CO4_PROCESS_PIPE : CO4_PROCESS_INHERIT,
                                  .out = i + 1 < p->count ? CO4_PROCESS_PIPE : CO4_PROCESS_INHERIT,
                                  .flags = flags };
        int err = co4_process_start(&p->stages[i].process, p->stages[i].argv, &o);
        if (err != CO4_OK) {
            fprintf(stderr, "pipeline: %s: %s\n", p->stages[i].argv[0], co4_strerror(err));
            return err == -ENOENT ? 127 : 126;
        }
    }
    return p->early;
}

/* The body of a scope: returns when all stages have ended. Copies that still wait are cancelled:
 * another process may keep a pipe open. */
static pausable int join_all(struct pipeline *p)
{
    int err = CO4_OK;
    for (int i = 0; i + 1 < p->count && err == CO4_OK; i++)
        err = co4_scope_spawn(co4_scope_here(), copy(&p->stages[i], &p->stages[i + 1]));
    for (int i = 0; i < p->count && err == CO4_OK; i++)
        err = co4_process_wait(p->stages[i].process, &p->stages[i].status);
    if (err == CO4_OK)
        co4_scope_cancel(co4_scope_here(), 0);
    return err;
}

static int exit_status(const struct pipeline *p)
{
    for (int i = p->count - 1; i >= 0; i--) {
        int status = p->stages[i].status;
        if (WIFSIGNALED(status))
            return 128 + WTERMSIG(status);
        if (WEXITSTATUS(status) != 0)
            return WEXITSTATUS(status);
    }
    return 0;
}

static void report(const struct pipeline *p)
{
    for (int i = 0; i + 1 < p->count; i++)
        fprintf(stderr, "pipeline: %s wrote %llu bytes to %s\n", p->stages[i].argv[0],
                p->stages[i].bytes, p->stages[i + 1].argv[0]);
}

static pausable int run_all(struct pipeline *p)
{
    int status = start_all(p), err = CO4_OK;
    if (status == 0) {
        err = co4_scope_run(0, join_all(p));
        if (err != CO4_OK)
            fprintf(stderr, "pipeline: %s\n", co4_strerror(err));
        status = p->early ? p->early : err != CO4_OK ? 1 : exit_status(p);
        if (p->verbose)
            report(p);
    }
    return status;
}

static pausable int run(struct pipeline *p)
{
    co4_mailbox *signals;
    int status = 1, err = co4_signals(&signals, SIGINT, SIGTERM, SIGHUP);
    co4_task *watcher = err == CO4_OK ? co4_spawn(watch(p, signals)) : NULL;
    if (watcher) {
        status = run_all(p);
        co4_task_cancel(watcher, 0);
        co4_join(watcher, NULL); /* it signals the stages, so they go after it */
        for (int i = 0; i < p->count; i++)
            co4_process_destroy(p->stages[i].process); /* kills it, if it has not ended */
    } else {
        fprintf(stderr, "pipeline: %s\n", co4_strerror(err == CO4_OK ? CO4_ENOMEM : err));
    }
    if (signals)
        co4_signals_destroy(signals);
    return status;
}

/* ---- arguments ---- */

static int usage(void)
{
    fprintf(stderr, "usage: pipeline [-v] [--timeout SECONDS] COMMAND... [-- COMMAND...]...\n");
    return 2;
}

/* Takes options out of the arguments. Returns how many words these are; -1: they make no sense. */
static int read_options(struct pipeline *p, int argc, char **argv)
{
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; i++) {
        char *end = NULL;
        if (strcmp(argv[i], "-v") == 0) {
            p->verbose = true;
        } else if (strcmp(argv[i], "--timeout") == 0 && i + 1 < argc) {
            p->timeout = strtod(argv[++i], &end);
            if (end == argv[i] || *end || !(p->timeout > 0 && p->timeout < 1e9)) {
                fprintf(stderr, "pipeline: --timeout: seconds, not '%s'\n", argv[i]);
                return -1;
            }
        } else {
            return -1;
        }
    }
    return i;
}

static bool is_separator(const char *word)
{
    return strcmp(word, "--") == 0 || strcmp(word, ":::") == 0;
}

/* Returns false if a stage is empty. */
static bool read_stages(struct pipeline *p, int argc, char **argv)
{
    for (int i = 0, start = 0; i <= argc; i++)
        if (i == argc || is_separator(argv[i])) {
            if (i == start)
                return false;
            argv[i] = NULL;
            p->stages[p->count++] = (struct stage){ .argv = (const char *const *)&argv[start] };
            start = i + 1;
        }
    return true;
}

int main(int argc, char **argv)
{
    struct pipeline p = { .stages = calloc((size_t)argc + 1, sizeof *p.stages) };
    if (!p.stages)
        return fprintf(stderr, "pipeline: out of memory\n"), 1;
    int words = read_options(&p, argc, argv), status;
    if (words < 0 || !read_stages(&p, argc - words, argv + words))
        status = usage();
    else
        status = co4_run(run(&p));
    if (status < 0) {
        fprintf(stderr, "pipeline: %s\n", co4_strerror(status));
        status = 1;
    }
    free(p.stages);
    return status;
}
