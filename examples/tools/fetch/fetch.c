/* fetch.c - downloads files over HTTP, many at once.
 *
 *     fetch -j 8 --per-host 2 -o downloads http://example.org/a http://example.org/b ...
 *
 * -j N            connections at once (8)          --per-host N   to one server (4)
 * --retries N     more attempts for a file (4)     --timeout S    without progress (30)
 * --max-time S    for all files                    -o DIR         where the files go
 * --ca FILE       certificates that are trusted, for https
 *
 * A task fetches each file, into NAME.part, and renames that when all of it is on disk. After a
 * failure it goes on where it stopped, if the server can. At the end, by SIGINT too, no NAME.part
 * is left. Exit status: 0; 1: a file is missing; 124 and 130: the time was over, SIGINT. */
#define _GNU_SOURCE
#include "fetch.h"

#include <co4/file.h>
#include <co4/http_client.h>
#include <co4/io.h>
#include <co4/signal.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { NAME_MAX_BYTES = 200 };

/* How an attempt has ended. */
enum outcome { GOT, AGAIN, FAILED, CANCELLED };

/* ---- outcomes ---- */

static enum outcome because(struct job *j, enum outcome outcome, const char *why)
{
    snprintf(j->why, sizeof j->why, "%s", why);
    return outcome;
}

/* Of a call of the network that has failed. */
static enum outcome net_failed(struct job *j, int reason)
{
    switch (reason) {
    case CO4_ECANCELED:
        return CANCELLED;
    case -ENOENT:
        return because(j, FAILED, "no such host");
    case CO4_HTTP_EURL:
        return because(j, FAILED, "a redirect to nowhere");
    case CO4_HTTP_EREDIRECTS:
        return because(j, FAILED, "too many redirects");
    case CO4_HTTP_EMALFORMED:
    case CO4_HTTP_ETOOBIG:
        return because(j, AGAIN, "the answer makes no sense");
    case CO4_ETIMEDOUT:
        return because(j, AGAIN, "nothing comes");
    default:
        if (reason <= CO4_TLS_REFUSED && reason >= CO4_TLS_REVOKED)
            return because(j, FAILED, co4_tls_error_text());
        return because(j, AGAIN, co4_strerror(reason));
    }
}

/* Of a call for a file. */
static enum outcome file_failed(struct job *j, const char *path, int reason)
{
    if (reason == ECANCELED)
        return CANCELLED;
    snprintf(j->why, sizeof j->why, "%s: %s", path, strerror(reason));
    return FAILED;
}

/* ---- one exchange ---- */

static pausable bool write_all(int fd, const char *from, size_t bytes, off_t at)
{
    while (bytes > 0) {
        ssize_t n = co4_pwrite(fd, from, bytes, at);
        if (n < 0)
            return false;
        from += n;
        bytes -= (size_t)n;
        at += n;
    }
    return true;
}

static pausable enum outcome copy_body(struct job *j, co4_http_reply *r, int fd)
{
    const char *data;
    ssize_t n;
    while ((n = co4_http_reply_read(r, &data)) > 0) {
        if (!write_all(fd, data, (size_t)n, j->have))
            return file_failed(j, j->part, errno);
        j->have += n;
    }
    if (n < 0)
        return net_failed(j, (int)n);
    return co4_fsync(fd) == 0 ? GOT : file_failed(j, j->part, errno);
}

