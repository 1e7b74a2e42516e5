/* profile.c - reads the profile that -fprofile-use names: gcc's .gcda, or clang's .profdata.
 *
 * Purpose: the weaver gives two bodies to functions that are hot, and one to others. Counters are
 * those of woven functions, of a program built with -fprofile-generate, in which all have two
 * bodies. So a hot function is the same code in both builds, and its counters match.
 *
 * gcc: the format that its own sources describe, of releases 9 and later. It has no names: a
 * function is the checksum of its line, its file and its name. The file is where gcc looks for it:
 * named after the output, beside it or in the folder that the option names.
 *
 * clang: llvm-profdata prints the counters. It is the one of the compiler's own installation.
 *
 * Rejected: gcov, which wants the .gcno files of -ftest-coverage. */
#include "driver/profile.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "driver/argv.h"
#include "driver/command.h"
#include "driver/files.h"
#include "driver/process.h"

/* ---- the command ---------------------------------------------------------------------------- */

typedef struct wish {
    bool makes, uses;
    const char *path; /* a folder or a file; NULL: none is named */
} wish;

/* Is the word this option, with or without a value? */
static bool is_option(const char *word, const char *option, const char **value)
{
    size_t length = strlen(option);
    if (strncmp(word, option, length) != 0 || (word[length] != '\0' && word[length] != '='))
        return false;
    *value = word[length] == '=' && word[length + 1] != '\0' ? word + length + 1 : NULL;
    return true;
}

static wish wish_of(const cw_command *command)
{
    wish w = { 0 };
    for (size_t i = 0; i < command->nargs; i++) {
        const char *word = command->args[i].word, *value = NULL;
        if (is_option(word, "-fprofile-use", &value) ||
            is_option(word, "-fprofile-instr-use", &value)) {
            w.uses = true;
            w.path = value != NULL ? value : w.path;
        } else if (is_option(word, "-fprofile-dir", &value)) {
            w.path = value;
        } else if (is_option(word, "-fprofile-generate", &value) ||
                   is_option(word, "-fprofile-instr-generate", &value)) {
            w.makes = true;
        } else if (strcmp(word, "-fno-profile-use") == 0 ||
                   strcmp(word, "-fno-profile-instr-use") == 0) {
            w.uses = false;
        }
    }
    return w;
}

static void drop_suffix(char *path)
{
    char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    if (dot != NULL && dot > path && (slash == NULL || dot > slash + 1))
        *dot = '\0';
}

/* The name that gcc gives to what belongs to an output, without a suffix. */
static char *auxiliary_name(const cw_command *command, const char *source)
{
    cw_buf name = { 0 };
    char *stem = cw_stem(source);
    if (command->stage == CW_STAGE_LINK) {
        char *output = strdup(command->output != NULL ? command->output : "a");
        if (output != NULL)
            drop_suffix(output);
        cw_printf(&name, "%s-%s", output != NULL ? output : "", stem);
        free(output);
    } else if (command->output != NULL) {
        cw_puts(&name, command->output);
        drop_suffix(name.data);
    } else {
        cw_puts(&name, stem);
    }
    free(stem);
    return name.data;
}

/* ---- gcc ------------------------------------------------------------------------------------ */

enum {
    FUNCTION = 0x01000000,
    ARCS = 0x01a10000,
    OBJECT_SUMMARY = (int)0xa1000000,
    FIRST_WITH_SUMMARY = 9,   /* releases */
    FIRST_WITH_CHECKSUM = 12, /* and with lengths in bytes */
};

typedef struct words {
    const char *at, *end;
} words;

static bool take(words *w, uint32_t *word)
{
    if ((size_t)(w->end - w->at) < sizeof *word)
        return false;
    memcpy(word, w->at, sizeof *word);
    w->at += sizeof *word;
    return true;
}

static bool take_counter(words *w, uint64_t *counter)
{
    uint32_t low = 0, high = 0;
    bool ok = take(w, &low) && take(w, &high);
    *counter = (uint64_t)high << 32 | low;
    return ok;
}

/* The release of gcc in a version word, as `B22*` for 12.2; 0: none. */
static unsigned release_of(uint32_t version)
{
    unsigned tens = (version >> 24) - 'A', ones = (version >> 16 & 0xff) - '0';
    return tens < 26 && ones < 10 ? tens * 10 + ones : 0;
}

/* The greatest counter of a record. A negative length is that of zeros that the file leaves out. */
static bool greatest_counter(words *w, int32_t bytes, uint64_t *greatest)
{
    for (int32_t i = 0; i < bytes / 8; i++) {
        uint64_t counter = 0;
        if (!take_counter(w, &counter))
            return false;
        *greatest = counter > *greatest ? counter : *greatest;
    }
    return true;
}

