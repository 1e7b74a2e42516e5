/* source.c - takes one C source through the weaver.
 *
 * The compiler preprocesses, with the flags of the command, and its messages are shown unchanged.
 * If libclang cannot read the text, the compiler checks it, so that the errors shown are those of
 * the build's compiler. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/names.h"
#include "command/complain.h"
#include "command/files.h"
#include "command/home.h"
#include "command/process.h"
#include "driver/weave.h"
#include "text/async_js.h"
#include "text/library.h"
#include "text/text.h"

static void show_text(const cw_buf *text)
{
    if (text->length > 0)
        fwrite(text->data, 1, text->length, stderr);
}

/* It is the output of another preprocessor run, with that run's comments. */
static bool is_preprocessed(const char *source)
{
    return cw_ends(source, ".i");
}

/* The target in the compiler's notation; NULL if it reports none. The caller frees it. */
static char *ask_target(const cw_command *command)
{
    cw_argv ask = { 0 };
    cw_buf out = { 0 }, err = { 0 };
    cw_command_ask_target(command, &ask);
    bool ok = cw_run_words(&ask, &out, &err) == 0 && out.length > 1;
    cw_buf_free(&err);
    if (!ok) {
        cw_buf_free(&out);
        return NULL;
    }
    out.data[strcspn(out.data, "\r\n")] = '\0';
    return out.data;
}

typedef struct job {
    const cw_options *options;
    const cw_buf *text;
    cw_buf *woven;
    cw_outcome outcome;
} job;

static void do_job(void *job_)
{
    job *j = job_;
    j->outcome = cw_weave(j->options, j->text->data, j->text->length, &j->woven->data,
                          &j->woven->length);
}

static cw_outcome weave_text(const cw_settings *settings, const cw_command *command,
                             const char *source, const cw_buf *text, cw_buf *woven)
{
    cw_argv parse_args = { 0 }, prefix_maps = { 0 };
    cw_warnings warnings;
    if (!cw_settings_warnings(settings, command, &warnings))
        return CW_REFUSED;
    bool stdout_is_code = settings->wraps ||
                          (settings->output && strcmp(settings->output, "-") == 0);
    cw_options options = settings->options;
    options.source = source;
    options.preprocessed = !is_preprocessed(source);
    options.regions = cw_command_has_regions(command);
    options.spares_fields = settings->wraps && !cw_command_debugs(command);
    options.color = cw_settings_color(settings, command);
    options.warnings = &warnings;
    options.report_to = stdout_is_code ? stderr : stdout;
    options.messages = stderr;
    options.left_to = settings->auto_left != NULL ? fopen(settings->auto_left, "w") : NULL;
    job j = { &options, text, woven, CW_REFUSED };
    if (!cw_weave_parses(&options, text->data, text->length))
        return CW_NOTHING;
    char *target = ask_target(command);
    options.from_js = target != NULL && cw_starts(target, "wasm");
    cw_command_parse_args(command, target, &parse_args);
    options.parse_args = (const char *const *)parse_args.items;
    options.nparse_args = parse_args.count;
    cw_command_prefix_maps(command, &prefix_maps);
    options.prefix_maps = (const char *const *)prefix_maps.items;
    options.nprefix_maps = prefix_maps.count;
    cw_run_deep(source, do_job, &j);
    if (options.left_to != NULL)
        fclose(options.left_to);
    cw_argv_free(&parse_args);
    cw_argv_free(&prefix_maps);
    free(target);
    return j.outcome;
}

/* The same for text from another preprocessor run. */
static int check_preprocessed(const cw_command *command, const char *source, const cw_buf *text)
{
    cw_temp temp = { 0 };
    cw_argv check = { 0 };
    char *name = cw_named_after(source, ".i");
    int status = CW_EXIT_REFUSED;
    const char *path = cw_temp_file(&temp, name, text->data, text->length);
    if (path != NULL) {
        cw_command_check(command, path, &check);
        status = cw_run_words(&check, NULL, NULL);
    }
    free(name);
    cw_temp_remove(&temp);
    return status;
}

int cw_source_messages(const cw_settings *settings, const cw_command *command, size_t index,
                       cw_buf *messages)
{
    cw_temp temp = { 0 };
    cw_argv words = { 0 };
    int status = CW_EXIT_REFUSED;
    const char *output = cw_temp_file(&temp, "x.s", "", 0);
    if (output != NULL) {
        cw_command_messages(command, index, cw_settings_color(settings, command), output, &words);
        status = cw_run_words(&words, NULL, messages);
    }
    cw_temp_remove(&temp);
    return status;
}