/* The body is the rest of the file from j->have on. */
static pausable enum outcome receive(struct job *j, co4_http_reply *r)
{
    int fd = co4_open(j->part, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        return file_failed(j, j->part, errno);
    j->begun = true;
    enum outcome outcome;
    if (co4_ftruncate(fd, j->have) != 0)
        outcome = file_failed(j, j->part, errno);
    else
        outcome = copy_body(j, r, fd);
    if (co4_close(fd) != 0 && outcome == GOT)
        outcome = file_failed(j, j->part, errno);
    if (outcome == GOT && co4_rename(j->part, j->path) != 0)
        outcome = file_failed(j, j->path, errno);
    return outcome;
}

/* A strong ETag, or Last-Modified, names this version. One that is too long names none. */
static void set_validator(struct job *j, co4_http_reply *r)
{
    const char *tag = co4_http_reply_field(r, "ETag");
    const char *name = tag && tag[0] == '"' ? tag : co4_http_reply_field(r, "Last-Modified");
    size_t size = name ? strlen(name) : 0;
    if (size < sizeof j->validator)
        memcpy(j->validator, name ? name : "", size + 1);
    else
        j->validator[0] = '\0';
}

/* Begins anew: what is there is of another version, or may be of one. */
static void forget(struct job *j)
{
    j->have = 0;
    j->total = -1;
    j->validator[0] = '\0';
}

/* Whether the answer begins where the file ends. */
static bool goes_on(const struct job *j, co4_http_reply *r)
{
    long long start, last, total;
    const char *range = co4_http_reply_field(r, "Content-Range");
    return j->have > 0 && range &&
           sscanf(range, "bytes %lld-%lld/%lld", &start, &last, &total) == 3 &&
           start == (long long)j->have && last >= start && total > last;
}

static int64_t retry_after(co4_http_reply *r)
{
    const char *text = co4_http_reply_field(r, "Retry-After");
    long seconds = text ? strtol(text, NULL, 10) : 0;
    return (seconds < 0 ? 0 : seconds < 3600 ? seconds : 3600) * CO4_SEC;
}

static pausable enum outcome obey(struct job *j, co4_http_reply *r)
{
    char why[32];
    int status = co4_http_reply_status(r);
    snprintf(why, sizeof why, "status %d", status);
    j->retry_after = retry_after(r);
    switch (status) {
    case 200:
        forget(j);
        j->total = (off_t)co4_http_reply_length(r);
        set_validator(j, r);
        return receive(j, r);
    case 206:
        if (goes_on(j, r))
            return receive(j, r);
        /* fallthrough */
    case 416:
        forget(j);
        return because(j, AGAIN, "another range than the wanted one");
    case 408:
    case 429:
        return because(j, AGAIN, why);
    default:
        return because(j, status >= 500 ? AGAIN : FAILED, why);
    }
}

/* Asks for the bytes from j->have on, if the file is still this version. */
static pausable enum outcome attempt(struct fetch *f, struct job *j)
{
    co4_http_reply *r;
    char range[48], same[VALIDATOR_MAX + 16];
    const char *fields[] = { NULL, NULL, NULL };
    j->retry_after = 0;
    if (j->validator[0] == '\0')
        j->have = 0;
    if (j->have > 0) {
        snprintf(range, sizeof range, "Range: bytes=%lld-", (long long)j->have);
        snprintf(same, sizeof same, "If-Range: %s", j->validator);
        fields[0] = range;
        fields[1] = same;
    }
    int err = co4_http_send(&r, f->client, &(co4_http_request){ .url = j->text, .fields = fields });
    j->state = JOB_RUNS;
    enum outcome outcome = err == CO4_OK ? obey(j, r) : net_failed(j, err);
    j->state = JOB_WAITS;
    co4_http_reply_destroy(r);
    return outcome;
}

/* ---- one file ---- */

static pausable enum outcome attempts(struct fetch *f, struct job *j)
{
    co4_retrying r;
    int64_t delay;
    enum outcome outcome;
    co4_retry_begin(&r, &f->policy);
    while ((outcome = attempt(f, j)) == AGAIN && co4_retry_again(&r, CO4_EAGAIN, &delay)) {
        if (delay < j->retry_after)
            delay = j->retry_after;
        progress_say(f, j, "%s; again in %.1f s", j->why, (double)delay / 1e9);
        if (co4_sleep(delay) != CO4_OK)
            return CANCELLED;
    }
    return outcome;
}

static pausable int fetch_one(struct fetch *f, struct job *j)
{
    enum outcome outcome = attempts(f, j);
    j->state = outcome == GOT ? JOB_GOT : JOB_FAILED;
    if (outcome == GOT)
        progress_say(f, j, "%lld bytes", (long long)j->have);
    else if (outcome != CANCELLED)
        progress_say(f, j, "FAILED: %s", j->why);
    if (outcome != GOT && j->begun) {
        co4_shield_begin(); /* a call of a cancelled task would not begin */
        co4_unlink(j->part);
        co4_shield_end();
    }
    return CO4_OK;
}

/* ---- all files ---- */

static pausable void watch(struct fetch *f, co4_mailbox *signals)
{
    co4_signal s;
    int code = co4_mailbox_receive_until(signals, &s, f->deadline);
    if (!f->scope || (code != CO4_OK && code != CO4_ETIMEDOUT))
        return;
    f->early = code == CO4_OK ? 128 + s.signo : 124;
    co4_scope_cancel(f->scope, 0);
}

static pausable int fetch_all(struct fetch *f)
{
    int err = CO4_OK;
    f->scope = co4_scope_here();
    for (int i = 0; i < f->count && err == CO4_OK; i++)
        err = co4_scope_spawn(f->scope, fetch_one(f, &f->jobs[i]));
    return err;
}

static void stop(co4_task *task)
{
    if (task)
        co4_task_cancel(task, 0);
}

static pausable int run(struct fetch *f)
{
    co4_mailbox *signals;
    int err = co4_signals(&signals, SIGINT, SIGTERM, SIGHUP);
    if (err != CO4_OK)
        return err;
    co4_task *watcher = co4_spawn(watch(f, signals));
    co4_task *bars = f->terminal ? co4_spawn(progress_run(f)) : NULL;
    err = watcher ? co4_scope_run(0, fetch_all(f)) : CO4_ENOMEM;
    f->scope = NULL;
    stop(watcher);
    stop(bars);
    if (watcher)
        co4_join(watcher, NULL);
    if (bars)
        co4_join(bars, NULL);
    progress_end(f);
    co4_signals_destroy(signals);
    return err;
}

/* ---- names of files ---- */

static bool collides(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b), both = n < m ? n : m;
    const char *rest = n < m ? b + n : a + m;
    return strncmp(a, b, both) == 0 && (*rest == '\0' || strcmp(rest, ".part") == 0);
}