/* Returns false if the file is not one that is understood. */
static bool read_gcda(const cw_buf *file, cw_buf *text)
{
    static const uint32_t magic = 0x67636461;
    words w = { file->data, file->data + file->length };
    uint32_t word = 0, version = 0, tag = 0, length = 0, checksum = 0, greatest = 0;
    if (!take(&w, &word) || word != magic || !take(&w, &version) || !take(&w, &word))
        return false;
    unsigned release = release_of(version);
    if (release < FIRST_WITH_SUMMARY || (release >= FIRST_WITH_CHECKSUM && !take(&w, &word)))
        return false;
    while (take(&w, &tag) && tag != 0 && take(&w, &length)) {
        int32_t bytes = (int32_t)length * (release >= FIRST_WITH_CHECKSUM ? 1 : 4);
        words record = { w.at, w.end };
        if (bytes > w.end - w.at)
            return false;
        w.at += bytes > 0 ? bytes : 0;
        if (tag == (uint32_t)OBJECT_SUMMARY && take(&record, &word) && take(&record, &greatest)) {
            cw_printf(text, "max %lu\n", (unsigned long)greatest);
        } else if (tag == FUNCTION && bytes > 0) {
            if (!take(&record, &word) || !take(&record, &checksum))
                return false;
        } else if (tag == ARCS) {
            uint64_t most = 0;
            if (!greatest_counter(&record, bytes, &most))
                return false;
            cw_printf(text, "#%lx %llu\n", (unsigned long)checksum, (unsigned long long)most);
        }
    }
    return true;
}

/* ---- clang ---------------------------------------------------------------------------------- */

static const char profdata[] = "\377lprofi\201"; /* on a big-endian machine; else backwards */

static bool is_profdata(const cw_buf *file)
{
    enum { LENGTH = sizeof profdata - 1 };
    char backwards[LENGTH];
    for (size_t i = 0; i < LENGTH; i++)
        backwards[i] = profdata[LENGTH - 1 - i];
    return file->length > LENGTH && (memcmp(file->data, profdata, LENGTH) == 0 ||
                                     memcmp(file->data, backwards, LENGTH) == 0);
}

/* The greatest number in a list `Block counts: [1, 2]`, or after `Function count: `. */
static unsigned long long greatest_in(const char *at, const char *end)
{
    unsigned long long greatest = 0;
    while (at < end) {
        char *next = NULL;
        unsigned long long number = strtoull(at, &next, 10);
        greatest = next > at && next <= end && number > greatest ? number : greatest;
        at = next > at ? next : at + 1;
    }
    return greatest;
}

/* Reads what llvm-profdata prints: a function's name ends its line with a colon, and is indented by
 * two. A static one has the file before it. */
static void read_shown(const char *shown, cw_buf *text)
{
    unsigned long long program = 0, most = 0;
    cw_buf functions = { 0 }, name = { 0 };
    for (const char *line = shown, *end; *line != '\0'; line = *end != '\0' ? end + 1 : end) {
        end = line + strcspn(line, "\n");
        const char *count = strstr(line, "count");
        if (end - line > 3 && strncmp(line, "  ", 2) == 0 && line[2] != ' ' && end[-1] == ':') {
            const char *first = end - 1;
            while (first > line + 2 && first[-1] != ':' && first[-1] != ';')
                first--;
            if (name.length > 0)
                cw_printf(&functions, "%s %llu\n", name.data, most);
            cw_buf_free(&name);
            cw_put(&name, first, (size_t)(end - 1 - first));
            most = 0;
        } else if (strncmp(line, "    ", 4) == 0 && count != NULL && count < end) {
            unsigned long long here = greatest_in(count, end);
            most = here > most ? here : most;
        }
        program = most > program ? most : program;
    }
    if (name.length > 0)
        cw_printf(&functions, "%s %llu\n", name.data, most);
    cw_printf(text, "max %llu\n", program);
    cw_put(text, functions.data, functions.length);
    cw_buf_free(&functions);
    cw_buf_free(&name);
}

/* Asks the compiler for its llvm-profdata, and that for the counters. */
static bool read_profdata(const cw_command *command, const char *path, cw_buf *text)
{
    cw_argv ask = { 0 }, show = { 0 };
    cw_buf tool = { 0 }, shown = { 0 }, messages = { 0 };
    for (size_t i = 0; i < command->compiler_words; i++)
        cw_argv_add(&ask, command->words.items[i]);
    cw_argv_add(&ask, "-print-prog-name=llvm-profdata");
    bool ok = cw_run_captured(ask.items, &tool, &messages) == 0 && tool.length > 1 &&
              tool.data[0] == '/';
    if (ok) {
        tool.data[strcspn(tool.data, "\r\n")] = '\0';
        cw_argv_add(&show, tool.data);
        cw_argv_add(&show, "show");
        cw_argv_add(&show, "--all-functions");
        cw_argv_add(&show, "--counts");
        cw_argv_add(&show, path);
        cw_buf_free(&messages);
        ok = cw_run_captured(show.items, &shown, &messages) == 0 && shown.length > 0;
    }
    if (ok)
        read_shown(shown.data, text);
    cw_argv_free(&ask);
    cw_argv_free(&show);
    cw_buf_free(&tool);
    cw_buf_free(&shown);
    cw_buf_free(&messages);
    return ok;
}

