/* driver.h - co4weave around the weaver: its options, other programs, files. The map:
 *
 *   main.c       which of the two ways in, and usage
 *   command.c    a compiler's command line as data (command.h)
 *   settings.c    co4weave's own options
 *   source.c     one C source: preprocess, weave, say what came of it
 *   wrap.c       co4weave cc …: weave what needs it, then compile
 *   propose.c    --infer: the marks that are missing
 *   process.c    runs programs, catches what they print
 *   home.c       where co4's header and library are, for programs that do not name them
 *   deep.c       runs what goes as deep as the source does
 *   files.c      whole files in memory, temporary folders, files that are written whole */
#ifndef CW_DRIVER_H
#define CW_DRIVER_H

#include "driver/command.h"
#include "weaver.h"

enum {
    CW_EXIT_DONE = 0,
    CW_EXIT_REFUSED = 1, /* also: could not be done */
    CW_EXIT_USAGE = 2
};

/* `co4weave: error: …` on stderr; after --diagnostics=json an object like those of diagnostics. */
void cw_complain(const char *format, ...) CW_PRINTF(1, 2);
void cw_complain_as_json(void);

/* ---- settings.c ------------------------------------------------------------------------------ */

typedef struct cw_settings {
    const char *input;    /* file form: IN.c */
    const char *output;   /* -o: OUT.c, or "-" */
    const char *compiler; /* --cc=, else $CC, else cc: words separated by blanks */
    const char *dump;     /* --dump=PASS */
    bool report;
    bool report_json; /* --report=json */
    bool graph;
    bool force_pauses;
    cw_color color;  /* --color= */
    bool colored;    /* it was given; else the compile command may say */
    bool json;       /* --diagnostics=json */
    bool infer;      /* --infer */
    cw_patch *patch; /* what it has found so far */
    bool quiet;      /* nothing is said: it will be said again */
    cw_warnings warnings;
    bool auto_yields;
    cw_entry_mode entries;
    cw_table_mode tables;
    bool stress;
    unsigned long long seed; /* of --stress */
    bool help;
    bool version;
    char *const *rest; /* wrapping form: the compile command. File form: FLAGS behind `--` */
    bool wraps;
} cw_settings;

/* Are messages of this command in colour? What --color says; else what the compiler was told; else
 * on a terminal, when NO_COLOR is not set. */
bool cw_settings_color(const cw_settings *settings, const cw_command *command);

/* What warnings a command leads to: our options, then its own. False: bad usage, and it has been
 * said. */
bool cw_settings_warnings(const cw_settings *settings, const cw_command *command,
                          cw_warnings *warnings);

/* False: bad usage, and it has been said. */
bool cw_settings_read(cw_settings *settings, char *const argv[]);

/* ---- process.c ------------------------------------------------------------------------------ */

/* All return an exit status as a shell would give it, or -1 when the program could not be started,
 * which has then been said. */
int cw_run(char *const argv[]);
int cw_run_captured(char *const argv[], cw_buf *out, cw_buf *err);
/* As cw_run(), but for its messages. */
int cw_run_listening(char *const argv[], cw_buf *err);

/* From here on each program that is run finds all of our standard input again. False: it cannot be
 * read, and that has been said. */
bool cw_keep_stdin(void);

/* Becomes the program; returns only when that fails, having said so. */
int cw_exec(char *const argv[]);

/* ---- files.c -------------------------------------------------------------------------------- */

/* Each says what went wrong before it returns false. */
bool cw_file_read(const char *path, cw_buf *text);

/* The file has all of the text, or is as it was before. "-" is the standard output. */
bool cw_file_write(const char *path, const char *text, size_t length);
/* Is an output, which may be NULL, the same file as an input, by whatever name? */
bool cw_file_is_same(const char *input, const char *output);

/* A private folder that is gone after cw_temp_remove(). */
typedef struct cw_temp {
    char *folder; /* NULL: not made yet */
    cw_argv files;
    cw_argv folders;
} cw_temp;

/* Makes a file FOLDER/NUMBER/NAME, where NUMBER keeps equal names apart. NULL: it could not be, and
 * that has been said. The path belongs to `temp`. */
const char *cw_temp_file(cw_temp *temp, const char *name, const char *text, size_t length);
void cw_temp_remove(cw_temp *temp);

/* ---- source.c ------------------------------------------------------------------------------- */

typedef struct cw_woven {
    cw_outcome outcome;
    cw_buf text;     /* CW_WOVEN: the woven unit */
    int status;      /* CW_REFUSED and CW_UNPARSABLE: what to exit with */
    cw_buf messages; /* CW_WOVEN: what the compiler said while it preprocessed */
} cw_woven;

/* Preprocesses and weaves the index-th source of the command. All that there is to say has been
 * said, but for `messages`. */
void cw_source_weave(const cw_settings *settings, const cw_command *command, size_t index,
                     cw_woven *result);

/* What the compiler says of the index-th source as the user wrote it: its places, names and numbers
 * of arguments are not those of the woven text. Its exit status. */
int cw_source_messages(const cw_settings *settings, const cw_command *command, size_t index,
                       cw_buf *messages);

/* ---- deep.c -------------------------------------------------------------------------------- */

/* Runs it on a thread with much stack. `source` is for the message when that is not enough, which
 * ends the program. */
void cw_run_deep(const char *source, void (*run)(void *data), void *data);

/* ---- home.c --------------------------------------------------------------------------------- */

/* The path of a header in co4/, or of libco4.a; NULL: not found, and that has been said. Caller
 * frees the header's. */
char *cw_home_header(const char *name);
const char *cw_home_library(void);
/* The same, without a message. */
const char *cw_home_library_or_null(void);

/* ---- sanitize.c ---- */

/* Names the library that was built with the sanitizer of a link. True: the words have changed. */
bool cw_use_sanitized(cw_argv *words);

/* ---- wrap.c --------------------------------------------------------------------------------- */

/* Runs the compile command `settings->rest`, with what is pausable in it woven. Exit status. */
int cw_wrap(const cw_settings *settings);

/* ---- propose.c ------------------------------------------------------------------------------ */

/* Prints a patch with the marks that the command's sources lack. Exit status: 0 when nothing else
 * is wrong. */
int cw_propose(const cw_settings *settings, const cw_command *command);

#endif
