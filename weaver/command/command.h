/* command.h - a C compiler's command line as data, and the command lines derived from it.
 *
 * It reads strings and builds strings; it knows no process and, apart from @response files, no
 * file. tests/unit/test_command.c tests it. */
#ifndef CW_COMMAND_COMMAND_H
#define CW_COMMAND_COMMAND_H

#include "command/argv.h"

/* The purpose of an argument decides which of the derived command lines contain it. */
typedef enum cw_arg_kind {
    CW_ARG_PLAIN,      /* for the compiler proper: kept everywhere */
    CW_ARG_SOURCE,     /* a C source, which is preprocessed, woven and replaced */
    CW_ARG_INPUT,      /* any other file: an object, a library, another language */
    CW_ARG_LANGUAGE,   /* -x LANG: applies to the inputs after it */
    CW_ARG_STAGE,      /* -c -S -E -fsyntax-only: where the compiler stops */
    CW_ARG_OUTPUT,     /* -o FILE */
    CW_ARG_PREPROCESS, /* -D -I -include …: no longer needed once the text is preprocessed */
    CW_ARG_DEPEND,     /* -MD -MF …: the same, and names a file for dependencies */
    CW_ARG_COMMENTS,   /* -C -P -H …: would change the text or add to it; dropped when weaving */
    CW_ARG_OURS,       /* -Wco4-…: hidden from the compiler */
    CW_ARG_LATER       /* -l -Wl, -Wa, …: useless for the preprocessor, which may complain */
} cw_arg_kind;

/* One option with its value, which may be the same word (-DX), the next word (-D X) or none. */
typedef struct cw_arg {
    cw_arg_kind kind;
    const char *word;     /* as written */
    const char *next;     /* the next word if it is the value; else NULL */
    const char *value;    /* the value in either position; NULL: none. For inputs the path */
    const char *language; /* CW_ARG_SOURCE: the -x in effect; NULL: the file's name decided */
} cw_arg;

typedef enum cw_stage {
    CW_STAGE_LINK,     /* neither of the others: compile all and link */
    CW_STAGE_OBJECT,   /* -c */
    CW_STAGE_ASSEMBLY, /* -S */
    CW_STAGE_CHECK,    /* -fsyntax-only */
    CW_STAGE_NONE      /* -E, -M, -###, --help, …: generates no code */
} cw_stage;

typedef struct cw_command {
    cw_argv words;         /* the command with response files expanded; args point into it */
    size_t compiler_words; /* how many of them name the compiler: "cc", or "ccache cc" */
    cw_arg *args;
    size_t nargs;
    cw_stage stage;
    const char *output; /* the last -o; NULL: none */
    size_t nsources;
    size_t nothers;      /* inputs that are preprocessed but not woven: .S, C++ */
    bool has_ours;       /* it contains -Wco4-… or the like */
    bool is_odd;         /* a value is missing: the compiler reports it */
    bool reads_stdin;    /* "-" is an input */
    bool writes_depfile; /* -MD or -MMD */
    bool names_depfile;  /* -MF */
    bool names_target;   /* -MT or -MQ */
} cw_command;

/* Reads `compiler arguments…`. Always succeeds. Pair with cw_command_free(). */
void cw_command_read(cw_command *command, char *const words[]);
void cw_command_free(cw_command *command);

/* Does the compiler read this input as C++? */
bool cw_command_is_cpp(const cw_command *command, const cw_arg *input);

/* Can the command run unchanged, because nothing in it needs weaving? */
bool cw_command_is_passed_on(const cw_command *command);

/* Does the compiler write debug information? */
bool cw_command_debugs(const cw_command *command);

/* The argument of the index-th C source, from 0. */
const cw_arg *cw_command_source(const cw_command *command, size_t index);

/* Builds the command that preprocesses the index-th source for the weaver. It writes the text to
 * standard output, and a requested depfile to the original command's file. */
void cw_command_preprocess(const cw_command *command, size_t index, bool color, cw_argv *out);

/* Builds the command that compiles the index-th source as the user wrote it, with its marks. */
void cw_command_original(const cw_command *command, size_t index, bool color, const char *output,
                         cw_argv *out);

/* The same for the compiler's messages only, in the shortest time. `output` is of no use. */
void cw_command_messages(const cw_command *command, size_t index, bool color, const char *output,
                         cw_argv *out);

/* Can all sources be read twice? Not a FIFO, but pipes that are open: co4weave keeps them. */
bool cw_command_rereads(const cw_command *command);
/* Has it this word, as an argument or its first word? */
bool cw_command_has(const cw_command *command, const char *word);
/* Does the compiler optimize by a profile? */
bool cw_command_reads_profile(const cw_command *command);

typedef enum cw_color { CW_COLOR_AUTO, CW_COLOR_ALWAYS, CW_COLOR_NEVER } cw_color;

/* The value of the last -fdiagnostics-color or the like; CW_COLOR_AUTO if there is none. */
cw_color cw_command_color(const cw_command *command);

/* Builds the original command without the words for co4weave. */
void cw_command_as_it_was(const cw_command *command, cw_argv *out);

/* Builds the original command with sources replaced by preprocessed files: replacements[i] is the
 * path for the i-th source, or NULL to keep it. Depfiles of replaced sources are already
 * written. */
void cw_command_compile(const cw_command *command, const char *const replacements[], cw_argv *out);

/* Builds the command that only checks a preprocessed file, so that the compiler reports its
 * errors. */
void cw_command_check(const cw_command *command, const char *preprocessed, cw_argv *out);

/* Builds the command that prints the target triple: `cc -dumpmachine` with the flags that select a
 * target. */
void cw_command_ask_target(const cw_command *command, cw_argv *out);

/* Builds the options with which libclang reads the preprocessed text as the compiler does: language
 * standard, target, and whatever changes the meaning or layout of types. `triple` may be NULL. */
void cw_command_parse_args(const cw_command *command, const char *triple, cw_argv *out);

/* Adds what -ffile-prefix-map and -fmacro-prefix-map say, OLD=NEW each, in the command's order. */
void cw_command_prefix_maps(const cw_command *command, cw_argv *out);

/* The co4 library among the command's inputs; NULL. */
const char *cw_command_library(const cw_command *command);

/* Has it settings of Emscripten, such as -sEXIT_RUNTIME? They are for links. */
bool cw_command_has_settings(const cw_command *command);
/* How many words from this one are a setting about Asyncify or JSPI; 0: it is none. */
size_t cw_command_switches_stacks(const cw_command *command, size_t at);

/* Does the compiler interpret the pragmas of OpenMP or OpenACC? */
bool cw_command_has_regions(const cw_command *command);

#endif
