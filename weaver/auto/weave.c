/* weave.c - --auto: weaves what pauses of a program.
 *
 * Purpose: the graph of the program says what should pause. What cannot be woven stays plain, which
 * changes the graph; so this is done in rounds, and each round weaves the units whose plans have
 * changed. A round refuses at least one more function, or it is the last one. Compilers take ten
 * times as long as the weaver, so they run after the last round.
 *
 * The link weaves by commands like those of a user, `co4weave --auto-plan=… --auto-text=… cc -c …`,
 * as many at a time as there are processors. What they make is kept for later links (cache.c),
 * messages included; they are printed in the order of the units. */
#define _GNU_SOURCE /* environ */
#include "auto/weave.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bug.h"
#include "command/complain.h"
#include "command/process.h"

/* A weaving that runs. */
typedef struct job {
    pid_t child; /* 0: none */
    cw_part *part;
    const char *object, *left, *said; /* files */
    char key[65];                     /* "": it is not kept */
} job;

typedef struct weaving {
    const cw_settings *settings;
    cw_temp *temp;
    cw_cache cache;
    job *jobs;
    size_t njobs, running;
} weaving;

/* ---- one part -------------------------------------------------------------------------------- */

/* The command that weaves or compiles a part. The files of ours are left out if `job` is NULL. */
static void put_command(const weaving *w, const cw_part *p, const char *plan, const char *text,
                        const job *job, cw_argv *words)
{
    static const char *const lists[] = { "--entry=", "--tables=" };
    cw_argv_add(words, "/proc/self/exe");
    if (job != NULL) {
        cw_argv_add2(words, "--auto-plan=", plan);
        cw_argv_add2(words, "--auto-text=", text);
        cw_argv_add2(words, "--auto-left=", job->left);
        if (p->text != NULL)
            cw_argv_add2(words, "--auto-woven=", p->text);
    }
    if (w->settings->options.auto_report)
        cw_argv_add(words, "--auto-report");
    if (w->settings->options.report)
        cw_argv_add(words, w->settings->options.report_json ? "--report=json" : "--report");
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        cw_argv_add2(words, lists[i], cw_settings_word(w->settings, lists[i]));
    if (w->settings->options.auto_yields)
        cw_argv_add(words, "--auto-yields");
    if (w->settings->races)
        cw_argv_add(words, "--races");
    if (w->settings->options.force_pauses)
        cw_argv_add(words, "--force-pauses");
    for (size_t i = 0; i < CW_NWARNINGS; i++)
        if (w->settings->warnings.off[i])
            cw_argv_add2(words, "-Wno-co4-", cw_warning_names[i]);
        else if (w->settings->warnings.error[i])
            cw_argv_add2(words, "-Werror=co4-", cw_warning_names[i]);
    for (size_t i = 0; i < p->record.words.count; i++) {
        const char *word = p->record.words.items[i];
        cw_argv_add(words, strcmp(word, CW_AUTO_OUTPUT) == 0 && job != NULL ? job->object : word);
    }
}

/* Words of a command that reads or writes more files than its source and its object. */
static bool has_more_files(const cw_auto_record *record)
{
    static const char words[] =
        "@ -fplugin -fprofile -fauto-profile -fcoverage -ftest-coverage --coverage -specs --specs "
        "-gsplit-dwarf -save-temps --save-temps -fdump -wrapper -fpass-plugin -Xclang "
        "-fcallgraph-info -fstack-usage -MD -MMD -MF --config -fsanitize-blacklist "
        "-fsanitize-ignorelist";
    for (size_t i = 0; i < record->words.count; i++)
        if (cw_lists_begin_of(words, record->words.items[i]))
            return true;
    return false;
}

static void add_text(cw_sha256 *key, const char *text, size_t length)
{
    unsigned long long size = length;
    cw_sha256_add(key, &size, sizeof size);
    cw_sha256_add(key, text, length);
}

