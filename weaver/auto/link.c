/* link.c - --auto: the link of a program in which functions pause without marks.
 *
 * Purpose: the link reads the records of all objects (driver/whole.c), also those in archives. It
 * finds what pauses, and weaves and compiles the units of which a part does (weave.c). They
 * take the places of their objects, in copies of the archives. Then the linker runs.
 *
 * Invariant: a unit in which nothing pauses is linked as it was compiled. */
#include "auto/link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "auto/archive.h"
#include "auto/library.h"
#include "auto/object.h"
#include "auto/wasm.h"
#include "auto/weave.h"
#include "base/bug.h"
#include "command/complain.h"
#include "command/home.h"
#include "command/process.h"

/* ---- what a link reads ----------------------------------------------------------------------- */

typedef struct archive {
    size_t arg;
    cw_buf bytes;
    bool thin;
} archive;

/* An input without a record, so that nothing is woven in it; and the first root that it calls. */
typedef struct plain_input {
    size_t arg;
    char *root; /* a copy: the roots are read again where threads become tasks */
} plain_input;

typedef struct linking {
    const cw_settings *settings;
    const cw_command *command;
    cw_temp temp;
    char **instead; /* for each argument of the command: the file that replaces it; NULL */
    char **found;   /* … of -lNAME: the archive; NULL */
    cw_part *parts;
    size_t nparts;
    archive *archives;
    size_t narchives;
    plain_input *plain;
    size_t nplain;
    cw_argv plain_locals; /* thread-locals that these share with others */
    cw_plan roots;
    cw_library library; /* of WebAssembly */
    bool wasm;          /* the objects are */
    size_t
        other_races; /* objects whose compilation had --races, and the link has not; or reversed */
    cw_argv user_wraps; /* names in the command's options --wrap */
    cw_program *program;
} linking;

/* The file that an argument stands for. */
static const char *path_of(const linking *l, size_t arg)
{
    return l->found[arg] != NULL ? l->found[arg] : l->command->args[arg].value;
}

typedef struct search {
    const cw_plan *roots;
    const char *root; /* the first that is found; NULL */
} search;

/* Is this symbol of glibc the function of that name? Headers call others for C99 and C23, and where
 * they check lengths. */
static bool is_form_of(const char *symbol, const char *name)
{
    static const char *const before[] = { "__isoc99_", "__isoc23_", "__", "" };
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        size_t skipped = strlen(before[i]), length = strlen(name);
        if (strncmp(symbol, before[i], skipped) != 0 ||
            strncmp(symbol + skipped, name, length) != 0)
            continue;
        const char *rest = symbol + skipped + length;
        if (*rest == '\0' || strcmp(rest, "_chk") == 0)
            return true;
    }
    return false;
}

static void look_for_root(void *to, const char *name, size_t begin)
{
    (void)begin;
    search *s = to;
    for (size_t i = 0; s->root == NULL && i < s->roots->count; i++)
        if (s->roots->lines[i].word == CW_PLAN_ROOT && s->roots->lines[i].through == NULL &&
            is_form_of(name, s->roots->lines[i].name))
            s->root = s->roots->lines[i].name;
}

static void add_plain_local(void *to, const char *name, size_t begin)
{
    (void)begin;
    cw_argv_add(to, name);
}

/* The library's own files wait as they should. */
static void note_plain(linking *l, const char *bytes, size_t length, size_t arg)
{
    search s = { .roots = &l->roots };
    const char *path = path_of(l, arg), *slash = strrchr(path, '/');
    if (cw_starts(slash != NULL ? slash + 1 : path, "libco4"))
        return;
    cw_object_locals(bytes, length, add_plain_local, &l->plain_locals);
    if (l->nplain > 0 && l->plain[l->nplain - 1].arg == arg)
        return;
    cw_object_needs(bytes, length, look_for_root, &s);
    if (s.root == NULL)
        return;
    plain_input input = { arg, cw_must(strdup(s.root)) };
    CW_ADD(l->plain, l->nplain, input);
}