bool cw_source_speak(const cw_settings *settings, const cw_command *command, int *status)
{
    cw_buf messages = { 0 };
    *status = 0;
    for (size_t i = 0; i < command->nsources; i++) {
        int its = cw_source_messages(settings, command, i, &messages);
        *status = *status == 0 ? its : *status;
    }
    show_text(&messages);
    cw_buf_free(&messages);
    return *status == 0;
}

/* The name in quotes that the line of a message has for something unknown, with its length; NULL:
 * it is none of co4's. */
static const char *unknown_name(const char *line, const char *end, size_t *length)
{
    static const char *const words[] = { "unknown type name", "undeclared", "implicit declaration",
                                         "storage size of", "incomplete type" };
    bool about = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *at = strstr(line, words[i]);
        about = about || (at != NULL && at < end);
    }
    const char *guess = strstr(line, "did you mean"); /* what follows is the compiler's own */
    if (guess != NULL && guess < end)
        end = guess;
    for (const char *at = line; about && at < end; at++) /* before it may be a quote of any form */
        if (strncmp(at, "co4_", 4) == 0 || strncmp(at, "CO4_", 4) == 0) {
            *length = 4;
            while ((unsigned char)at[*length] < 0x80 && cw_is_word(at[*length]))
                ++*length;
            return at;
        }
    return NULL;
}

/* After the compiler's errors: which headers of co4 declare what it does not know, each header
 * once. */
static void hint_at_headers(const char *messages, const char *text)
{
    cw_arena arena = { 0 };
    cw_names hinted = { 0 };
    const char *folder = cw_library_folder(&arena, text);
    size_t length;
    for (const char *line = messages, *end; *line != '\0'; line = *end != '\0' ? end + 1 : end) {
        end = line + strcspn(line, "\n");
        const char *at = unknown_name(line, end, &length);
        const char *name = at != NULL ? cw_strndup(&arena, at, length) : NULL;
        if (name == NULL || cw_names_find(&hinted, name, length) != NULL)
            continue;
        cw_names_add(&hinted, name, length);
        const char *header = cw_library_header(&arena, folder, name);
        const char *meant = header == NULL ? cw_library_meant(&arena, folder, name) : NULL;
        if (header != NULL && cw_names_find(&hinted, header, strlen(header)) != NULL)
            continue;
        if (header != NULL)
            cw_names_add(&hinted, header, strlen(header));
        if (header != NULL)
            fprintf(stderr, "co4weave: hint: #include <%s>, which declares '%s'\n", header, name);
        else if (meant != NULL)
            fprintf(stderr, "co4weave: hint: for '%s', do you mean %s?\n", name, meant);
    }
    cw_names_free(&hinted);
    cw_arena_free(&arena);
}

/* Lets the compiler report the errors of the source. Returns its exit status; 0: the file stays
 * unchanged (stress). */
static int explain_refusal(const cw_settings *settings, const cw_command *command, size_t index,
                           const cw_buf *text, const cw_buf *ours)
{
    const char *source = cw_command_source(command, index)->value;
    cw_buf messages = { 0 };
    int status = is_preprocessed(source) || !cw_command_rereads(command)
                     ? check_preprocessed(command, source, text)
                     : cw_source_messages(settings, command, index, &messages);
    if (status != 0) {
        show_text(&messages);
        if (messages.data != NULL)
            hint_at_headers(messages.data, text->data);
    }
    cw_buf_free(&messages);
    if (status == 0 && cw_weaves_unmarked(&settings->options)) {
        fprintf(stderr, "co4weave: %s: left plain, for libclang cannot read it\n", source);
        return CW_EXIT_DONE;
    }
    if (status == 0) {
        show_text(ours);
        cw_complain("'%s': the compiler accepts this source, but co4weave cannot read it", source);
    }
    return status > 0 ? status : CW_EXIT_REFUSED;
}

/* If the text, which includes none of co4's headers, has the mark as a word that the compiler does
 * not know, says so before the compiler does. */
