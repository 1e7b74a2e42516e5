/* includes.c - decides by the files that a source names whether it can have marks.
 *
 * Purpose: `co4weave cc` stands before the commands of whole builds, most of whose sources know
 * nothing of co4. A preprocessor costs up to half of the compilation of a small one. A mark comes
 * from a file that spells its attribute (co4/mark.h, or a copy under any name). So this file looks
 * for that word in the source, and in all files that it may include. If one has it, mentions.c asks
 * whether any uses what is marked.
 *
 * Invariants: errs in one direction only. Conditions are not evaluated: all #include lines count,
 * also those in comments. All folders count, not the first that has the file. Whatever is not
 * understood is left to the preprocessor: other options, a macro as a file's name, spellings by
 * trigraphs or digraphs, `##` in a file that has a part of a mark, precompiled headers, a compiler
 * that is a script. A header that is in no folder of the command must be one of the C
 * implementation's own, by its name; others may be anything.
 *
 * Rejected: the compiler's own list of folders. To ask for it takes as long as to preprocess. */
#define _GNU_SOURCE /* memmem */
#include "driver/includes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/names.h"
#include "base/regular.h"
#include "driver/argv.h"
#include "driver/command.h"
#include "driver/mentions.h"
#include "driver/process.h"
#include "text/spell.h"

static const char mark[] = "co4_pausable";

/* Headers of the C implementation: of ISO C, POSIX, Linux and the compilers. */
static const char *const own_headers[] = {
    "aio.h",          "alloca.h",      "arpa/inet.h",    "assert.h",      "byteswap.h",
    "complex.h",      "cpuid.h",       "ctype.h",        "dirent.h",      "dlfcn.h",
    "elf.h",          "endian.h",      "err.h",          "errno.h",       "execinfo.h",
    "fcntl.h",        "features.h",    "fenv.h",         "float.h",       "fnmatch.h",
    "getopt.h",       "glob.h",        "grp.h",          "ifaddrs.h",     "immintrin.h",
    "inttypes.h",     "iso646.h",      "langinfo.h",     "libgen.h",      "limits.h",
    "link.h",         "linux/futex.h", "locale.h",       "malloc.h",      "math.h",
    "memory.h",       "net/if.h",      "netdb.h",        "netinet/in.h",  "netinet/tcp.h",
    "poll.h",         "pthread.h",     "pwd.h",          "regex.h",       "sched.h",
    "search.h",       "semaphore.h",   "setjmp.h",       "signal.h",      "spawn.h",
    "stdalign.h",     "stdarg.h",      "stdatomic.h",    "stdbool.h",     "stddef.h",
    "stdint.h",       "stdio.h",       "stdlib.h",       "stdnoreturn.h", "string.h",
    "strings.h",      "sys/epoll.h",   "sys/eventfd.h",  "sys/file.h",    "sys/inotify.h",
    "sys/ioctl.h",    "sys/ipc.h",     "sys/mman.h",     "sys/msg.h",     "sys/param.h",
    "sys/prctl.h",    "sys/random.h",  "sys/resource.h", "sys/select.h",  "sys/sem.h",
    "sys/sendfile.h", "sys/shm.h",     "sys/signalfd.h", "sys/socket.h",  "sys/stat.h",
    "sys/statvfs.h",  "sys/syscall.h", "sys/sysinfo.h",  "sys/time.h",    "sys/timerfd.h",
    "sys/times.h",    "sys/types.h",   "sys/uio.h",      "sys/un.h",      "sys/utsname.h",
    "sys/wait.h",     "syslog.h",      "termios.h",      "tgmath.h",      "threads.h",
    "time.h",         "uchar.h",       "ucontext.h",     "unistd.h",      "utime.h",
    "wchar.h",        "wctype.h",      "x86intrin.h",
};

typedef struct scan {
    cw_argv folders;   /* of the command, for both forms of #include */
    cw_argv quotes;    /* for "file" alone */
    cw_argv files;     /* read, or to be read */
    cw_argv defines;   /* of the command */
    cw_argv asked;     /* what has been searched: a name and, of the form with quotes, a folder */
    cw_names searched; /* the same */
    cw_buf *texts;     /* of the files */
    size_t ntexts;
    bool marked; /* a file spells the mark */
    bool pasted; /* one may paste it */
} scan;