/* ---- the file ------------------------------------------------------------------------------- */

static bool is_file(const char *path)
{
    struct stat file;
    return stat(path, &file) == 0 && S_ISREG(file.st_mode);
}

/* Takes a file's name if there is such a file. */
static bool find(cw_buf *path, const char *folder, const char *name, const char *suffix)
{
    cw_buf_free(path);
    cw_printf(path, "%s%s%s%s", folder, *folder != '\0' ? "/" : "", name, suffix);
    return is_file(path->data);
}

/* Finds the profile of a source where a compiler would look for it. */
static bool find_profile(const wish *w, const cw_command *command, const char *source, cw_buf *path)
{
    static const char gcda[] = ".gcda", merged[] = "default.profdata";
    char folder[PATH_MAX];
    const char *in = w->path != NULL ? w->path : "";
    char *name = auxiliary_name(command, source);
    cw_buf whole = { 0 };
    if (w->path != NULL && name[0] != '/' && getcwd(folder, sizeof folder) != NULL)
        cw_printf(&whole, "%s/", folder);
    cw_puts(&whole, name);
    for (char *c = whole.data; w->path != NULL && *c != '\0'; c++)
        *c = *c == '/' ? '#' : *c;
    const char *compiler = command->words.items[command->compiler_words - 1];
    bool clang = strstr(compiler, "clang") != NULL; /* by another name: if there is no .gcda */
    bool found = (w->path != NULL && find(path, "", w->path, "")) ||
                 (clang && find(path, in, merged, "")) || find(path, in, whole.data, gcda) ||
                 find(path, in, merged, "");
    free(name);
    cw_buf_free(&whole);
    return found;
}

char *cw_profile_read(const cw_command *command, const char *source)
{
    wish w = wish_of(command);
    cw_buf path = { 0 }, file = { 0 }, text = { 0 };
    if (w.makes)
        return strdup("");
    if (!w.uses)
        return NULL;
    if (!find_profile(&w, command, source, &path) || !cw_file_read(path.data, &file)) {
        cw_buf_free(&path);
        return strdup("max 0\n");
    }
    bool ok = file.data != NULL && (is_profdata(&file) ? read_profdata(command, path.data, &text)
                                                       : read_gcda(&file, &text));
    if (!ok)
        cw_buf_free(&text);
    cw_buf_free(&path);
    cw_buf_free(&file);
    return text.data != NULL ? text.data : strdup("");
}

/* ---- messages ------------------------------------------------------------------------------- */

typedef enum topic { OTHER, PROFILE, CHANGED, CONTINUED, HEADLINE } topic;

static bool contains(const char *line, size_t length, const char *word)
{
    const char *found = strstr(line, word);
    return found != NULL && found + strlen(word) <= line + length;
}

/* What is the line of a message about? CONTINUED: what the message before it is about. */
static topic topic_of(const char *line, size_t length)
{
    static const char *const options[] = { "missing-profile", "coverage-mismatch",
                                           "coverage-invalid-line-number", "-Wprofile-instr-",
                                           "-Wbackend-plugin" };
    static const char *const woven[] = { "__co4 Hash", "__resume Hash", "__co4/", "__resume/" };
    bool counts = contains(line, length, "Missing counts for called function");
    if (line[0] == ' ' || contains(line, length, "generated.") ||
        contains(line, length, "being treated as errors") || contains(line, length, "note: "))
        return CONTINUED;
    if (contains(line, length, ": In function ") || contains(line, length, ": At top level:"))
        return HEADLINE;
    if (counts || contains(line, length, "hash mismatch"))
        for (size_t i = 0; i < sizeof woven / sizeof *woven; i++)
            if (contains(line, length, woven[i]))
                return CHANGED;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (contains(line, length, options[i]))
            return PROFILE;
    return counts ? PROFILE : OTHER;
}

void cw_profile_messages(cw_buf *said, bool failed, cw_buf *about)
{
    cw_buf rest = { 0 }, changed = { 0 };
    topic before = OTHER;
    const char *line = said->data != NULL ? said->data : "", *headline = NULL;
    for (const char *end; *line != '\0'; line = end) {
        end = line + strcspn(line, "\n");
        topic here = topic_of(line, (size_t)(end - line));
        end += *end == '\n';
        if (here == HEADLINE) {
            headline = line;
            continue;
        }
        here = here == CONTINUED ? before : here;
        cw_buf *to = here == PROFILE ? about : here == CHANGED ? &changed : &rest;
        const char *first = headline != NULL ? headline : line;
        cw_put(to, first, (size_t)(end - first));
        headline = NULL;
        before = here;
    }
    if (headline != NULL)
        cw_puts(&rest, headline);
    if (failed && about->length == 0) /* -Werror: the caller compiles without warnings */
        cw_put(&rest, changed.data, changed.length);
    cw_buf_free(&changed);
    cw_buf_free(said);
    *said = rest;
}
