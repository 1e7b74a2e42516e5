/* wrap.c - `co4weave cc …`: runs a compiler, as ccache does.
 *
 * If no source of the command uses anything pausable, co4weave replaces itself by the original
 * command: no cost, no difference. Otherwise it weaves all sources in memory, and shows all errors
 * in one run. Only if there are none, the compiler reads the sources as the user wrote them, for
 * its messages, and then runs with woven files in its command, without warnings.
 *
 * Rejected: to read the sources only if woven text causes a warning. Woven text often causes none:
 * a local that is a field of a frame is never uninitialized, nor does its address dangle. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bug.h"
#include "command/complain.h"
#include "command/files.h"
#include "command/home.h"
#include "command/process.h"
#include "command/races.h"
#include "driver/weave.h"
#include "text/spell.h"

/* Do the compiler's warnings appear elsewhere? Those of a stressed program do so in its ordinary
 * build, those of a text that a link of --auto weaves did when its object was made. */
static bool is_silent(const cw_settings *settings)
{
    return settings->options.stress || settings->auto_text != NULL;
}

/* Adds the runtime to the link of a stressed program, whose build does not know it. The user must
 * name it to link for another target. Nothing is added if only objects are built. */
static bool add_runtime(const cw_settings *settings, const cw_command *command, cw_argv *words)
{
    if (!cw_weaves_unmarked(&settings->options))
        return true;
    if (is_silent(settings))
        cw_argv_add(words, "-w");
    if (command->stage != CW_STAGE_LINK || cw_command_library(command) != NULL)
        return true;
    const char *library = cw_home_library();
    if (library == NULL)
        return false;
    cw_argv_add(words, "-x"); /* the command's last -x may apply to sources */
    cw_argv_add_all(words, "none", library, "-pthread", CW_ARGV_END);
    return true;
}

/* The position of the linker's first message: the compilers have finished by then. */
static const char *linker_messages(const char *text)
{
    static const char *const signs[] = {
        "/ld: ",         "ld: ",  "undefined reference to", "collect2: ", "linker command failed",
        "lto-wrapper: ", "lto1: "
    };
    const char *first = text + strlen(text);
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        const char *at = strstr(text, signs[i]);
        first = at != NULL && at < first ? at : first;
    }
    while (first > text && first[-1] != '\n')
        first--;
    return first;
}

static const char *text_of(const cw_buf *buf)
{
    return buf->data != NULL ? buf->data : "";
}

/* Are the sources compiled as the user wrote them, for the messages, before woven text is? */
static bool speaks_of_sources(const cw_settings *settings, const cw_command *command)
{
    return !is_silent(settings) && !cw_command_has(command, "-w") && cw_command_rereads(command);
}

/* Shows the messages of a compilation of woven text, and returns its status. Positions in woven
 * text mean nothing to the user, so if it fails, the sources are compiled as the user wrote them,
 * and these messages are shown. The linker's messages stay, and so do errors that only woven text
 * causes. */
static int show_messages(const cw_settings *settings, const cw_command *command,
                         const cw_woven *woven, int status, cw_argv *words, cw_buf *said)
{
    bool spoke = speaks_of_sources(settings, command);
    cw_buf of_sources = { 0 };
    bool fails = false;
    bool rereads = cw_command_rereads(command);
    if (!spoke && rereads && said->length > 0)
        for (size_t i = 0; i < command->nsources; i++)
            fails |= cw_source_messages(settings, command, i, &of_sources) != 0;
    bool refused = status > 0 && status < 128 && said->length > 0;
    if (refused && !fails && *linker_messages(text_of(said)) == '\0') {
        cw_argv_add(words, "-w"); /* a warning of a profile's was an error */
        cw_buf_free(said);
        status = cw_run(words->items, NULL, said);
    }
    const char *text = text_of(said), *linker = linker_messages(text);
    if (!spoke && said->length == 0 && of_sources.length == 0)
        for (size_t i = 0; i < command->nsources; i++)
            cw_put(&of_sources, woven[i].messages.data, woven[i].messages.length);
    fputs(text_of(&of_sources), stderr);
    bool all = (status != 0 && *linker == '\0' && !fails) || (!rereads && !is_silent(settings));
    fputs(all ? text : linker, stderr);
    if (status != 0)
        cw_hint_at_link(linker, words->items);
    cw_buf_free(&of_sources);
    return status;
}

/* Shows what a compiler says about a profile, which is true of woven code alone, and leaves the
 * rest. Returns whether it has refused the profile. */
static bool show_about_profile(cw_buf *said)
{
    static const char *const options[] = { "missing-profile", "coverage-mismatch",
                                           "-Wprofile-instr-", "-Wbackend-plugin" };
    cw_buf rest = { 0 };
    bool refused = false;
    for (const char *line = text_of(said), *end; *line != '\0'; line = end) {
        end = line + strcspn(line, "\n");
        end += *end == '\n';
        char *copy = strndup(line, (size_t)(end - line));
        bool about = false;
        for (size_t i = 0; copy != NULL && i < sizeof options / sizeof *options; i++)
            about |= strstr(copy, options[i]) != NULL;
        refused |= about && strstr(copy, "error: ") != NULL;
        fputs(about ? copy : "", stderr);
        cw_puts(&rest, about || copy == NULL ? "" : copy);
        free(copy);
    }
    cw_buf_free(said);
    *said = rest;
    return refused;
}

