/* settings.c - co4weave's own command line.
 *
 * There are two forms. The first word that is not one of our options decides: a C file is to be
 * woven; any other word is a compiler, whose command follows and is not interpreted here. */
#include "command/settings.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/options.h"
#include "command/command.h"
#include "command/complain.h"
#include "command/files.h"
#include "text/diag.h"

static bool ends_with(const char *word, const char *suffix)
{
    size_t length = strlen(word), tail = strlen(suffix);
    return length >= tail && strcmp(word + length - tail, suffix) == 0;
}

static bool is_c_file(const char *word)
{
    return ends_with(word, ".c") || ends_with(word, ".i");
}

/* The value of `--name=value`; NULL for any other word. */
static const char *value_of(const char *word, const char *name)
{
    size_t length = strlen(name);
    return strncmp(word, name, length) == 0 ? word + length : NULL;
}

static bool read_seed(cw_settings *settings, const char *value)
{
    char *end;
    settings->stress = true;
    settings->seed = strtoull(value, &end, 0);
    if (*value >= '0' && *value <= '9' && *end == '\0')
        return true;
    cw_complain("--stress=%s: the seed is a number from 0", value);
    return false;
}

static bool read_plan(cw_settings *settings, const char *file)
{
    cw_buf text = { 0 };
    if (!cw_file_read(file, &text))
        return false;
    cw_puts(&text, "");                                    /* of an empty file */
    cw_plan_free(&settings->plan);                         /* of an option before */
    return cw_plan_read(&settings->plan, file, text.data); /* which owns the text */
}

/* Index of `value` in the list; -1, after a message, if it is not there. */
static int one_of(const char *option, const char *value, const char *const *list)
{
    cw_buf names = { 0 };
    for (int i = 0; list[i] != NULL; i++) {
        if (strcmp(list[i], value) == 0) {
            cw_buf_free(&names);
            return i;
        }
        cw_printf(&names, " %s", list[i]);
    }
    cw_complain("%s%s: it takes one of:%s", option, value, names.data);
    cw_buf_free(&names);
    return -1;
}

static bool read_entries(cw_settings *settings, const char *value)
{
    static const char *const names[] = { "auto", "dual", "single", NULL }; /* ORDER cw_entry_mode */
    int which = one_of("--entry=", value, names);
    if (which >= 0)
        settings->entries = (cw_entry_mode)which;
    return which >= 0;
}

static bool read_tables(cw_settings *settings, const char *value)
{
    static const char *const names[] = { "auto", "full", "lines", "none", NULL };
    int which = one_of("--tables=", value, names);
    if (which >= 0)
        settings->tables = (cw_table_mode)which;
    return which >= 0;
}

static bool read_color(cw_settings *settings, const char *value)
{
    static const char *const names[] = { "auto", "always", "never", NULL }; /* ORDER cw_color */
    int which = one_of("--color=", value, names);
    if (which >= 0)
        settings->color = (cw_color)which;
    settings->colored = true;
    return which >= 0;
}

static bool read_diagnostics(cw_settings *settings, const char *value)
{
    static const char *const names[] = { "text", "json", NULL };
    int which = one_of("--diagnostics=", value, names);
    settings->json = which == 1;
    if (settings->json)
        cw_complain_as_json();
    return which >= 0;
}

static bool read_report(cw_settings *settings, const char *value)
{
    static const char *const names[] = { "text", "json", NULL };
    int which = one_of("--report=", value, names);
    settings->report = true;
    settings->report_json = which == 1;
    return which >= 0;
}

bool cw_settings_color(const cw_settings *settings, const cw_command *command)
{
    const char *no_color = getenv("NO_COLOR");
    cw_color color = settings->color;
    if (!settings->colored)
        color = cw_command_color(command);
    if (color == CW_COLOR_AUTO)
        return isatty(STDERR_FILENO) && (no_color == NULL || *no_color == '\0');
    return color == CW_COLOR_ALWAYS;
}

/* Reads an option about warnings, from our command line or the compile command: the last one
 * counts. */
