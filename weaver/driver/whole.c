/* whole.c - --auto: commands of a program in which functions pause without marks.
 *
 * Purpose: whether a function pauses depends on the whole program. So a compilation makes the plain
 * object, as it would without co4weave, and adds a record to it: the preprocessed text, the command
 * and what the unit contributes to the graph of calls. The link (auto/link.c) reads these.
 *
 * Invariant: an object with a record is an ordinary object for every other tool. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "auto/link.h"
#include "auto/record.h"
#include "auto/wasm.h"
#include "base/bug.h"
#include "command/complain.h"
#include "command/files.h"
#include "command/process.h"
#include "command/races.h"
#include "driver/weave.h"

/* Says why no record can be added to what the compiler has made. */
static void complain_of_object(const cw_buf *object, const char *source)
{
    bool bitcode = object->length >= 4 && (memcmp(object->data, "BC\xc0\xde", 4) == 0 ||
                                           memcmp(object->data, "\xde\xc0\x17\x0b", 4) == 0);
    if (bitcode)
        cw_complain(
            "'%s': clang's -flto makes bitcode, to which --auto cannot add a record for the "
            "link; compile it without -flto or with gcc's",
            source);
    else
        cw_complain(
            "'%s': the compiler made no object of ELF or WebAssembly, to which --auto could "
            "add a record for the link",
            source);
}

static bool add_section(const char *object, const cw_buf *record)
{
    const char *tool = getenv("OBJCOPY");
    cw_temp temp = { 0 };
    cw_argv words = { 0 };
    const char *path = cw_temp_file(&temp, "record", record->data, record->length);
    bool ok = path != NULL;
    if (ok) {
        cw_argv_add_all(&words, tool != NULL && *tool != '\0' ? tool : "objcopy", "--add-section",
                        CW_ARGV_END);
        cw_argv_add2(&words, CW_AUTO_SECTION "=", path);
        cw_argv_add_all(&words, "--set-section-flags", CW_AUTO_SECTION "=exclude", object,
                        CW_ARGV_END);
        ok = cw_run_words(&words, NULL, NULL) == 0;
    }
    cw_temp_remove(&temp);
    return ok;
}

/* Adds the record to an object. Returns false after a message. */
static bool add_to_object(const char *object, const char *source, const cw_buf *record)
{
    cw_buf bytes = { 0 }, with = { 0 };
    bool ok = cw_file_read(object, &bytes);
    bool elf = ok && bytes.length >= 4 && memcmp(bytes.data, "\177ELF", 4) == 0;
    if (ok && !elf && cw_wasm_add_record(&bytes, record, &with))
        ok = cw_file_write(object, with.data, with.length);
    else if (ok && !elf)
        ok = (complain_of_object(&bytes, source), false);
    cw_buf_free(&bytes);
    cw_buf_free(&with);
    return ok && (!elf || add_section(object, record));
}

/* Reads the index-th source as the link has to know it. The compiler prints the messages. */
static void summarize(const cw_settings *settings, const cw_command *command, size_t index,
                      cw_woven *found)
{
    cw_settings ours = *settings;
    ours.options.summary = true;
    ours.options.quiet = true;
    cw_source_weave(&ours, command, index, found);
}

/* The record of a source; it takes the strings of `found`. */
static bool put_record(const cw_command *command, size_t index, cw_woven *found, cw_buf *out)
{
    cw_auto_record record = { .summary = found->text, .text = found->before };
    char *folder = getcwd(NULL, 0);
    found->text = found->before = (cw_buf){ 0 };
    if (cw_source_may_have_marks(&record.text))
        cw_puts(&record.summary, "U\n");
    cw_puts(&record.source, cw_command_source(command, index)->value);
    cw_puts(&record.folder, folder != NULL ? folder : "");
    cw_command_original(command, index, false, CW_AUTO_OUTPUT, &record.words);
    for (size_t i = 0; i < command->nargs; i++) /* which warnings it wants of co4weave */
        if (command->args[i].kind == CW_ARG_OURS)
            cw_argv_add(&record.words, command->args[i].word);
    cw_auto_record_write(&record, out);
    cw_auto_record_free(&record);
    bool ok = folder != NULL;
    free(folder);
    return ok;
}

/* Adds what was found of the index-th source to its object. */
static bool add_record(const cw_command *command, size_t index, cw_woven *found, const char *object)
{
    const char *source = cw_command_source(command, index)->value;
    struct stat output;
    cw_buf record = { 0 };
    bool ok = true;
    if (stat(object, &output) == 0 && !S_ISREG(output.st_mode)) /* /dev/null: no link reads it */
        return true;
    if (found->outcome == CW_WOVEN) {
        ok = put_record(command, index, found, &record) && add_to_object(object, source, &record);
        if (!ok)
            unlink(object); /* as compilers do: a link would take it for a plain one */
    } else if (found->outcome != CW_NOTHING) {
        fprintf(stderr, "co4weave: %s: stays plain, for libclang cannot read it\n", source);
    }
    cw_buf_free(&record);
    return ok;
}

/* Compiles a command of which a source may have marks. Whether a function of another file pauses is
 * not known yet: a call takes the form that the linker finds. The link weaves the source again. */