static void look_for_accesses(void *to, const char *name, size_t begin)
{
    (void)begin;
    *(bool *)to |= strcmp(name, "__tsan_init") == 0;
}

/* Accesses that no call reports would be missed; calls that nothing answers do not link. */
static void check_races(linking *l, const cw_auto_record *record, const char *bytes, size_t length)
{
    bool says = false;
    cw_object_needs(bytes, length, look_for_accesses, &says);
    for (size_t i = 0; i < record->words.count; i++) /* not for us */
        if (cw_starts(record->words.items[i], "-fsanitize=") &&
            strstr(record->words.items[i], "thread") != NULL)
            says = false;
    if (says == l->settings->races)
        return;
    if (l->other_races++ == 0)
        cw_complain("'%s' is compiled %s --races, and the link is %s: all or none",
                    record->source.data, says ? "with" : "without", says ? "without" : "with");
}

static bool add_part(linking *l, const char *bytes, size_t length, size_t arg, size_t member,
                     bool in_archive)
{
    size_t size;
    const char *section = cw_object_record(bytes, length, &size);
    cw_auto_record record;
    l->wasm |= cw_is_wasm(bytes, length);
    if (section == NULL) {
        note_plain(l, bytes, length, arg);
        return false;
    }
    const char *why = cw_auto_record_read(&record, section, size);
    if (why != NULL) {
        cw_complain("'%s' %s: it stays plain", path_of(l, arg), why);
        note_plain(l, bytes, length, arg);
        return false;
    }
    check_races(l, &record, bytes, length);
    cw_part part = { .record = record,
                     .arg = arg,
                     .member = member,
                     .in_archive = in_archive,
                     .code = cw_object_code(bytes, length) };
    CW_ADD(l->parts, l->nparts, part);
    return true;
}

/* The bytes of a member. Of a thin archive they are in a file beside it. */
static bool member_bytes(const archive *a, const char *path, const cw_member *m, cw_buf *file,
                         const char **bytes, size_t *length)
{
    *bytes = m->bytes;
    *length = m->length;
    if (!a->thin)
        return true;
    const char *slash = strrchr(path, '/');
    cw_buf name = { 0 };
    if (slash != NULL && m->name[0] != '/')
        cw_put(&name, path, (size_t)(slash - path) + 1);
    cw_put(&name, m->name, m->name_length);
    bool ok = cw_file_read(name.data, file);
    cw_buf_free(&name);
    *bytes = file->data;
    *length = file->length;
    return ok && file->data != NULL;
}

static void read_archive(linking *l, size_t arg, archive *a, size_t at)
{
    const char *path = path_of(l, arg);
    bool any = false;
    cw_member m;
    for (size_t i = 0; cw_archive_next(a->bytes.data, a->bytes.length, a->thin, &at, &m); i++) {
        cw_buf file = { 0 };
        const char *bytes;
        size_t length;
        if (member_bytes(a, path, &m, &file, &bytes, &length))
            any |= add_part(l, bytes, length, arg, i, true);
        cw_buf_free(&file);
    }
    if (!any) {
        cw_buf_free(&a->bytes);
        return;
    }
    CW_ADD(l->archives, l->narchives, *a);
}

static void read_input(linking *l, size_t arg, const char *path)
{
    archive a = { .arg = arg };
    size_t at;
    if (!cw_read_regular(path, SIZE_MAX - 1, &a.bytes)) {
        cw_buf_free(&a.bytes);
        return; /* the linker reports it */
    }
    if (cw_archive_begin(a.bytes.data, a.bytes.length, &a.thin, &at)) {
        read_archive(l, arg, &a, at);
        return;
    }
    add_part(l, a.bytes.data, a.bytes.length, arg, 0, false);
    cw_buf_free(&a.bytes);
}