/* Writes the woven units and runs the compiler on them. */
static int compile_woven(const cw_settings *settings, const cw_command *command,
                         const cw_woven *woven)
{
    cw_temp temp = { 0 };
    cw_argv words = { 0 };
    int status = CW_EXIT_REFUSED;
    const char **replacements = cw_must(calloc(command->nsources + 1, sizeof *replacements));
    bool ok = true;
    for (size_t i = 0; ok && i < command->nsources; i++) {
        if (woven[i].outcome != CW_WOVEN)
            continue;
        char *name = cw_named_after(cw_command_source(command, i)->value, ".i");
        cw_buf text = { 0 };
        if (settings->races) { /* its first line names the source */
            cw_put(&text, woven[i].text.data, strcspn(woven[i].text.data, "\n") + 1);
            cw_races_text(&text);
        }
        cw_put(&text, woven[i].text.data, woven[i].text.length);
        replacements[i] = cw_temp_file(&temp, name, text.data, text.length);
        cw_buf_free(&text);
        ok = replacements[i] != NULL;
        free(name);
    }
    bool accepted = ok && (!speaks_of_sources(settings, command) ||
                           cw_source_speak(settings, command, &status));
    if (cw_command_has(command, "-fcoverage-mapping") && !is_silent(settings))
        fputs("co4weave: warning: -fcoverage-mapping counts the lines of woven text, not yours; "
              "--coverage counts yours, for gcov, llvm-cov gcov and lcov\n",
              stderr);
    if (accepted) {
        status = CW_EXIT_REFUSED;
        cw_command_compile(command, replacements, &words);
        if (speaks_of_sources(settings, command) && !cw_command_reads_profile(command))
            cw_argv_add(&words, "-w"); /* the rest is about woven text only */
        if (cw_settings_color(settings, command))
            cw_argv_add(&words, "-fdiagnostics-color=always"); /* its messages go through a pipe */
        if (add_runtime(settings, command, &words)) {
            cw_use_sanitized(&words);
            if (settings->races && !cw_races_add(command, NULL, &words)) {
                cw_argv_free(&words);
                cw_temp_remove(&temp);
                free(replacements);
                return CW_EXIT_REFUSED;
            }
            cw_buf said = { 0 };
            status = cw_run(words.items, NULL, &said);
            if (cw_command_reads_profile(command) && show_about_profile(&said))
                cw_buf_free(&said); /* the rest leads to that error, or follows from it */
            status = show_messages(settings, command, woven, status, &words, &said);
            cw_buf_free(&said);
        }
    }
    cw_argv_free(&words);
    free(replacements);
    cw_temp_remove(&temp);
    return status < 0 ? CW_EXIT_REFUSED : status;
}

/* Runs the original command, without words for co4weave, with the words that stress adds, and with
 * another library where needed. Unless it links, it replaces this process. */
static int pass_command_on(const cw_settings *settings, const cw_command *command)
{
    bool stressed = cw_weaves_unmarked(&settings->options) && !command->is_odd &&
                    command->stage != CW_STAGE_NONE;
    cw_argv words = { 0 };
    cw_temp temp = { 0 };
    cw_command_as_it_was(command, &words);
    int status = CW_EXIT_DONE;
    if (stressed && !add_runtime(settings, command, &words))
        status = CW_EXIT_REFUSED;
    else if (settings->races && command->nsources > 0) {
        status = cw_races_add(command, &temp, &words) ? cw_run(words.items, NULL, NULL) : -1;
        status = status < 0 ? CW_EXIT_REFUSED : status;
        cw_temp_remove(&temp);
    } else {
        bool changed = cw_use_sanitized(&words) || command->has_ours || stressed;
        char *const *argv = changed ? words.items : settings->rest;
        bool links = command->stage == CW_STAGE_LINK && command->nsources == 0 && !command->is_odd;
        status = links ? cw_run_link(argv) : cw_exec(argv);
        status = status < 0 ? CW_EXIT_REFUSED : status;
    }
    cw_argv_free(&words);
    return status;
}