static bool is_taken(const struct fetch *f, const struct job *j, const char *path)
{
    for (const struct job *other = f->jobs; other < j; other++)
        if (collides(path, other->path))
            return true;
    return false;
}

/* The last part of the address; with a number if another file has it. */
static bool name_job(struct fetch *f, struct job *j)
{
    const char *target = strstr(j->text, "//") + 2;
    target += strcspn(target, "/?#");
    int end = (int)strcspn(target, "?#"), start = end;
    while (start > 0 && target[start - 1] != '/')
        start--;
    int size = end - start < NAME_MAX_BYTES ? end - start : NAME_MAX_BYTES;
    const char *name = target + start;
    if (size == 0 || strspn(name, ".") >= (size_t)size)
        name = "index.html", size = 10;
    bool made = asprintf(&j->path, "%s/%.*s", f->folder, size, name) >= 0;
    for (int i = 2; made && is_taken(f, j, j->path); i++) {
        free(j->path);
        made = asprintf(&j->path, "%s/%.*s.%d", f->folder, size, name, i) >= 0;
    }
    if (!made)
        j->path = NULL;
    else if (asprintf(&j->part, "%s.part", j->path) < 0)
        j->part = NULL;
    return j->part;
}

/* Returns 0, or the exit status after it has said why. */
static int make_jobs(struct fetch *f, char **texts)
{
    f->jobs = calloc((size_t)f->count, sizeof *f->jobs);
    for (int i = 0; i < f->count; i++) {
        if (!f->jobs)
            return fprintf(stderr, "fetch: out of memory\n"), 1;
        struct job *j = &f->jobs[i];
        j->text = texts[i];
        j->total = -1;
        if (co4_http_url_check(j->text) != CO4_OK)
            return fprintf(stderr, "fetch: no address of http or https: %s\n", j->text), 2;
        if (!name_job(f, j))
            return fprintf(stderr, "fetch: out of memory\n"), 1;
    }
    return 0;
}

static void drop(struct fetch *f)
{
    for (int i = 0; f->jobs && i < f->count; i++) {
        free(f->jobs[i].path);
        free(f->jobs[i].part);
    }
    free(f->jobs);
}

/* ---- the program ---- */