/* The file of a library in a folder: libNAME.SUFFIX, or NAME itself after a colon. NULL: none. */
static char *library_in(const char *folder, const char *name, const char *suffix)
{
    cw_buf path = { 0 };
    if (name[0] == ':')
        cw_printf(&path, "%s/%s", folder, name + 1);
    else
        cw_printf(&path, "%s/lib%s.%s", folder, name, suffix);
    if (access(path.data, R_OK) == 0)
        return path.data;
    cw_buf_free(&path);
    return NULL;
}

/* The archive that -lNAME stands for, in the folders of -L: those of the system have no records.
 * NULL: none, or a shared library comes first. */
static char *find_library(const cw_command *command, const char *name)
{
    bool only_static = cw_command_has(command, "-static");
    for (size_t i = 0; i < command->nargs; i++) {
        const cw_arg *arg = &command->args[i];
        if (!cw_starts(arg->word, "-L") || arg->value == NULL)
            continue;
        char *shared = only_static || name[0] == ':' ? NULL : library_in(arg->value, name, "so");
        char *archive = library_in(arg->value, name, "a");
        if (shared != NULL) {
            free(shared);
            free(archive);
            return NULL;
        }
        if (archive != NULL)
            return archive;
    }
    return NULL;
}

/* An archive may be there again, for what others need of it: it is read once. */
static bool is_read_already(const linking *l, size_t arg)
{
    for (size_t i = 0; i < l->narchives; i++)
        if (cw_file_is_same(path_of(l, l->archives[i].arg), path_of(l, arg)))
            return true;
    return false;
}

static void read_inputs(linking *l)
{
    for (size_t i = 0; i < l->command->nargs; i++) {
        const cw_arg *arg = &l->command->args[i];
        if (cw_starts(arg->word, "-l") && arg->kind == CW_ARG_LATER && arg->value != NULL)
            l->found[i] = find_library(l->command, arg->value);
        if ((arg->kind == CW_ARG_INPUT || l->found[i] != NULL) && is_read_already(l, i))
            continue;
        if (l->found[i] != NULL)
            read_input(l, i, l->found[i]);
        if (arg->kind == CW_ARG_SOURCE || arg->kind == CW_ARG_INPUT)
            read_input(l, i, l->instead[i] != NULL ? l->instead[i] : arg->value);
    }
}

/* ---- linking --------------------------------------------------------------------------------- */

/* The part of a member of an archive. Parts are in the order of the arguments, and of the members.
 * NULL: it is not woven. */
static const cw_part *woven_part(const linking *l, size_t arg, size_t member)
{
    size_t at = 0;
    CW_SEARCH(at, l->nparts,
              l->parts[at].arg > arg || (l->parts[at].arg == arg && l->parts[at].member >= member));
    const cw_part *p = at < l->nparts ? &l->parts[at] : NULL;
    return p != NULL && p->arg == arg && p->member == member && cw_part_is_woven(p) ? p : NULL;
}

static bool is_woven(const linking *l, size_t arg)
{
    for (size_t i = 0; i < l->nparts; i++)
        if (l->parts[i].arg == arg && cw_part_is_woven(&l->parts[i]))
            return true;
    return false;
}

/* A copy of an archive, with woven objects in place of their members. It is written here, for ar
 * takes a time that grows with the square of their number; ar adds the table of symbols. */