static void hint_at_mark(const cw_settings *settings, const cw_command *command, size_t index,
                         const char *text)
{
    static const char mark[] = "pausable";
    cw_buf messages = { 0 };
    bool has_mark = false;
    for (const char *at = text; !has_mark && (at = strstr(at, mark)) != NULL; at += sizeof mark - 1)
        has_mark = (at == text || !cw_is_word(at[-1])) && !cw_is_word(at[sizeof mark - 1]);
    if (has_mark && !settings->options.quiet && cw_command_rereads(command) &&
        cw_source_messages(settings, command, index, &messages) != 0)
        fputs("co4weave: hint: #include <co4.h>, which declares 'pausable'\n", stderr);
    cw_buf_free(&messages);
}

/* Returns false if the compiler failed, after its messages. */
static bool preprocess_source(const cw_settings *settings, const cw_command *command, size_t index,
                              cw_buf *text, cw_buf *messages, int *status)
{
    const char *source = cw_command_source(command, index)->value;
    bool adds = cw_weaves_unmarked(&settings->options) || settings->infer;
    char *header = adds ? cw_home_file("include", cw_weaves_unmarked(&settings->options)
                                                      ? "co4/abi.h"
                                                      : "co4/mark.h")
                        : NULL;
    if (adds && header == NULL)
        return false;
    if (is_preprocessed(source) || settings->auto_text != NULL) {
        free(header);
        return cw_file_read(settings->auto_text != NULL ? settings->auto_text : source, text);
    }
    cw_argv words = { 0 };
    cw_command_preprocess(command, index, cw_settings_color(settings, command), &words);
    if (settings->infer)
        cw_argv_add(&words, "-dI"); /* keeps the directives: cw_take_includes() reads them */
    if (header != NULL) {
        /* the program may not include it: it does not use co4 yet */
        cw_argv_add_all(&words, "-include", header, CW_ARGV_END);
    }
    *status = cw_run_words(&words, text, messages);
    free(header);
    if (*status == 0 && cw_weaves_unmarked(&settings->options))
        cw_settle_async_js(text);
    return *status == 0;
}

bool cw_source_may_have_marks(const cw_buf *text)
{
    return text->data != NULL && strstr(text->data, "co4_pausable") != NULL;
}

void cw_woven_free(cw_woven *woven)
{
    cw_buf_free(&woven->text);
    cw_buf_free(&woven->before);
    cw_buf_free(&woven->messages);
}

void cw_source_weave(const cw_settings *settings, const cw_command *command, size_t index,
                     cw_woven *result)
{
    const char *source = cw_command_source(command, index)->value;
    cw_buf text = { 0 }, messages = { 0 };
    *result = (cw_woven){ .outcome = CW_REFUSED, .status = CW_EXIT_REFUSED };

    if (!preprocess_source(settings, command, index, &text, &messages, &result->status)) {
        /* a warning that is an error here is not all that the compiler has to say */
        cw_buf all = { 0 };
        bool more = !settings->options.quiet && result->status > 0 && cw_command_rereads(command) &&
                    cw_source_messages(settings, command, index, &all) > 0;
        if (!settings->options.quiet)
            show_text(more ? &all : &messages);
        cw_buf_free(&all);
        if (result->status <= 0)
            result->status = CW_EXIT_REFUSED;
    } else if (text.length == 0 ||
               (strstr(text.data, "co4_") == NULL && !cw_weaves_unmarked(&settings->options) &&
                (settings->options.infer == NULL ||
                 (settings->options.infer->count == 0 && !settings->options.infer->collecting)))) {
        result->outcome = CW_NOTHING;
        if (text.length > 0)
            hint_at_mark(settings, command, index, text.data);
    } else {
        result->outcome = weave_text(settings, command, source, &text, &result->text);
        result->status = result->outcome == CW_REFUSED ? CW_EXIT_REFUSED : CW_EXIT_DONE;
        if (settings->options.quiet) {
            /* a later round will report it */
        } else if (result->outcome == CW_UNPARSABLE) {
            result->status = explain_refusal(settings, command, index, &text, &result->text);
            if (result->status == CW_EXIT_DONE)
                result->outcome = CW_NOTHING;
        } else if (result->outcome == CW_WOVEN) {
            result->messages = messages; /* the compiler's own run may repeat them */
            messages = (cw_buf){ 0 };
        } else if (result->outcome != CW_NOTHING) {
            show_text(&messages);
        }
    }
    if (settings->options.summary) {
        result->before = text;
        text = (cw_buf){ 0 };
    }
    cw_buf_free(&text);
    cw_buf_free(&messages);
}