/* ---- the command ---------------------------------------------------------------------------- */

static bool starts(const char *word, const char *prefix)
{
    return strncmp(word, prefix, strlen(prefix)) == 0;
}

static bool begins_with_one_of(const char *word, const char *const *prefixes)
{
    for (; *prefixes != NULL; prefixes++)
        if (starts(word, *prefixes))
            return true;
    return false;
}

/* Can a plain option neither name files to read nor change how they are read? */
static bool is_harmless(const char *word)
{
    static const char *const other[] = { "-fplugin",      "-fms",   "-fmodule",  "-fpch",
                                         "-finput",       "-fexec", "-fcxx",     "-fimplicit",
                                         "-ftraditional", "-fpre",  "-finclude", "-Wp,",
                                         "-gcc",          NULL };
    static const char *const plain[] = { "-O",    "-W",        "-f",       "-m",    "-g",  "-std=",
                                         "-ansi", "-pedantic", "-pthread", "-pipe", "-pg", NULL };
    return strcmp(word, "-w") == 0 ||
           (!begins_with_one_of(word, other) && begins_with_one_of(word, plain));
}

/* Is it one of the folders that compilers search by default, or might it be? They leave such a
 * folder where it is in their own list, which is not known here. */
static bool is_default_folder(const char *folder)
{
    char *real = realpath(folder, NULL);
    const char *name = real != NULL ? strrchr(real, '/') : NULL;
    bool is_default = name != NULL && starts(real, "/usr/") &&
                      (strcmp(name, "/include") == 0 || strstr(name, "-linux-") != NULL);
    free(real);
    return is_default;
}

/* Takes the folders of a preprocessor's option. Returns false if it means anything else that may
 * matter. */
static bool take_preprocess(scan *s, const cw_arg *arg)
{
    static const char *const folders[] = { "-I", "-isystem", "-iquote", NULL };
    if (arg->value == NULL || strstr(arg->value, "pausable") != NULL ||
        strstr(arg->value, "annotate") != NULL)
        return false;
    if (starts(arg->word, "-D"))
        cw_argv_add(&s->defines, arg->value);
    if (starts(arg->word, "-D") || starts(arg->word, "-U"))
        return true;
    if (starts(arg->word, "-isystem-after") || !begins_with_one_of(arg->word, folders) ||
        arg->value[0] == '=' || arg->value[0] == '\0' || strcmp(arg->value, "-") == 0 ||
        starts(arg->value, "$SYSROOT") || is_default_folder(arg->value))
        return false;
    cw_argv_add(starts(arg->word, "-iquote") ? &s->quotes : &s->folders, arg->value);
    return true;
}

static bool take_command(scan *s, const cw_command *command)
{
    static const char *const variables[] = { "CPATH", "C_INCLUDE_PATH", "CCC_OVERRIDE_OPTIONS",
                                             "GCC_EXEC_PREFIX", "COMPILER_PATH" };
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        if (getenv(variables[i]) != NULL)
            return false;
    for (size_t i = 0; i < command->nargs; i++) {
        const cw_arg *arg = &command->args[i];
        switch (arg->kind) {
        case CW_ARG_PLAIN:
            if (arg->next != NULL || !is_harmless(arg->word))
                return false;
            break;
        case CW_ARG_PREPROCESS:
            if (!take_preprocess(s, arg))
                return false;
            break;
        case CW_ARG_LANGUAGE:
        case CW_ARG_COMMENTS:
            return false;
        default:
            break;
        }
    }
    return true;
}

/* Is the compiler a program, which adds nothing to its words, rather than a script? */
static bool is_program(const cw_command *command)
{
    char *const words[] = { command->words.items[command->compiler_words - 1], NULL };
    char *question = cw_program_question(words);
    bool known = question != NULL;
    free(question);
    return known;
}

/* ---- files ---------------------------------------------------------------------------------- */