static bool copy_archive(linking *l, const archive *a)
{
    const char *tool = getenv("AR"), *path = path_of(l, a->arg), *slash = strrchr(path, '/');
    cw_archive_copy made = { 0 };
    cw_buf all = { 0 };
    cw_argv words = { 0 };
    cw_member m;
    bool thin, ok = true;
    size_t at;
    cw_archive_begin(a->bytes.data, a->bytes.length, &thin, &at);
    for (size_t i = 0; ok && cw_archive_next(a->bytes.data, a->bytes.length, thin, &at, &m); i++) {
        const cw_part *p = woven_part(l, a->arg, i);
        cw_buf file = { 0 };
        const char *bytes = NULL;
        size_t length = 0;
        ok = member_bytes(a, path, &m, &file, &bytes, &length);
        if (ok && p != NULL)
            cw_archive_copy_add(&made, &m, p->woven.object.data, p->woven.object.length);
        else if (ok)
            cw_archive_copy_add(&made, &m, bytes, length);
        cw_buf_free(&file);
    }
    cw_archive_copy_end(&made, l->wasm, &all);
    /* the folder is the copy's own, so its name may be that of the archive */
    const char *copy = ok ? cw_temp_file(&l->temp, slash != NULL ? slash + 1 : path, all.data,
                                         all.length)
                          : NULL;
    if (copy != NULL && !l->wasm) {
        cw_argv_add_all(&words, tool != NULL && *tool != '\0' ? tool : "ar", "s", copy,
                        CW_ARGV_END);
        ok = cw_run_words(&words, NULL, NULL) == 0;
    }
    if (copy != NULL)
        l->instead[a->arg] = strdup(copy);
    cw_buf_free(&all);
    return ok && copy != NULL;
}

/* The copy takes the place of all arguments that name its archive. */
static void replace_again(linking *l, const archive *a)
{
    for (size_t i = a->arg + 1; i < l->command->nargs; i++)
        if ((l->command->args[i].kind == CW_ARG_INPUT || l->found[i] != NULL) &&
            l->instead[i] == NULL && cw_file_is_same(path_of(l, a->arg), path_of(l, i)))
            l->instead[i] = strdup(l->instead[a->arg]);
}

static bool replace_inputs(linking *l)
{
    for (size_t i = 0; i < l->narchives; i++) {
        if (!is_woven(l, l->archives[i].arg))
            continue;
        if (!copy_archive(l, &l->archives[i]))
            return false;
        replace_again(l, &l->archives[i]);
    }
    for (size_t i = 0; i < l->nparts; i++) {
        const cw_part *p = &l->parts[i];
        if (p->in_archive || !cw_part_is_woven(p))
            continue;
        const char *object = cw_temp_file(&l->temp, "woven.o", p->woven.object.data,
                                          p->woven.object.length);
        if (object == NULL)
            return false;
        free(l->instead[p->arg]);
        l->instead[p->arg] = strdup(object);
    }
    return true;
}

/* The functions of the linker's options --wrap. The names are the caller's. */
static void find_user_wraps(const cw_command *command, cw_argv *names)
{
    bool next = false; /* the word before was --wrap alone */
    for (size_t i = 0; i < command->nargs; i++) {
        const cw_arg *arg = &command->args[i];
        bool linkers = cw_starts(arg->word, "-Wl,") || strcmp(arg->word, "-Xlinker") == 0;
        char *copy = linkers && arg->value != NULL ? strdup(arg->value) : NULL, *rest = copy;
        for (char *word; rest != NULL && (word = strtok_r(rest, ",", &rest)) != NULL;) {
            const char *option = word + strspn(word, "-");
            bool is_option = option - word == 1 || option - word == 2;
            if (next || (is_option && cw_starts(option, "wrap=")))
                cw_argv_add(names, next ? word : option + strlen("wrap="));
            next = !next && is_option && strcmp(option, "wrap") == 0;
        }
        free(copy);
    }
}

/* What woven code needs beside the inputs. */
static void add_runtime(const linking *l, const char *library, cw_argv *words)
{
    if (cw_command_library(l->command) == NULL)
        cw_argv_add(words, library);
    if (cw_command_has(l->command, "-lm")) /* with --as-needed only what comes before it counts */
        cw_argv_add(words, "-lm");
    if (!l->wasm)
        cw_argv_add(words, "-pthread");
    if (l->settings->simulates)
        cw_argv_add(words, "-Wl,--undefined=co4__simulated_program"); /* that begins before main */
    if (l->settings->races)
        cw_argv_add(words, "-Wl,--undefined=co4__simulated_races");
    for (size_t i = 0; i < l->roots.count; i++)
        if (l->roots.lines[i].word == CW_PLAN_WRAP)
            cw_argv_add2(words, "-Wl,--wrap=", l->roots.lines[i].name);
    for (size_t i = 0; i < l->user_wraps.count; i++) { /* the woven forms, too */
        cw_buf option = { 0 };
        cw_printf(&option, "-Wl,--wrap=%s__co4", l->user_wraps.items[i]);
        cw_argv_add(words, option.data);
        cw_buf_free(&option);
    }
    cw_use_sanitized(words);
}

