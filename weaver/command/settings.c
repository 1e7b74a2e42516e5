/* settings.c - co4weave's own command line.
 *
 * There are two forms. The first word that is not one of our options decides: a C file is to be
 * woven; any other word is a compiler, whose command follows and is not interpreted here. */
#include "command/settings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/complain.h"
#include "command/files.h"

/* The value of `--name=value`; NULL for any other word. */
static const char *value_of(const char *word, const char *name)
{
    return cw_starts(word, name) ? word + strlen(name) : NULL;
}

static bool read_seed(cw_settings *settings, const char *value)
{
    char *end;
    settings->options.stress = true;
    settings->options.seed = strtoull(value, &end, 0);
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
    cw_plan_free(&settings->plan); /* of an option before */
    settings->options.plan = &settings->plan;
    return cw_plan_read(&settings->plan, file, text.data); /* which owns the text */
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

/* Options without a value. */
static const struct flag {
    const char *name;
    size_t at; /* of a bool */
} flags[] = {
    { "--help", offsetof(cw_settings, help) },
    { "-h", offsetof(cw_settings, help) },
    { "--version", offsetof(cw_settings, version) },
    { "--report", offsetof(cw_settings, options.report) },
    { "--graph", offsetof(cw_settings, options.graph) },
    { "--infer", offsetof(cw_settings, infer) },
    { "--force-pauses", offsetof(cw_settings, options.force_pauses) },
    { "--auto-yields", offsetof(cw_settings, options.auto_yields) },
    { "--auto", offsetof(cw_settings, whole) },
    { "--auto-report", offsetof(cw_settings, options.auto_report) },
    { "--races", offsetof(cw_settings, races) },
    { "--auto-summary", offsetof(cw_settings, options.summary) },
};

/* Options whose value is any text. */
static const struct text {
    const char *name;
    size_t at; /* of a string */
} texts[] = {
    { "--cc=", offsetof(cw_settings, compiler) },
    { "--dump=", offsetof(cw_settings, options.dump) },
    { "--why=", offsetof(cw_settings, why) },
    { "--auto-cache=", offsetof(cw_settings, auto_cache) },
    { "--auto-left=", offsetof(cw_settings, auto_left) },
    { "--auto-text=", offsetof(cw_settings, auto_text) },
    { "--auto-woven=", offsetof(cw_settings, auto_woven) },
};

/* Options whose value is a word of a list: its number, from 0. */
static const struct choice {
    const char *name;
    size_t at; /* of an unsigned, or of an enum */
    const char *values[5];
} choices[] = {
    /* ORDER cw_color, cw_entry_mode, cw_table_mode */
    { "--color=", offsetof(cw_settings, color), { "auto", "always", "never" } },
    { "--diagnostics=", offsetof(cw_settings, options.json), { "text", "json" } },
    { "--entry=", offsetof(cw_settings, options.entries), { "auto", "dual", "single" } },
    { "--report=", offsetof(cw_settings, options.report_json), { "text", "json" } },
    { "--tables=", offsetof(cw_settings, options.tables), { "auto", "full", "lines", "none" } },
};

static bool read_choice(cw_settings *settings, const struct choice *choice, const char *value)
{
    cw_buf names = { 0 };
    for (unsigned i = 0; choice->values[i] != NULL; i++) {
        if (strcmp(choice->values[i], value) == 0) {
            memcpy((char *)settings + choice->at, &i, sizeof i);
            cw_buf_free(&names);
            return true;
        }
        cw_printf(&names, " %s", choice->values[i]);
    }
    cw_complain("%s%s: it takes one of:%s", choice->name, value, names.data);
    cw_buf_free(&names);
    return false;
}

const char *cw_settings_word(const cw_settings *settings, const char *option)
{
    const struct choice *choice = choices;
    unsigned which;
    while (strcmp(choice->name, option) != 0)
        choice++;
    memcpy(&which, (const char *)settings + choice->at, sizeof which);
    return choice->values[which];
}

/* Reads an option of the tables. Returns false, and *ok is true, if it is in none. */
static bool read_listed(cw_settings *settings, const char *word, bool *ok)
{
    const char *value;
    *ok = true;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (strcmp(word, flags[i].name) == 0)
            return *(bool *)((char *)settings + flags[i].at) = true;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if ((value = value_of(word, texts[i].name)) != NULL) {
            memcpy((char *)settings + texts[i].at, &value, sizeof value);
            return true;
        }
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        if ((value = value_of(word, choices[i].name)) != NULL) {
            *ok = read_choice(settings, &choices[i], value);
            return true;
        }
    return false;
}

static bool read_option(cw_settings *settings, char *const **at)
{
    const char *word = *(*at)++, *value;
    bool ok;
    if (read_listed(settings, word, &ok)) {
        settings->options.report |= value_of(word, "--report=") != NULL;
        settings->colored |= value_of(word, "--color=") != NULL;
        if (settings->options.json)
            cw_complain_as_json();
        return ok;
    }
    if (cw_starts(word, "-W") || strcmp(word, "-w") == 0)
        return read_own_warning(settings, word);
    if ((value = value_of(word, "--auto-plan=")) != NULL)
        return read_plan(settings, value);
    if ((value = value_of(word, "--auto-cache-size=")) != NULL)
        return read_cache_size(settings, value);
    if (strcmp(word, "--stress") == 0)
        return read_seed(settings, "1");
    if ((value = value_of(word, "--stress=")) != NULL)
        return read_seed(settings, value);
    if (strcmp(word, "--auto=strict") == 0)
        settings->whole = settings->strict = true;
    else if (strcmp(word, "--auto=threads") == 0)
        settings->whole = settings->threads = true;
    else if (strcmp(word, "--auto=test") == 0)
        settings->whole = settings->threads = settings->simulates = true;
    else if (strcmp(word, "--preempt=sync") == 0)
        settings->accesses = false;
    else if (strcmp(word, "--preempt=access") == 0)
        settings->accesses = true;
    else if ((value = value_of(word, "--roots=")) != NULL)
        cw_argv_add(&settings->roots, value);
    else if ((value = value_of(word, "--plain=")) != NULL)
        cw_argv_add(&settings->kept_plain, value);
    else if (strcmp(word, "-o") == 0 && **at != NULL)
        settings->output = *(*at)++;
    else if (strncmp(word, "-o", 2) == 0 && word[2] != '\0')
        settings->output = word + 2;
    else if (strcmp(word, "-o") == 0) {
        cw_complain("-o needs a file name after it");
        return false;
    } else {
        cw_complain("unknown option '%s' (compiler flags belong after '--'; see co4weave --help)",
                    word);
        return false;
    }
    return true;
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
        } else if (settings->output == NULL && !cw_ends(*at, ".c") && !cw_ends(*at, ".i") &&
                   strcmp(*at, "-") != 0) {
            settings->wraps = true;
            settings->asks = (settings->why != NULL || settings->options.auto_report) &&
                             (cw_ends(*at, ".o") || cw_ends(*at, ".a"));
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
    return settings->why != NULL || settings->options.auto_report || settings->roots.count > 0 ||
           settings->kept_plain.count > 0 || settings->auto_cache != NULL ||
           settings->auto_cache_size != default_cache_size;
}

static bool check_settings(const cw_settings *settings)
{
    if (settings->help || settings->version)
        return true;
    if (settings->infer && settings->options.stress) {
        cw_complain("--infer and --stress: one at a time, for a stressed program needs no marks");
        return false;
    }
    if (settings->accesses && !settings->simulates) {
        cw_complain("--preempt=access goes with --auto=test");
        return false;
    }
    if (settings->races && !settings->simulates && settings->options.plan == NULL) {
        cw_complain("--races goes with --auto=test");
        return false;
    }
    bool of_a_link = settings->options.plan != NULL; /* it passes --auto-report on */
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
    if (settings->output == NULL && !settings->options.report && !settings->infer &&
        !settings->options.graph && settings->options.dump == NULL) {
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
    return argv[0] != NULL && read_words(settings, argv + 1) && check_settings(settings);
}

void cw_settings_free(cw_settings *settings)
{
    cw_argv_free(&settings->roots);
    cw_argv_free(&settings->kept_plain);
    cw_plan_free(&settings->plan);
}