static void add_file(scan *s, const char *path)
{
    for (size_t i = 0; i < s->files.count; i++)
        if (strcmp(s->files.items[i], path) == 0)
            return;
    cw_argv_add(&s->files, path);
}

/* Adds FOLDER/NAME if it is there. Returns false if it is precompiled, or no plain file. */
static bool add_in(scan *s, const char *folder, size_t length, const char *name, bool *found)
{
    struct stat file;
    cw_buf path = { 0 };
    bool ok = true;
    cw_printf(&path, "%.*s%s%s.gch", (int)length, folder, length > 0 ? "/" : "", name);
    if (access(path.data, F_OK) == 0)
        ok = false;
    path.data[path.length - (sizeof ".gch" - 1)] = '\0';
    if (stat(path.data, &file) == 0 && !S_ISDIR(file.st_mode)) {
        ok = ok && S_ISREG(file.st_mode);
        *found = true;
        add_file(s, path.data);
    }
    cw_buf_free(&path);
    return ok;
}

static bool is_own_header(const char *name)
{
    for (size_t i = 0; i < sizeof own_headers / sizeof *own_headers; i++)
        if (strcmp(name, own_headers[i]) == 0)
            return true;
    return false;
}

/* Adds the file from each of the folders that has it. */
static bool add_from(scan *s, const cw_argv *folders, const char *name, bool *found)
{
    bool ok = true;
    for (size_t i = 0; ok && i < folders->count; i++)
        ok = add_in(s, folders->items[i], strlen(folders->items[i]), name, found);
    return ok;
}

/* Has a search for this name, from this folder, been made, with success? It is noted now, for the
 * first failure ends the scan. */
static bool is_searched(scan *s, const char *path, const char *slash, const char *name, bool quoted)
{
    cw_buf key = { 0 };
    cw_printf(&key, "%s%.*s/%s", quoted ? "\"" : "<",
              quoted && slash != NULL ? (int)(slash - path) : 0, path, name);
    bool known = cw_names_find(&s->searched, key.data, key.length) != NULL;
    if (!known) {
        cw_argv_add(&s->asked, key.data);
        cw_names_add(&s->searched, s->asked.items[s->asked.count - 1], key.length);
    }
    cw_buf_free(&key);
    return known;
}

/* Adds each file that `name`, included by the file at `path`, may mean; `quoted`: by the form that
 * searches more folders; `next`: by #include_next. Returns false if there may be others. */
static bool add_included(scan *s, const char *path, const char *name, bool quoted, bool next)
{
    static const char local[] = "/usr/local/include";
    const char *slash = strrchr(path, '/');
    bool found = false, elsewhere = false;
    if (!next && is_searched(s, path, slash, name, quoted))
        return true;
    if (name[0] == '/' || slash == path || strstr(name, "/*") != NULL)
        return false; /* the last looks like a comment to spells() */
    if (quoted && (!add_in(s, path, slash != NULL ? (size_t)(slash - path) : 0, name, &found) ||
                   !add_from(s, &s->quotes, name, &found)))
        return false;
    if (!add_from(s, &s->folders, name, &found))
        return false;
    if (is_own_header(name)) /* nobody has put another there, which the compiler would take */
        return add_in(s, local, sizeof local - 1, name, &elsewhere) && !elsewhere;
    return found && !next;
}

/* ---- texts ---------------------------------------------------------------------------------- */

static bool has(const cw_buf *text, const char *word)
{
    return memmem(text->data, text->length, word, strlen(word)) != NULL;
}

/* Does the text have this outside comments? */
static bool spells(const cw_buf *text, const char *word)
{
    if (!has(text, word))
        return false;
    for (size_t at = 0, next; at < text->length; at = next) {
        next = cw_skip_token(text->data, at, text->length);
        if (!cw_begins_comment(text->data, at, text->length) &&
            memmem(text->data + at, next - at, word, strlen(word)) != NULL)
            return true;
    }
    return false;
}

/* Is the offset in a comment? */
static bool is_comment(const cw_buf *text, size_t offset)
{
    size_t at = 0, next = 0;
    for (; next <= offset; next = cw_skip_token(text->data, at, text->length))
        at = next;
    return cw_begins_comment(text->data, at, text->length);
}

