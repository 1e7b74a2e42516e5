/* weaver.h - the map of co4weave. */
#ifndef CW_WEAVER_H
#define CW_WEAVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* ---- weave.c: the pipeline over one unit ---------------------------------------------------- */

typedef struct cw_options {
    const char *source;           /* the file the user named; used when no line marker says better */
    const char *const *parse_args; /* extra arguments for libclang: target triple, -std, -f…; not -I or -D */
    size_t nparse_args;
    const char *dump;             /* print the unit after this pass to `out`; NULL: none */
    bool force_pauses;            /* --force-pauses */
    bool report;                  /* --report: print it to `report_to` */
    bool color;                   /* diagnostics in colour */
    FILE *report_to;
    FILE *messages;               /* diagnostics */
} cw_options;

typedef enum cw_outcome {
    CW_WOVEN,      /* *text is the woven unit, owned by the caller (free) */
    CW_NOTHING,    /* nothing pausable in use: *text is NULL; compile the input as it is */
    CW_REFUSED,    /* the user's mistakes, all reported */
    CW_UNPARSABLE, /* libclang found errors in user code and nothing was reported yet: let the build's compiler
                      speak; when it accepts the code, say so with cw_report_parse_errors() */
} cw_outcome;

/* Weaves one preprocessed unit (`text`, `length` bytes). */
cw_outcome cw_weave(const cw_options *options, const char *text, size_t length, char **woven,
                    size_t *woven_length);

/* The names --dump takes, NULL-terminated, in pipeline order. */
extern const char *const cw_pass_names[];

#endif