static int weave_and_compile(const cw_settings *settings, const cw_command *command)
{
    cw_woven *woven = cw_must(calloc(command->nsources + 1, sizeof *woven));
    size_t nwoven = 0;
    int status = 0;
    bool has_text = false; /* woven already, of a command with one source */
    for (size_t i = 0; i < command->nsources; i++) {
        /* the text that an earlier command has woven for a link of --auto */
        woven[i].outcome = CW_WOVEN;
        if (settings->auto_woven != NULL && cw_file_read(settings->auto_woven, &woven[i].text) &&
            woven[i].text.length > 0)
            has_text = true;
        else {
            cw_buf_free(&woven[i].text); /* an empty one */
            cw_source_weave(settings, command, i, &woven[i]);
        }
        if (woven[i].outcome == CW_WOVEN)
            nwoven++;
        else if (woven[i].outcome != CW_NOTHING && status == 0)
            status = woven[i].status;
    }
    bool compiles = settings->auto_woven == NULL || has_text;
    bool as_it_was = status == 0 && nwoven == 0 && compiles;
    /* When a link of --auto has to weave the unit once more, without the functions that cannot be
     * woven, nothing is compiled. */
    struct stat left;
    bool again = settings->auto_left != NULL && stat(settings->auto_left, &left) == 0 &&
                 left.st_size > 0;
    if (status == 0 && nwoven > 0 && !again) {
        if (compiles)
            status = compile_woven(settings, command, woven);
        else if (!cw_file_write(settings->auto_woven, woven[0].text.data, woven[0].text.length))
            status = CW_EXIT_REFUSED;
    }
    for (size_t i = 0; i < command->nsources; i++)
        cw_woven_free(&woven[i]);
    free(woven);
    return as_it_was ? pass_command_on(settings, command) : status;
}

/* Compilers check this, but for them a woven source has another name. */
static bool overwrites_source(const cw_command *command)
{
    for (size_t i = 0; i < command->nsources; i++)
        if (cw_file_overwrites(cw_command_source(command, i)->value, command->output))
            return true;
    return false;
}

/* A C++ compiler would read a marked file as C++, and leave its marks unwoven. */
static bool is_marked_cpp(const cw_command *command)
{
    for (size_t i = 0; i < command->nargs; i++) {
        const cw_arg *arg = &command->args[i];
        cw_buf text = { 0 };
        bool marked = false;
        if (arg->kind == CW_ARG_INPUT && cw_command_is_cpp(command, arg) && arg->word[0] != '-' &&
            cw_read_regular(arg->word, SIZE_MAX - 1, &text))
            marked = cw_says(text.data, text.length, "pausable") && strstr(text.data, "co4");
        cw_buf_free(&text);
        if (!marked)
            continue;
        cw_complain(
            "'%s' is compiled as C++, which is not woven, and has 'pausable' in it; compile "
            "it with a C compiler, or with '-x c' before it",
            arg->word);
        return true;
    }
    return false;
}

static bool is_of_program(const cw_settings *settings, const cw_command *command, cw_stage stage)
{
    return settings->whole && !command->is_odd && command->stage == stage;
}

/* The descriptor that a source names, `<(…)` of a shell among them; -1: it names a file. */
static int descriptor_of(const char *source)
{
    static const char *const folders[] = { "/dev/fd/", "/proc/self/fd/" };
    if (strcmp(source, "-") == 0 || strcmp(source, "/dev/stdin") == 0)
        return STDIN_FILENO;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        size_t length = strlen(folders[i]);
        size_t digits = strncmp(source, folders[i], length) == 0
                            ? strspn(source + length, "0123456789")
                            : 0;
        if (digits > 0 && digits < 6 && source[length + digits] == '\0')
            return atoi(source + length);
    }
    return -1;
}

/* Sources that come through a pipe are read several times, as others are. */
static bool keep_pipes(const cw_command *command)
{
    bool ok = !command->reads_stdin || cw_keep_descriptor(STDIN_FILENO);
    for (size_t i = 0; ok && i < command->nsources; i++) {
        struct stat file;
        int fd = descriptor_of(cw_command_source(command, i)->value);
        if (fd >= 0 && fstat(fd, &file) == 0 && !S_ISREG(file.st_mode) && !S_ISDIR(file.st_mode))
            ok = cw_keep_descriptor(fd);
    }
    return ok;
}

int cw_wrap(const cw_settings *settings)
{
    cw_command command;
    if (settings->asks)
        return cw_whole_ask(settings);
    cw_command_read(&command, settings->rest);
    bool makes_code = !command.is_odd && command.stage != CW_STAGE_NONE;
    bool refused = makes_code && is_marked_cpp(&command);
    if (!refused && makes_code && command.nsources > 0)
        refused = !keep_pipes(&command);
    int status = refused ? CW_EXIT_REFUSED
                 : is_of_program(settings, &command, CW_STAGE_OBJECT) && command.nsources > 0
                     ? cw_whole_compile(settings, &command)
                 : is_of_program(settings, &command, CW_STAGE_LINK)
                     ? cw_whole_link(settings, &command)
                 : cw_command_is_passed_on(&command) ? pass_command_on(settings, &command)
                 : overwrites_source(&command)       ? CW_EXIT_REFUSED
                 : settings->infer                   ? cw_propose(settings, &command)
                                                     : weave_and_compile(settings, &command);
    cw_command_free(&command);
    /* If the compiler died of a signal that was sent to us, co4weave dies of it too, for make and
     * shells examine that. */
    int number = status - 128;
    if (number == SIGINT || number == SIGTERM || number == SIGHUP)
        raise(number);
    return status;
}
