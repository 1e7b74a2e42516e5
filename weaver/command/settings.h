/* settings.h - co4weave's own options. */
#ifndef CW_COMMAND_SETTINGS_H
#define CW_COMMAND_SETTINGS_H

#include "base/options.h"
#include "base/plan.h"
#include "command/command.h"
#include "text/diag.h"
#include "text/patch.h"

typedef struct cw_settings {
    cw_options options;                 /* those of a weaving, of any source */
    const char *input;                  /* file form: IN.c */
    const char *output;                 /* -o: OUT.c, or "-" */
    const char *compiler;               /* --cc=, else $CC, else cc: words separated by blanks */
    const char *why;                    /* --why=FUNCTION */
    cw_argv roots;                      /* --roots=FILE … */
    cw_argv kept_plain;                 /* --plain=FUNCTION … */
    const char *auto_cache;             /* --auto-cache=FOLDER; NULL: the user's; "": none */
    unsigned long long auto_cache_size; /* bytes */
    const char *auto_left; /* --auto-left=FILE: gets what stays plain against the plan; NULL */
    const char *auto_text; /* --auto-text=FILE: the preprocessed source; NULL */
    /* --auto-woven=FILE: gets the woven text, which is not compiled; or has it already: then it is
     * compiled. NULL */
    const char *auto_woven;
    char *const *rest; /* wrapping form: the compile command. File form: the FLAGS after `--` */
    cw_plan plan;      /* --auto-plan=: of `options` */
    cw_warnings warnings;
    cw_color color; /* --color= */
    bool colored;   /* --color was given; otherwise the compile command decides */
    bool infer;     /* --infer */
    bool whole;     /* --auto: of the whole program */
    bool strict;    /* --auto=strict */
    bool threads;   /* --auto=threads */
    bool simulates; /* --auto=test */
    bool accesses;  /* --preempt=access */
    bool races;     /* --races */
    bool asks;      /* --why=, --auto-report, and then objects, not a command */
    bool help;
    bool version;
    bool wraps;
} cw_settings;

/* Are messages of this command in colour? --color decides, else the compiler's option, else whether
 * stderr is a terminal and NO_COLOR is not set. */
bool cw_settings_color(const cw_settings *settings, const cw_command *command);
/* The warnings for a command: our options, then the command's. Returns false after a message if an
 * option is wrong. */
bool cw_settings_warnings(const cw_settings *settings, const cw_command *command,
                          cw_warnings *warnings);
/* The word that an option like "--entry=" has, or its default. */
const char *cw_settings_word(const cw_settings *settings, const char *option);
/* Returns false after a message if an option is wrong. Pair with cw_settings_free() in any case. */
bool cw_settings_read(cw_settings *settings, char *const argv[]);
void cw_settings_free(cw_settings *settings);

#endif