/* The key of what comes of a part with a plan; "" if it is not known. */
static void find_key(const weaving *w, const cw_part *p, char digits[65])
{
    cw_sha256 key;
    cw_argv words = { 0 };
    digits[0] = '\0';
    /* the compiler, as a file, and its words */
    char *compiler = cw_program_question(p->record.words.items);
    if (compiler != NULL && !has_more_files(&p->record) && cw_cache_key_begin(&w->cache, &key)) {
        put_command(w, p, NULL, NULL, NULL, &words);
        for (size_t i = 0; i < words.count; i++)
            add_text(&key, words.items[i], strlen(words.items[i]));
        add_text(&key, compiler, strlen(compiler));
        add_text(&key, p->record.folder.data, p->record.folder.length);
        add_text(&key, p->record.source.data, p->record.source.length);
        add_text(&key, p->record.text.data, p->record.text.length);
        add_text(&key, p->plan.data, p->plan.length);
        cw_sha256_end(&key, digits);
    }
    cw_argv_free(&words);
    free(compiler);
}

/* Starts the command in a folder. Its messages go to a file. */
static pid_t job_start(const cw_argv *words, const char *folder, const char *said)
{
    pid_t child = fork();
    if (child != 0)
        return child;
    int fd = open(said, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || dup2(fd, STDERR_FILENO) < 0)
        _exit(CW_EXIT_REFUSED);
    if (chdir(folder) != 0) {
        cw_complain("cannot enter '%s', in which a source was compiled: %s", folder,
                    strerror(errno));
        _exit(CW_EXIT_REFUSED);
    }
    execvp(words->items[0], words->items);
    cw_complain("cannot run '%s': %s", words->items[0], strerror(errno));
    _exit(CW_EXIT_REFUSED);
}

static bool part_begin(weaving *w, cw_part *p, const char *key)
{
    cw_argv words = { 0 };
    job *j = w->jobs;
    while (j->child != 0)
        j++;
    const char *plan = cw_temp_file(w->temp, "plan", p->plan.data, p->plan.length);
    const char *text = cw_temp_file(w->temp, "text.i", p->record.text.data, p->record.text.length);
    j->object = cw_temp_file(w->temp, "woven.o", "", 0);
    j->left = cw_temp_file(w->temp, "left", "", 0);
    j->said = cw_temp_file(w->temp, "said", "", 0);
    if (plan == NULL || text == NULL || j->object == NULL || j->left == NULL || j->said == NULL)
        return false;
    j->part = p;
    memcpy(j->key, key, sizeof j->key);
    put_command(w, p, plan, text, j, &words);
    j->child = job_start(&words, p->record.folder.data, j->said);
    cw_argv_free(&words);
    if (j->child < 0) {
        cw_complain("cannot start a process: %s", strerror(errno));
        j->child = 0;
        return false;
    }
    w->running++;
    return true;
}

/* Waits for one of them. A shell that became this process may have left it other children. NULL
 * after a message. */
static job *wait_for_one(const weaving *w, int *status)
{
    for (;;) {
        pid_t child = wait(status);
        for (size_t i = 0; child > 0 && i < w->njobs; i++)
            if (w->jobs[i].child == child)
                return &w->jobs[i];
        if (child < 0 && errno != EINTR) {
            cw_complain("cannot wait for a process: %s", strerror(errno));
            return NULL;
        }
    }
}

/* Waits for one of them, and takes what it has made. Returns whether it has succeeded. */
static bool end_one(weaving *w)
{
    int status;
    job *j = wait_for_one(w, &status);
    if (j == NULL) {
        w->running = 0;
        return false;
    }
    bool ok = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (WIFSIGNALED(status))
        cw_complain("the process that wove '%s' was ended by signal %d",
                    j->part->record.source.data, WTERMSIG(status));
    cw_kept *woven = &j->part->woven;
    w->running--;
    j->child = 0;
    cw_buf_free(&woven->object);
    cw_buf_free(&woven->left);
    ok = cw_file_read(j->said, &woven->said) && ok; /* after what the weaver has said */
    ok = ok && cw_file_read(j->object, &woven->object) && cw_file_read(j->left, &woven->left);
    if (ok && j->key[0] != '\0')
        cw_cache_keep(&w->cache, j->key, woven);
    unlink(j->object); /* it is in memory */
    return ok;
}

/* ---- the program ----------------------------------------------------------------------------- */