/* Returns CO4_OK, or a code after it has said why. */
static int begin(struct fetch *f)
{
    int err = co4_tls_client(&f->options.tls, &(co4_tls_options){ .ca_file = f->ca_file });
    if (err != CO4_OK)
        return fprintf(stderr, "fetch: %s\n", co4_tls_error_text()), err;
    err = co4_http_client_create(&f->client, &f->options);
    if (err != CO4_OK)
        fprintf(stderr, "fetch: %s\n", co4_strerror(err));
    return err;
}

static void end(struct fetch *f)
{
    co4_http_client_destroy(f->client);
    co4_tls_config_release(f->options.tls);
}

static int fetch_jobs(struct fetch *f)
{
    int missing = 0;
    int err = begin(f);
    if (err == CO4_OK)
        err = co4_run(run(f));
    end(f);
    if (f->early) {
        fprintf(stderr, "fetch: %s\n", f->early == 124 ? "the time is over" : "interrupted");
        return f->early;
    }
    if (err != CO4_OK)
        return fprintf(stderr, "fetch: %s\n", co4_strerror(err)), 1;
    for (int i = 0; i < f->count; i++)
        missing += f->jobs[i].state != JOB_GOT;
    return missing > 0;
}

/* Reads the value of an option. Returns false after it has said what the value has to be. */
static bool read_number(const char *option, const char *text, double least, double most,
                        double *out)
{
    char *end;
    *out = strtod(text, &end);
    if (text[0] >= '0' && text[0] <= '9' && *end == '\0' && *out >= least && *out <= most)
        return true;
    fprintf(stderr, "fetch: %s: a number from %g to %g, not '%s'\n", option, least, most, text);
    return false;
}

/* Without a fraction. */
static bool read_count(const char *option, const char *text, int least, int most, int *out)
{
    double n;
    if (!read_number(option, text, least, most, &n))
        return false;
    *out = (int)n;
    if (text[strspn(text, "0123456789")] == '\0')
        return true;
    fprintf(stderr, "fetch: %s: a whole number, not '%s'\n", option, text);
    return false;
}

static bool read_option(struct fetch *f, const char *name, const char *value)
{
    double seconds;
    int n;
    if (strcmp(name, "-o") == 0)
        f->folder = value;
    else if (strcmp(name, "--ca") == 0)
        f->ca_file = value;
    else if (strcmp(name, "-j") == 0 && read_count(name, value, 1, 10000, &n))
        f->options.at_once = n;
    else if (strcmp(name, "--per-host") == 0 && read_count(name, value, 1, 10000, &n))
        f->options.per_server = n;
    else if (strcmp(name, "--retries") == 0 && read_count(name, value, 0, 1000, &n))
        f->policy.attempts = n + 1;
    else if (strcmp(name, "--timeout") == 0 && read_number(name, value, 0.001, 1e6, &seconds))
        f->options.limits.progress = (int64_t)(seconds * 1e9);
    else if (strcmp(name, "--max-time") == 0 && read_number(name, value, 0.001, 1e6, &seconds))
        f->deadline = co4_now() + (int64_t)(seconds * 1e9);
    else
        return false;
    return true;
}

static int usage(void)
{
    fprintf(stderr, "usage: fetch [-j N] [--per-host N] [--retries N] [--timeout S] "
                    "[--max-time S] [--ca FILE] [-o DIR] URL...\n");
    return 2;
}

int main(int argc, char **argv)
{
    struct fetch f = {
        .policy = { .attempts = 5,
                    .backoff = CO4_BACKOFF_EXPONENTIAL,
                    .delay = 200 * CO4_MS,
                    .most = 10 * CO4_SEC,
                    .jitter = CO4_JITTER_EQUAL },
        .options = { .at_once = 8, .per_server = 4, .limits = { .progress = 30 * CO4_SEC } },
        .deadline = CO4_NEVER,
        .folder = ".",
        .terminal = isatty(STDOUT_FILENO)
    };
    int i = 1;
    for (; i + 1 < argc && argv[i][0] == '-'; i += 2)
        if (!read_option(&f, argv[i], argv[i + 1]))
            return usage();
    if (i >= argc || argv[i][0] == '-')
        return usage();
    signal(SIGXFSZ, SIG_IGN); /* a limit on files is a full disk */
    f.count = argc - i;
    int status = make_jobs(&f, argv + i);
    if (status == 0)
        status = fetch_jobs(&f);
    drop(&f);
    return status;
}
