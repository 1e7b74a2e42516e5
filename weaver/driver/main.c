/* main.c - co4weave: rewrites pausable C functions into plain C.
 *
 *   co4weave IN.c -o OUT.c -- FLAGS     weave one file
 *   co4weave cc -c x.c -o x.o …         weave what a compile command compiles
 *
 * The passes that a unit goes through are listed in weave.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/complain.h"
#include "command/files.h"
#include "command/process.h"
#include "driver/weave.h"

#ifndef CO4_VERSION
#define CO4_VERSION "0.0.0"
#endif

static const char usage[] =
    "co4weave - rewrites pausable C functions into plain C\n"
    "\n"
    "  co4weave IN.c -o OUT.c [options] -- FLAGS   weave one file; FLAGS are its compiler flags\n"
    "  co4weave [options] cc -c x.c -o x.o ...     weave and compile: put before any gcc or clang "
    "command\n"
    "\n"
    "  -o FILE          where the woven C goes; - is the standard output\n"
    "  --cc=CMD         the compiler that preprocesses (else $CC, else cc)\n"
    "  --report[=json]  say what each pausable function saves, and how large its frame is\n"
    "  --graph          print which functions may wait in which, for dot\n"
    "  --color=WHEN     messages in colour: auto (on a terminal), always, never\n"
    "  --diagnostics=json  messages for editors: a JSON object a line; else text\n"
    "  -Wno-co4-NAME    no warnings about blocking, held-lock, thread-local, void-pointer,\n"
    "                   lost-task, shared-state, time, unused-try, code, endless,\n"
    "                   local-address; -Werror=co4-NAME, -Werror make them errors,\n"
    "                   -w turns all off; also among the compiler's flags\n"
    "  --infer          print the missing marks as a patch (patch -p0, git apply -p0); weave "
    "nothing\n"
    "  --force-pauses   pause at every suspension point, to test\n"
    "  --entry=MODE     dual: a body for each way into a function, fast; single: one for both, "
    "small;\n"
    "                   auto (the default): by size and calls\n"
    "  --tables=none    no lines and locals for backtraces and debuggers; also: full, lines\n"
    "  --auto-yields    yield at loops, by a count of iterations\n"
    "  --stress=SEED    test: every function of the program pauses here and there, marked or not;\n"
    "                   links co4's library by itself\n"
    "  --auto           the whole program, without marks: functions pause that can reach a call "
    "of\n"
    "                   POSIX that waits; for the commands that compile, and for the one that "
    "links\n"
    "  --roots=FILE     more functions that wait; --plain=FUNCTION: one that stays as it is\n"
    "  --auto=strict    the same, and no link if plain code would block its thread\n"
    "  --auto=threads   the same, and pthread_create makes a task\n"
    "  --auto=test      the same, for co4test: a seed decides the order of threads, and the clock\n"
    "  --preempt=access    with it: also before each access of memory that other threads may see\n"
    "  --races             with it: a run looks for data races of its threads\n"
    "  --why=FUNCTION   print why it pauses; FUNCTION:all: all shortest ways; --auto-report: what "
    "pauses,\n"
    "                   what stays plain, and why; also for objects and archives instead of a "
    "command\n"
    "  --auto-cache=FOLDER  where the link keeps what it has woven (default ~/.cache/co4/auto; "
    "empty:\n"
    "                   nowhere); --auto-cache-size=MEGABYTES (default 2048)\n"
    "  --auto-plan=FILE, --auto-text=FILE, --auto-left=FILE, --auto-woven=FILE, --auto-summary:\n"
    "                   for --auto itself\n"
    "  --dump=PASS      print the unit after a pass:";

static const char exit_codes[] =
    "\n"
    "  --help  --version\n"
    "\n"
    "Exit status: 0 woven, or nothing to weave; 1 refused; 2 bad usage; else the compiler's own.\n";

/* Builds the compile command of the one file: compiler, FLAGS, IN.c. */
static void one_file_command(const cw_settings *settings, cw_command *command)
{
    cw_argv words = { 0 };
    char *copy = NULL;
    cw_argv_add(&words, settings->compiler);
    copy = words.items[0];
    words.items[0] = NULL;
    words.count = 0;
    for (char *word = strtok(copy, " \t"); word; word = strtok(NULL, " \t"))
        cw_argv_add(&words, word);
    free(copy);
    for (char *const *flag = settings->rest; *flag; flag++)
        cw_argv_add(&words, *flag);
    cw_argv_add(&words, "-xc"); /* for any file name */
    cw_argv_add(&words, settings->input);
    cw_command_read(command, words.items);
    cw_argv_free(&words);
}

static int weave_file(const cw_settings *settings, const cw_command *command, const cw_buf *input)
{
    if (cw_command_is_passed_on(command) || command->nsources != 1) {
        cw_complain("the flags after '--' must be those of one compilation, without inputs and -E");
        return CW_EXIT_USAGE;
    }
    if (settings->infer)
        return cw_propose(settings, command);
    cw_woven woven;
    cw_source_weave(settings, command, 0, &woven);
    int status = woven.status;
    if (woven.messages.length > 0)
        fwrite(woven.messages.data, 1, woven.messages.length, stderr);
    const cw_buf *written = woven.outcome == CW_WOVEN     ? &woven.text
                            : woven.outcome == CW_NOTHING ? input
                                                          : NULL;
    if (written == input)
        fprintf(stderr, "co4weave: %s: nothing pausable in it; copied unchanged\n",
                settings->input);
    if (written != NULL)
        status = settings->output == NULL ||
                         cw_file_write(settings->output, written->data, written->length)
                     ? CW_EXIT_DONE
                     : CW_EXIT_REFUSED;
    cw_woven_free(&woven);
    return status;
}

static int one_file(const cw_settings *settings)
{
    cw_command command;
    cw_buf input = { 0 };
    int status = CW_EXIT_REFUSED;
    if (cw_file_overwrites(settings->input, settings->output))
        return CW_EXIT_USAGE;
    if (strcmp(settings->input, "-") == 0 && !cw_keep_descriptor(STDIN_FILENO))
        return CW_EXIT_REFUSED;
    one_file_command(settings, &command);
    if (cw_file_read(settings->input, &input))
        status = weave_file(settings, &command, &input);
    cw_buf_free(&input);
    cw_command_free(&command);
    return status;
}

static int run_command(const cw_settings *settings)
{
    const char *dump = settings->options.dump;
    bool unknown = dump != NULL && !cw_is_pass(dump);
    if (settings->help || (unknown && !settings->version)) {
        cw_buf passes = { 0 };
        cw_put_pass_names(&passes);
        if (settings->help)
            printf("%s%s%s", usage, passes.data, exit_codes);
        else
            cw_complain("--dump=%s: no such pass; there are:%s", dump, passes.data);
        cw_buf_free(&passes);
        return settings->help ? CW_EXIT_DONE : CW_EXIT_USAGE;
    }
    if (settings->version) {
        puts("co4weave " CO4_VERSION);
        return CW_EXIT_DONE;
    }
    return settings->wraps ? cw_wrap(settings) : one_file(settings);
}

int main(int argc, char *argv[])
{
    cw_settings settings;
    (void)argc;
    if (!cw_process_begin())
        return CW_EXIT_REFUSED;
    int status = cw_settings_read(&settings, argv) ? run_command(&settings) : CW_EXIT_USAGE;
    cw_settings_free(&settings);
    return status;
}