static int compile_marked(const cw_settings *settings, const cw_command *command)
{
    static const char plan[] = "pauses *\n";
    cw_temp temp = { 0 };
    cw_argv words = { 0 };
    int status = CW_EXIT_REFUSED;
    const char *file = cw_temp_file(&temp, "plan", plan, sizeof plan - 1);
    if (file != NULL) {
        cw_argv_add(&words, "/proc/self/exe");
        cw_argv_add2(&words, "--auto-plan=", file);
        if (settings->races)
            cw_argv_add(&words, "--races");
        cw_command_as_it_was(command, &words);
        status = cw_run_words(&words, NULL, NULL);
    }
    cw_temp_remove(&temp);
    return status;
}

static int run_as_it_was(const cw_settings *settings, const cw_command *command)
{
    cw_argv words = { 0 };
    cw_temp temp = { 0 };
    int status = CW_EXIT_REFUSED;
    cw_command_as_it_was(command, &words);
    if (!settings->races || command->nsources == 0 || cw_races_add(command, &temp, &words))
        status = cw_run_words(&words, NULL, NULL);
    else
        cw_argv_free(&words);
    cw_temp_remove(&temp);
    return status;
}

int cw_whole_compile(const cw_settings *settings, const cw_command *command)
{
    bool marked = false;
    cw_woven *found = cw_must(calloc(command->nsources + 1, sizeof *found));
    for (size_t i = 0; i < command->nsources; i++) {
        summarize(settings, command, i, &found[i]);
        marked |= cw_source_may_have_marks(&found[i].before);
    }
    int status = marked ? compile_marked(settings, command) : run_as_it_was(settings, command);
    for (size_t i = 0; i < command->nsources; i++) {
        char *object = cw_named_after(cw_command_source(command, i)->value, ".o");
        if (status == 0 &&
            !add_record(command, i, &found[i], command->output != NULL ? command->output : object))
            status = CW_EXIT_REFUSED;
        cw_woven_free(&found[i]);
        free(object);
    }
    free(found);
    return status < 0 ? CW_EXIT_REFUSED : status;
}

/* ---- links ----------------------------------------------------------------------------------- */

/* Compiles the index-th source of a link. Returns its object, or NULL after messages. */
static char *compile_source(const cw_settings *settings, const cw_command *command, size_t index,
                            cw_temp *temp)
{
    cw_argv words = { 0 };
    char *name = cw_named_after(cw_command_source(command, index)->value, ".o");
    cw_woven found = { 0 };
    const char *object = cw_temp_file(temp, name, "", 0);
    bool ok = object != NULL;
    if (ok) {
        cw_command_original(command, index, cw_settings_color(settings, command), object, &words);
        if (cw_command_has_settings(command)) /* they are for the link, and emcc would say so */
            cw_argv_add(&words, "-Wno-unused-command-line-argument");
        ok = (!settings->races || cw_races_add(command, temp, &words)) &&
             cw_run_words(&words, NULL, NULL) == 0;
    }
    if (ok) {
        summarize(settings, command, index, &found);
        ok = add_record(command, index, &found, object);
    }
    cw_woven_free(&found);
    free(name);
    return ok ? strdup(object) : NULL;
}

/* The compilers of a link's sources work in a folder that is removed. */
static void warn_of_save_temps(const cw_command *command)
{
    bool saves = false;
    for (size_t i = 0; i < command->nargs; i++)
        saves |= cw_starts(command->args[i].word, "-save-temps") ||
                 cw_starts(command->args[i].word, "--save-temps");
    if (saves && command->nsources > 0)
        fputs("co4weave: warning: -save-temps leaves no files of sources that a link of --auto "
              "compiles; compile them with -c\n",
              stderr);
}

/* Links the sources, objects and archives of a command, or only answers about them. */
static int link_inputs(const cw_settings *settings, const cw_command *command, bool links)
{
    char **instead = cw_must(calloc(command->nargs + 1, sizeof *instead));
    cw_temp temp = { 0 };
    bool ok = true;
    warn_of_save_temps(command);
    for (size_t i = 0, index = 0; i < command->nargs; i++)
        if (command->args[i].kind == CW_ARG_SOURCE) {
            instead[i] = compile_source(settings, command, index++, &temp);
            ok &= instead[i] != NULL;
        }
    int status = ok ? cw_link_program(settings, command, instead, links) : CW_EXIT_REFUSED;
    for (size_t i = 0; i < command->nargs; i++)
        free(instead[i]);
    free(instead);
    cw_temp_remove(&temp);
    return status;
}

/* Does the command make something other than a program? Callers of a shared library know its plain
 * functions only, and what is linked in part is woven when its program is. */
static bool makes_part(const cw_command *command)
{
    static const char words[] = "-shared -r -Wl,-shared -Wl,--shared -Wl,-r -Wl,--relocatable";
    bool makes = false;
    for (size_t i = 0; i < command->nargs; i++)
        makes |= cw_lists_name(words, command->args[i].word);
    return makes;
}

int cw_whole_link(const cw_settings *settings, const cw_command *command)
{
    if (!makes_part(command))
        return link_inputs(settings, command, true);
    int status = run_as_it_was(settings, command);
    return status < 0 ? CW_EXIT_REFUSED : status;
}

int cw_whole_ask(const cw_settings *settings)
{
    cw_argv words = { 0 };
    cw_command command;
    cw_argv_add(&words, settings->compiler);
    for (char *const *word = settings->rest; *word != NULL; word++)
        cw_argv_add(&words, *word);
    cw_command_read(&command, words.items);
    int status = link_inputs(settings, &command, false);
    cw_command_free(&command);
    cw_argv_free(&words);
    return status;
}