/* Old build files may have them; nothing here switches a stack. */
static void note_left_out(const linking *l)
{
    cw_buf words = { 0 };
    for (size_t i = 0; i < l->command->nargs; i++)
        for (size_t k = 0; k < cw_command_switches_stacks(l->command, i); k++)
            cw_printf(&words, " %s", l->command->args[i + k].word);
    if (words.length > 0)
        fprintf(stderr, "co4weave: note: left out, for calls wait without a change of stacks:%s\n",
                words.data);
    cw_buf_free(&words);
}

static int run_linker(const linking *l, bool woven)
{
    const cw_command *command = l->command;
    const char *library = !woven ? NULL : l->wasm ? l->library.path : cw_home_library();
    cw_argv words = { 0 };
    if (woven && library == NULL)
        return CW_EXIT_REFUSED;
    for (size_t i = 0; i < command->compiler_words; i++)
        cw_argv_add(&words, command->words.items[i]);
    for (size_t i = 0; i < command->nargs; i++) {
        const cw_arg *arg = &command->args[i];
        size_t left = l->wasm && woven ? cw_command_switches_stacks(command, i) : 0;
        if (left > 0) {
            i += left - 1;
            continue;
        }
        if (arg->kind == CW_ARG_OURS || (arg->kind == CW_ARG_LANGUAGE && command->nothers == 0))
            continue;
        cw_argv_add(&words, l->instead[i] != NULL ? l->instead[i] : arg->word);
        if (arg->next != NULL && (l->instead[i] == NULL || l->found[i] == NULL))
            cw_argv_add(&words, arg->next);
    }
    if (woven)
        add_runtime(l, library, &words);
    if (woven && l->wasm)
        note_left_out(l);
    int status = cw_run_link(words.items);
    cw_argv_free(&words);
    return status < 0 ? CW_EXIT_REFUSED : status;
}

static bool read_roots(linking *l, bool threads)
{
    const cw_settings *settings = l->settings;
    cw_buf text = { 0 };
    for (size_t i = 0; i < settings->roots.count; i++)
        if (!cw_file_read(settings->roots.items[i], &text))
            return false;
    if (settings->accesses)
        cw_puts(&text, "yields access\n");
    if (text.data != NULL)
        cw_puts(&text, "");
    cw_plan_free(&l->roots);
    const char *file = settings->roots.count > 0 ? settings->roots.items[0] : NULL;
    cw_roots_for what = { threads, settings->simulates, settings->races, l->wasm };
    if (!cw_roots_read(&l->roots, file, text.data, what))
        return false;
    cw_library_limit(&l->library, &l->roots);
    return true;
}

/* Reads what is linked, and the library that is for it. */
static bool read_all(linking *l)
{
    read_inputs(l);
    if (l->wasm && (!cw_library_read(&l->library, l->command) || !read_roots(l, false)))
        return false;
    cw_library_limit(&l->library, &l->roots);
    return true;
}

typedef struct frames {
    cw_program *program;
    size_t unit;
} frames;

/* What describes a frame begins with its size: struct co4_abi_func. */
static void note_frame(void *to, const char *name, size_t bytes)
{
    const frames *f = to;
    static const char end[] = "__func";
    size_t length = strlen(name), ends = sizeof end - 1;
    if (length > ends && strcmp(name + length - ends, end) == 0)
        cw_program_frame(f->program, f->unit, name, length - ends, bytes);
}