/* Joins lines that end with a backslash, also where blanks follow it. */
static void join_lines(cw_buf *text)
{
    size_t to = 0;
    for (size_t at = 0; at < text->length; at++) {
        if (text->data[at] == '\\') {
            size_t end = at + 1;
            while (end < text->length && strchr(" \t\r\f\v", text->data[end]) != NULL &&
                   text->data[end] != '\0')
                end++;
            if (end < text->length && text->data[end] == '\n') {
                at = end;
                continue;
            }
        }
        text->data[to++] = text->data[at];
    }
    text->length = to;
    text->data[to] = '\0';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

/* Follows the directives that end with the word: #include, #import. Blanks and comments may be
 * before it. */
static bool follow(scan *s, const char *path, const cw_buf *text, const char *word)
{
    const char *at = text->data, *end = text->data + text->length;
    for (; (at = memmem(at, (size_t)(end - at), word, strlen(word))) != NULL;) {
        const char *before = at;
        at += strlen(word);
        while (before > text->data && is_blank(before[-1]))
            before--;
        bool commented = before - text->data > 1 && before[-1] == '/' && before[-2] == '*';
        if (before == text->data || (before[-1] != '#' && !commented))
            continue; /* the middle of a line, or of a name */
        const char *name = at;
        bool next = starts(name, "_next");
        if (next)
            name += strlen("_next");
        while (is_blank(*name))
            name++;
        const char *last = *name == '<'   ? strpbrk(name, ">\n")
                           : *name == '"' ? strpbrk(name + 1, "\"\n")
                                          : NULL;
        if ((last == NULL || *last == '\n') && is_comment(text, (size_t)(at - text->data) - 1))
            continue;
        if (last == NULL || *last == '\n')
            return false; /* a macro, or a comment before the name */
        char *copy = strndup(name + 1, (size_t)(last - name) - 1);
        bool ok = copy != NULL && add_included(s, path, copy, *name == '"', next);
        free(copy);
        if (!ok)
            return false;
    }
    return true;
}

static bool scan_file(scan *s, const char *path)
{
    static const char *const odd[] = {
        "?\?/", "?\?=", "%:", "include_alias", "pch_preprocess", NULL
    };
    cw_buf text = { 0 };
    bool ok = cw_read_regular(path, SIZE_MAX - 1, &text) &&
              memchr(text.data, '\0', text.length) == NULL;
    if (ok && memchr(text.data, '\\', text.length) != NULL)
        join_lines(&text);
    for (const char *const *word = odd; ok && *word != NULL; word++)
        ok = !has(&text, *word);
    s->pasted |= ok && has(&text, "##") && (spells(&text, "pausable") || spells(&text, "annotate"));
    s->marked |= ok && spells(&text, mark);
    ok = ok && follow(s, path, &text, "include") && follow(s, path, &text, "import");
    s->texts[s->ntexts++] = text;
    return ok;
}

bool cw_includes_no_mark(const cw_command *command, size_t index)
{
    enum { MOST_FILES = 300 };
    scan s = { .texts = calloc(MOST_FILES, sizeof *s.texts) };
    const cw_arg *source = cw_command_source(command, index);
    bool ok = source->language == NULL && strcmp(source->value, "-") != 0 &&
              take_command(&s, command) && is_program(command);
    if (ok)
        add_file(&s, source->value);
    for (size_t i = 0; ok && i < s.files.count; i++)
        ok = s.texts != NULL && s.files.count <= MOST_FILES && scan_file(&s, s.files.items[i]);
    if (ok && s.marked)
        ok = !cw_may_mention_marks(s.texts, s.ntexts, (const char *const *)s.defines.items,
                                   s.defines.count);
    else
        ok = ok && !s.pasted;
    for (size_t i = 0; i < s.ntexts; i++)
        cw_buf_free(&s.texts[i]);
    free(s.texts);
    cw_argv_free(&s.defines);
    cw_names_free(&s.searched);
    cw_argv_free(&s.asked);
    cw_argv_free(&s.folders);
    cw_argv_free(&s.quotes);
    cw_argv_free(&s.files);
    return ok;
}
