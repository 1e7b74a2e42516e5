/* options.h - the options of one weaving. */
#ifndef CW_BASE_OPTIONS_H
#define CW_BASE_OPTIONS_H

#include <stdio.h>

#include "base/types.h"

/* How many copies of a function's body the woven function has. */
typedef enum cw_entry_mode {
    CW_ENTRIES_AUTO,  /* dual, but single for functions with a great many suspension points */
    CW_ENTRIES_DUAL,  /* two bodies: the direct one contains no code for resuming */
    CW_ENTRIES_SINGLE /* one body that tests at run time how it was entered: less code */
} cw_entry_mode;

/* What woven code describes to backtraces, dumps and debuggers. */
typedef enum cw_table_mode {
    CW_TABLES_AUTO,  /* full, but lines without -g, and none in small code for WebAssembly */
    CW_TABLES_FULL,  /* functions, their suspension points and fields */
    CW_TABLES_LINES, /* functions and their suspension points */
    CW_TABLES_NONE   /* functions */
} cw_table_mode;

typedef struct cw_options {
    const char *source; /* the file the user named; used where no line marker names another */
    const char *const
        *parse_args; /* extra arguments for libclang: target, -std, -f…; not -I or -D */
    size_t nparse_args;
    const char *const *prefix_maps; /* -fmacro-prefix-map and the like, OLD=NEW each */
    size_t nprefix_maps;
    bool preprocessed; /* the original files exist, with their comments */
    const char *dump;  /* print the unit after this pass to `report_to`; NULL: none */
    bool force_pauses; /* --force-pauses */
    bool stress;       /* --stress=SEED */
    unsigned long long seed;
    const struct cw_plan
        *plan;        /* --auto: what pauses in the whole program; NULL: only what is marked */
    bool summary;     /* --auto: the output is what the unit contributes to the program's graph */
    bool auto_report; /* --auto-report */
    bool auto_yields; /* --auto-yields */
    bool from_js;     /* JavaScript may call the functions: the target is WebAssembly */
    bool regions;     /* the compiler interprets OpenMP's or OpenACC's pragmas */
    cw_entry_mode entries; /* --entry= */
    cw_table_mode tables;  /* --tables= */
    bool spares_fields;    /* the command has no -g, so no debugger reads them */
    bool report;           /* --report: print it to `report_to` */
    unsigned report_json;  /* --report=json */
    bool graph;            /* --graph: the same */
    bool color;            /* diagnostics in colour */
    unsigned json;         /* --diagnostics=json: one object a line */
    const struct cw_warnings *warnings;
    struct cw_patch *infer; /* --infer: collects the missing marks; nothing is woven */
    bool quiet;             /* no diagnostics: a later round has them */
    FILE *report_to;
    FILE *messages; /* diagnostics */
    FILE *left_to;  /* the functions that stay plain although the plan names them; NULL: nowhere */
} cw_options;

/* Do functions pause that have no mark? */
static inline bool cw_weaves_unmarked(const cw_options *options)
{
    return options->stress || options->plan != NULL || options->summary;
}

#endif