static void note_frames(const linking *l)
{
    for (size_t i = 0; i < l->nparts; i++) {
        const cw_buf *object = &l->parts[i].woven.object;
        frames to = { l->program, i };
        if (object->data != NULL)
            cw_object_data(object->data, object->length, note_frame, &to);
    }
}

/* How much machine code the woven objects have, and had. */
static void put_sizes(const linking *l, cw_buf *out)
{
    size_t woven = 0, before = 0, after = 0, all = 0;
    for (size_t i = 0; i < l->nparts; i++) {
        const cw_part *p = &l->parts[i];
        all += p->code;
        if (!cw_part_is_woven(p))
            continue;
        woven++;
        before += p->code;
        after += cw_object_code(p->woven.object.data, p->woven.object.length);
    }
    cw_printf(out,
              "%zu of %zu sources are woven: %zu bytes of code, before %zu; with the others %zu, "
              "before %zu\n",
              woven, l->nparts, after, before, all - before + after, all);
}

/* How much pauses of each input: of a library, say. */
static void put_counts(const linking *l, cw_buf *out)
{
    size_t *functions = cw_must(calloc(2 * (l->nparts + 1), sizeof *functions));
    size_t *pausing = functions + l->nparts + 1;
    cw_program_count(l->program, functions, pausing);
    for (size_t i = 0, next; i < l->nparts; i = next) {
        size_t all = 0, some = 0;
        for (next = i; next < l->nparts && l->parts[next].arg == l->parts[i].arg; next++) {
            all += functions[next];
            some += pausing[next];
        }
        cw_printf(out, "%s: %zu of %zu functions pause\n", path_of(l, l->parts[i].arg), some, all);
    }
    free(functions);
}

static void add_units(linking *l)
{
    for (size_t i = 0; i < l->nparts; i++)
        cw_program_add_unit(l->program, l->parts[i].record.source.data,
                            l->parts[i].record.summary.data);
    find_user_wraps(l->command, &l->user_wraps);
    for (size_t i = 0; i < l->user_wraps.count; i++)
        cw_program_wrap(l->program, l->user_wraps.items[i]);
    for (size_t i = 0; i < l->plain_locals.count; i++)
        cw_program_share(l->program, l->plain_locals.items[i]);
}

/* Returns false after a message. */
static bool begin_threads(linking *l)
{
    const char *place, *why;
    if (cw_program_begin_threads(l->program, &place, &why))
        return read_roots(l, true);
    if (why != NULL)
        fprintf(stderr, "%s: %s: %s: so all threads of the program stay threads%s\n", place,
                l->settings->simulates ? "error" : "warning", why,
                l->settings->simulates ? ", which cannot be simulated" : "");
    return why == NULL || !l->settings->simulates;
}

/* Says which roots of the program the command wraps. Returns how many. */
static size_t wrapped_roots(const linking *l, const char *word, cw_buf *out)
{
    size_t count = 0;
    for (size_t i = 0; i < l->user_wraps.count; i++) {
        const char *name = l->user_wraps.items[i];
        const cw_plan_line *root = cw_plan_root(&l->roots, name);
        if (!cw_program_has(l->program, name) || root == NULL || root->through != NULL)
            continue;
        cw_printf(out,
                  "co4weave: %s: calls of '%s' are calls of '__wrap_%s' (--wrap), and block their "
                  "thread\n",
                  word, name, name);
        count++;
    }
    return count;
}

/* Says which inputs call roots, though nothing is woven in them. Returns how many. */
static size_t plain_inputs(const linking *l, const char *word, cw_buf *out)
{
    for (size_t i = 0; i < l->nplain; i++)
        cw_printf(out,
                  "%s: %s: it has no record of --auto, so it stays plain, and blocks its thread "
                  "where it calls '%s': compile its source by co4weave --auto\n",
                  path_of(l, l->plain[i].arg), word, l->plain[i].root);
    return l->nplain;
}

