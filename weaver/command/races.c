/* races.c - --races: how the compiler tells the runtime of each access of memory.
 *
 * Purpose: gcc and clang know where memory is accessed, after their optimisations, in woven and in
 * plain code. Their passes for the thread sanitizer insert calls; simulation/instrumented.c of the
 * runtime answers these, and the sanitizer's own library is not linked.
 *
 * Functions of the C library that access memory get other names, in the program's own code alone: a
 * --wrap of the link would take the runtime's calls for the program's. */
#include "command/races.h"

#include <string.h>

#include "command/complain.h"
#include "command/process.h"

/* simulation/accesses.c has them. */
static const char *const functions[] = {
    "realloc", "reallocarray", "free",      "memcpy",  "mempcpy", "memmove", "memset",
    "memcmp",  "memchr",       "strlen",    "strnlen", "strcpy",  "stpcpy",  "strncpy",
    "strcat",  "strncat",      "strdup",    "strndup", "strcmp",  "strncmp", "strchr",
    "strrchr", "snprintf",     "vsnprintf", "sprintf",
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

void cw_races_text(cw_buf *out)
{
    for (size_t i = 0; i < FUNCTIONS; i++)
        cw_printf(out, "#pragma redefine_extname %s co4__raced_%s\n", functions[i], functions[i]);
}

/* clang has an option that gcc does not know. */
static bool is_clang(const cw_command *command)
{
    cw_argv words = { 0 };
    cw_buf out = { 0 }, err = { 0 };
    for (size_t i = 0; i < command->compiler_words; i++)
        cw_argv_add(&words, command->words.items[i]);
    cw_argv_add_all(&words, "-mllvm", "-tsan-distinguish-volatile=1", "-fsyntax-only", "-x", "c",
                    "/dev/null", CW_ARGV_END);
    bool is = cw_run_words(&words, &out, &err) == 0;
    cw_buf_free(&out);
    cw_buf_free(&err);
    return is;
}

static bool is_sanitized(const cw_command *command)
{
    for (size_t i = 0; i < command->nargs; i++) {
        const char *word = command->args[i].word;
        if (strncmp(word, "-fsanitize=", 11) == 0 &&
            (strstr(word, "thread") != NULL || strstr(word, "address") != NULL))
            return true;
    }
    return false;
}

bool cw_races_add(const cw_command *command, cw_temp *temp, cw_argv *words)
{
    if (is_sanitized(command)) {
        cw_complain("--races and -fsanitize=address or thread: one at a time");
        return false;
    }
    cw_argv_add(words, "-fsanitize=thread");
    if (is_clang(command))
        cw_argv_add_all(words, "-mllvm", "-tsan-distinguish-volatile=1", CW_ARGV_END);
    else
        cw_argv_add_all(words, "--param", "tsan-distinguish-volatile=1", "-Wno-tsan",
                        "-U__SANITIZE_THREAD__", CW_ARGV_END);
    for (size_t i = 0; i < FUNCTIONS; i++)
        cw_argv_add2(words, "-fno-builtin-", functions[i]);
    if (temp == NULL)
        return true;
    cw_buf text = { 0 };
    cw_races_text(&text);
    const char *file = cw_temp_file(temp, "races.h", text.data, text.length);
    cw_buf_free(&text);
    if (file != NULL)
        cw_argv_add_all(words, "-include", file, CW_ARGV_END);
    return file != NULL;
}