static bool read_warning(cw_warnings *warnings, const char *word)
{
    cw_buf names = { 0 };
    if (cw_warnings_read(warnings, word))
        return true;
    for (const char *const *name = cw_warning_names; *name; name++)
        cw_printf(&names, " co4-%s", *name);
    cw_complain("'%s': no such warning; there are:%s", word, names.data);
    cw_buf_free(&names);
    return false;
}

static bool read_own_warning(cw_settings *settings, const char *word)
{
    if (strcmp(word, "-w") != 0 && strcmp(word, "-Werror") != 0 &&
        strcmp(word, "-Wno-error") != 0 && strstr(word, "co4-") == NULL) {
        cw_complain("unknown option '%s' (compiler flags belong after '--' or the compiler's "
                    "name; see co4weave --help)",
                    word);
        return false;
    }
    return read_warning(&settings->warnings, word);
}

bool cw_settings_warnings(const cw_settings *settings, const cw_command *command,
                          cw_warnings *warnings)
{
    *warnings = settings->warnings;
    bool ok = true;
    for (size_t i = 0; i < command->nargs; i++)
        if (command->args[i].kind == CW_ARG_PLAIN || command->args[i].kind == CW_ARG_OURS)
            ok = read_warning(warnings, command->args[i].word) && ok;
    return ok;
}

/* Of --auto-cache-size: megabytes, and the default in bytes. */
static const unsigned long long default_cache_size = 2ull << 30;

static bool read_cache_size(cw_settings *settings, const char *value)
{
    char *end;
    errno = 0;
    unsigned long long megabytes = strtoull(value, &end, 10);
    if (value[0] < '0' || value[0] > '9' || *end != '\0' || errno != 0 || megabytes > 1ull << 32) {
        cw_complain("--auto-cache-size=%s: not a number of megabytes", value);
        return false;
    }
    settings->auto_cache_size = megabytes << 20;
    return true;
}

static bool read_option(cw_settings *settings, char *const **at)
{
    const char *word = *(*at)++, *value;
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        settings->help = true;
    else if (strcmp(word, "--version") == 0)
        settings->version = true;
    else if (strcmp(word, "--report") == 0)
        settings->report = true;
    else if ((value = value_of(word, "--report=")) != NULL)
        return read_report(settings, value);
    else if (strcmp(word, "--graph") == 0)
        settings->graph = true;
    else if (strcmp(word, "--infer") == 0)
        settings->infer = true;
    else if (strcmp(word, "--force-pauses") == 0)
        settings->force_pauses = true;
    else if (strcmp(word, "-w") == 0 || strncmp(word, "-W", 2) == 0)
        return read_own_warning(settings, word);
    else if ((value = value_of(word, "--color=")) != NULL)
        return read_color(settings, value);
    else if ((value = value_of(word, "--diagnostics=")) != NULL)
        return read_diagnostics(settings, value);
    else if (strcmp(word, "--auto-yields") == 0)
        settings->auto_yields = true;
    else if ((value = value_of(word, "--entry=")) != NULL)
        return read_entries(settings, value);
    else if ((value = value_of(word, "--tables=")) != NULL)
        return read_tables(settings, value);
    else if ((value = value_of(word, "--auto-plan=")) != NULL)
        return read_plan(settings, value);
    else if (strcmp(word, "--auto") == 0)
        settings->whole = true;
    else if (strcmp(word, "--auto=strict") == 0)
        settings->whole = settings->strict = true;
    else if (strcmp(word, "--auto-report") == 0)
        settings->auto_report = true;
    else if ((value = value_of(word, "--why=")) != NULL)
        settings->why = value;
    else if ((value = value_of(word, "--roots=")) != NULL)
        cw_argv_add(&settings->roots, value);
    else if ((value = value_of(word, "--plain=")) != NULL)
        cw_argv_add(&settings->kept_plain, value);
    else if ((value = value_of(word, "--auto-cache=")) != NULL)
        settings->auto_cache = value;
    else if ((value = value_of(word, "--auto-cache-size=")) != NULL)
        return read_cache_size(settings, value);
    else if ((value = value_of(word, "--auto-left=")) != NULL)
        settings->auto_left = value;
    else if ((value = value_of(word, "--auto-text=")) != NULL)
        settings->auto_text = value;
    else if ((value = value_of(word, "--auto-woven=")) != NULL)
        settings->auto_woven = value;
    else if (strcmp(word, "--auto-summary") == 0)
        settings->summary = true;
    else if (strcmp(word, "--stress") == 0)
        return read_seed(settings, "1");
    else if ((value = value_of(word, "--stress=")) != NULL)
        return read_seed(settings, value);
    else if ((value = value_of(word, "--cc=")) != NULL)
        settings->compiler = value;
    else if ((value = value_of(word, "--dump=")) != NULL)
        settings->dump = value;
    else if (strcmp(word, "-o") == 0 && **at != NULL)
        settings->output = *(*at)++;
    else if (strncmp(word, "-o", 2) == 0 && word[2] != '\0')
        settings->output = word + 2;
    else {
        if (strcmp(word, "-o") == 0)
            cw_complain("-o needs a file name after it");
        else
            cw_complain(
                "unknown option '%s' (compiler flags belong after '--'; see co4weave --help)",
                word);
        return false;
    }
    return true;
}