/* Says what was asked, and what blocks. Returns false if an option makes that an error. */
static bool answer_questions(const linking *l)
{
    enum { SHOWN = 10 };
    const cw_settings *settings = l->settings;
    cw_buf found = { 0 };
    cw_warnings warnings;
    bool ok = cw_settings_warnings(settings, l->command, &warnings);
    /* -Werror of the command is about its compiler's warnings: sources that know nothing of co4
     * have no others */
    bool error = settings->strict || settings->warnings.error[CW_W_BLOCKING] ||
                 cw_command_has(l->command, "-Werror=co4-blocking");
    bool shared_error = settings->warnings.error[CW_W_SHARED_STATE] ||
                        cw_command_has(l->command, "-Werror=co4-shared-state");
    if (settings->why != NULL)
        cw_program_why(l->program, settings->why, &found);
    if (settings->options.auto_report) {
        note_frames(l);
        cw_program_report(l->program, &found);
        put_counts(l, &found);
        put_sizes(l, &found);
    }
    for (size_t i = 0; i < settings->kept_plain.count; i++)
        if (!cw_program_has(l->program, settings->kept_plain.items[i]))
            cw_printf(&found, "co4weave: warning: --plain=%s: the program has no such function\n",
                      settings->kept_plain.items[i]);
    if (error || (!warnings.off[CW_W_BLOCKING] && !settings->options.auto_report))
        ok &= cw_program_blocks(l->program, error ? "error" : "warning", SHOWN, &found) +
                      wrapped_roots(l, error ? "error" : "warning", &found) +
                      plain_inputs(l, error ? "error" : "warning", &found) ==
                  0 ||
              !error;
    if (!warnings.off[CW_W_SHARED_STATE])
        ok &= cw_program_shares(l->program, shared_error ? "error" : "warning", &found) == 0 ||
              !shared_error;
    ok &= cw_program_lacks(l->program, &found) == 0;
    fputs(found.data != NULL ? found.data : "", stderr);
    cw_buf_free(&found);
    return ok;
}

int cw_link_program(const cw_settings *settings, const cw_command *command, char **instead,
                    bool links)
{
    linking l = {
        .settings = settings, .command = command, .instead = instead, .program = cw_program_new()
    };
    l.found = cw_must(calloc(command->nargs + 1, sizeof *l.found));
    int status = CW_EXIT_REFUSED;
    if (read_roots(&l, false) && read_all(&l)) {
        add_units(&l);
        bool ok = (l.other_races == 0 || !links) && (!settings->threads || begin_threads(&l));
        bool weaves = !settings->threads || settings->simulates || cw_program_has_tasks(l.program);
        if (!weaves && (settings->why != NULL || settings->options.auto_report))
            fputs("the program has no tasks: nothing is woven\n", stderr);
        ok = ok &&
             (!weaves || cw_auto_weave(settings, &l.temp, l.program, &l.roots, l.parts, l.nparts));
        ok = (!weaves || answer_questions(&l)) && ok; /* also of what is refused */
        if (ok && (!links || !weaves || replace_inputs(&l)))
            status = links ? run_linker(&l, weaves) : 0;
    }
    for (size_t i = 0; i < command->nargs; i++)
        free(l.found[i]);
    free(l.found);
    for (size_t i = 0; i < l.nparts; i++)
        cw_part_free(&l.parts[i]);
    for (size_t i = 0; i < l.narchives; i++)
        cw_buf_free(&l.archives[i].bytes);
    for (size_t i = 0; i < l.nplain; i++)
        free(l.plain[i].root);
    cw_program_free(l.program);
    cw_plan_free(&l.roots);
    cw_library_free(&l.library);
    cw_argv_free(&l.user_wraps);
    cw_argv_free(&l.plain_locals);
    cw_temp_remove(&l.temp);
    free(l.parts);
    free(l.archives);
    free(l.plain);
    return status;
}
