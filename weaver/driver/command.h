/* command.h - a C compiler's command line as data, and the command lines made from it.
 *
 * Pure: reads strings, makes strings; knows no process and, but for @response files, no file.
 * tests/unit/test_command.c drives it. */
#ifndef CW_DRIVER_COMMAND_H
#define CW_DRIVER_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "driver/argv.h"

/* What an argument is for decides in which of our command lines it stays. */
typedef enum cw_arg_kind {
    CW_ARG_PLAIN,      /* means something to the compiler proper: kept everywhere */
    CW_ARG_SOURCE,     /* a C source: what we preprocess, weave, and replace */
    CW_ARG_INPUT,      /* any other file: an object, a library, another language */
    CW_ARG_LANGUAGE,   /* -x LANG: of the inputs behind it */
    CW_ARG_STAGE,      /* -c -S -E -fsyntax-only: where the compiler stops */
    CW_ARG_OUTPUT,     /* -o FILE */
    CW_ARG_PREPROCESS, /* -D -I -include …: has done its work once the text is preprocessed */
    CW_ARG_DEPEND,     /* -MD -MF …: the same, and names a file of the preprocessor */
    CW_ARG_COMMENTS,   /* -C -P -H …: would change the text or add to it; dropped when weaving */
    CW_ARG_OURS,       /* -Wco4-…: the compiler never sees it */
    CW_ARG_LATER       /* -l -Wl, -Wa, …: of no use to the preprocessor, which may complain */
} cw_arg_kind;

/* One option with its value, which may be the same word (-DX), the next word (-D X) or none. */
typedef struct cw_arg {
    cw_arg_kind kind;
    const char *word;     /* as written */
    const char *next;     /* the word behind it when the value stands there; else NULL */
    const char *value;    /* the value, wherever it stands; NULL: none. For inputs the path */
    const char *language; /* CW_ARG_SOURCE: the -x in force, NULL when its name decided */
} cw_arg;

typedef enum cw_stage {
    CW_STAGE_LINK,     /* neither of the others: compile all and link */
    CW_STAGE_OBJECT,   /* -c */
    CW_STAGE_ASSEMBLY, /* -S */
    CW_STAGE_CHECK,    /* -fsyntax-only */
    CW_STAGE_NONE      /* -E, -M, -###, --help, …: no code is made */
} cw_stage;

typedef struct cw_command {
    cw_argv words;         /* the command with response files expanded; args point into it */
    size_t compiler_words; /* the first of them: "cc", or "ccache cc" */
    cw_arg *args;
    size_t nargs;
    cw_stage stage;
    const char *output; /* the last -o; NULL: none */
    size_t nsources;
    size_t nothers;      /* inputs that are preprocessed but not ours: .S, C++ */
    bool has_ours;       /* -Wco4-… and the like are among its words */
    bool is_odd;         /* a value is missing: the compiler's affair */
    bool reads_stdin;    /* "-" is among its inputs */
    bool writes_depfile; /* -MD or -MMD */
    bool names_depfile;  /* -MF */
    bool names_target;   /* -MT or -MQ */
} cw_command;

/* Reads `compiler arguments…`. Always succeeds; cw_command_free() afterwards. */
void cw_command_read(cw_command *command, char *const words[]);
void cw_command_free(cw_command *command);

/* Does the compiler read this input as C++? */
bool cw_command_is_cpp(const cw_command *command, const cw_arg *input);

/* Nothing in it can need weaving: it is to run as it is. */
bool cw_command_is_passed_on(const cw_command *command);

/* The argument of the index-th C source, from 0. */
const cw_arg *cw_command_source(const cw_command *command, size_t index);

/* The command that writes the index-th source, preprocessed for the weaver, to its standard output,
 * and the depfile, if one is asked for, to where the original command would have put it. */
void cw_command_preprocess(const cw_command *command, size_t index, bool color, cw_argv *out);

/* The command that compiles the index-th source as it was written, marks and all, for what the
 * compiler says of it. */
void cw_command_original(const cw_command *command, size_t index, bool color, const char *output,
                         cw_argv *out);

typedef enum cw_color { CW_COLOR_AUTO, CW_COLOR_ALWAYS, CW_COLOR_NEVER } cw_color;

/* What the last of -fdiagnostics-color and its kin asks for; without any, CW_COLOR_AUTO. */
cw_color cw_command_color(const cw_command *command);

/* The command as it was given, without the words that are ours. */
void cw_command_as_it_was(const cw_command *command, cw_argv *out);

/* The original command with sources replaced by preprocessed files: replacements[i] is the path for
 * the i-th source, NULL to leave it alone. Depfiles of replaced sources are already written. */
void cw_command_compile(const cw_command *command, const char *const replacements[], cw_argv *out);

/* The command that only checks a preprocessed file, so that the compiler says what is wrong with
 * it. */
void cw_command_check(const cw_command *command, const char *preprocessed, cw_argv *out);

/* The command that prints the target triple: `cc -dumpmachine` and the flags that choose a
 * target. */
void cw_command_ask_target(const cw_command *command, cw_argv *out);

/* What libclang has to know to read the preprocessed text as the compiler does: language standard,
 * target and whatever changes the meaning or layout of types. `triple` may be NULL. */
void cw_command_parse_args(const cw_command *command, const char *triple, cw_argv *out);

/* Has the command a co4 library among its inputs? */
bool cw_command_names_library(const cw_command *command);

/* Does the compiler read the pragmas of OpenMP or OpenACC? */
bool cw_command_has_regions(const cw_command *command);

#endif