static bool is_object(const char *name)
{
    size_t length = strlen(name);
    return length > 2 && name[length - 2] == '.' && strchr("oa", name[length - 1]) != NULL;
}

static bool read_words(cw_settings *settings, char *const *at)
{
    while (*at != NULL) {
        if (strcmp(*at, "--") == 0) {
            settings->rest = at + 1;
            return true;
        }
        if ((*at)[0] == '-' && (*at)[1] != '\0') {
            if (!read_option(settings, &at))
                return false;
        } else if (settings->input != NULL) {
            cw_complain("two inputs, '%s' and '%s': one at a time", settings->input, *at);
            return false;
        } else if (settings->output == NULL && !is_c_file(*at) && strcmp(*at, "-") != 0) {
            settings->wraps = true;
            settings->asks = (settings->why != NULL || settings->auto_report) && is_object(*at);
            settings->rest = at;
            return true;
        } else {
            settings->input = *at++;
        }
    }
    return true;
}

static bool is_about_programs(const cw_settings *settings)
{
    return settings->why != NULL || settings->auto_report || settings->roots.count > 0 ||
           settings->kept_plain.count > 0 || settings->auto_cache != NULL ||
           settings->auto_cache_size != default_cache_size;
}

static bool check(const cw_settings *settings)
{
    if (settings->help || settings->version)
        return true;
    if (settings->infer && settings->stress) {
        cw_complain("--infer and --stress: one at a time, for a stressed program needs no marks");
        return false;
    }
    bool of_a_link = settings->plan.lines != NULL; /* it passes --auto-report on */
    if (is_about_programs(settings) && !settings->whole && !settings->asks && !of_a_link) {
        cw_complain("--why, --auto-report, --roots, --plain and --auto-cache… are about whole "
                    "programs: add --auto, or name objects and archives after them");
        return false;
    }
    if (settings->wraps)
        return true;
    if (settings->input == NULL) {
        cw_complain("nothing to weave: name a C file or a compile command (see co4weave --help)");
        return false;
    }
    if (settings->output == NULL && !settings->report && !settings->infer && !settings->graph &&
        settings->dump == NULL) {
        cw_complain("no output file: add -o OUT.c ('-' is the standard output)");
        return false;
    }
    return true;
}

bool cw_settings_read(cw_settings *settings, char *const argv[])
{
    static char *const nothing[] = { NULL };
    const char *cc = getenv("CC");
    *settings = (cw_settings){ .compiler = cc && *cc ? cc : "cc",
                               .rest = nothing,
                               .auto_cache_size = default_cache_size };
    return argv[0] != NULL && read_words(settings, argv + 1) && check(settings);
}

void cw_settings_free(cw_settings *settings)
{
    cw_argv_free(&settings->roots);
    cw_argv_free(&settings->kept_plain);
    cw_plan_free(&settings->plan);
}