/* Starts the command for a part, when a processor is free. */
static bool begin_next(weaving *w, cw_part *p, const char *key)
{
    return (w->running < w->njobs || end_one(w)) && part_begin(w, p, key);
}

static bool end_all(weaving *w)
{
    bool ok = true;
    while (w->running > 0)
        ok = end_one(w) && ok;
    return ok;
}

static void forget_text(cw_part *p)
{
    if (p->text != NULL)
        unlink(p->text);
    p->text = NULL;
}

/* Weaves a part if its plan has changed. Nothing is compiled. */
static bool weave_part(weaving *w, cw_program *program, size_t index, cw_part *p)
{
    cw_buf plan = { 0 };
    char key[65];
    bool pauses = cw_program_plan(program, index, &plan);
    p->fresh = false;
    if (pauses && p->plan.data != NULL && plan.data != NULL &&
        strcmp(p->plan.data, plan.data) == 0) {
        cw_buf_free(&plan);
        return true;
    }
    cw_buf_free(&p->plan);
    cw_kept_free(&p->woven);
    forget_text(p);
    p->plan = plan;
    if (!pauses) {
        cw_buf_free(&p->plan);
        return true;
    }
    p->fresh = true;
    cw_puts(&p->plan, ""); /* not NULL: an entry point may need no line */
    find_key(w, p, key);
    if (key[0] != '\0' && cw_cache_find(&w->cache, key, &p->woven))
        return true;
    p->text = cw_temp_file(w->temp, "woven.c", "", 0);
    return p->text != NULL && begin_next(w, p, key);
}

/* Compiles a part that has no object yet. Its text is there, unless an earlier link has woven it
 * without a need for the object, or nothing in it was to weave: then the command does both. */
static bool compile_part(weaving *w, cw_part *p)
{
    char key[65];
    struct stat text;
    if (p->plan.data == NULL || p->woven.object.length > 0)
        return true;
    if (p->text == NULL || stat(p->text, &text) != 0 || text.st_size == 0) {
        forget_text(p);
        cw_buf_free(&p->woven.said);
    }
    find_key(w, p, key);
    return begin_next(w, p, key);
}

/* Tells the program which functions a part could not weave. Returns whether there are any. */
static bool take_refusals(cw_program *program, size_t index, const cw_buf *left)
{
    bool any = false;
    char *text = left->length > 0 ? strdup(left->data) : NULL;
    for (char *at = text, *next; at != NULL && *at != '\0'; at = next) {
        char *end = strchr(at, '\n'), *why = strchr(at, ' ');
        if (end == NULL || why == NULL)
            break;
        *end = *why = '\0';
        next = end + 1;
        cw_program_refuse(program, index, at, why + 1);
        any = true;
    }
    free(text);
    return any;
}

bool cw_auto_weave(const cw_settings *settings, cw_temp *temp, cw_program *program,
                   const cw_plan *roots, cw_part *parts, size_t nparts)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    weaving w = { .settings = settings, .temp = temp };
    w.njobs = processors > 0 ? (size_t)processors : 1;
    w.jobs = cw_must(calloc(w.njobs, sizeof *w.jobs));
    cw_cache_open(&w.cache, settings->auto_cache, settings->auto_cache_size);
    bool ok, again;
    do {
        again = false;
        cw_program_solve(program, roots, settings->kept_plain.items, settings->kept_plain.count);
        ok = true;
        for (size_t i = 0; ok && i < nparts; i++)
            ok = weave_part(&w, program, i, &parts[i]);
        ok = end_all(&w) && ok;
        for (size_t i = 0; ok && i < nparts; i++)
            if (parts[i].fresh && take_refusals(program, i, &parts[i].woven.left))
                again = true;
    } while (again);
    for (size_t i = 0; ok && i < nparts; i++)
        ok = compile_part(&w, &parts[i]);
    ok = end_all(&w) && ok;
    for (size_t i = 0; i < nparts; i++)
        if (parts[i].woven.said.length > 0)
            fputs(parts[i].woven.said.data, stderr);
    cw_cache_close(&w.cache);
    free(w.jobs);
    return ok;
}

void cw_part_free(cw_part *part)
{
    cw_auto_record_free(&part->record);
    cw_buf_free(&part->plan);
    cw_kept_free(&part->woven);
}
