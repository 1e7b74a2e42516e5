/* text.h - the text of a unit, where the user wrote it, and what is said about it. */
#ifndef CW_TEXT_H
#define CW_TEXT_H

#include "base/base.h"

/* ---- text.c: source text, line markers ------------------------------------------------------ */

/* Where a file was included. */
typedef struct cw_inclusion {
    const char *file;
    uint32_t line;
    bool system; /* the file is a system header */
    const struct cw_inclusion *from;
} cw_inclusion;

/* The user's place for an offset, from the line markers of the preprocessor. File names are as
 * markers write them, with backslashes before quotes. */
typedef struct cw_place {
    const char *file;
    uint32_t line;
    uint32_t column;          /* from 1, in the preprocessed line */
    bool system;              /* in a system header */
    bool quiet;               /* there, or from a macro of one: compilers do not warn */
    const cw_inclusion *from; /* of the file; NULL: the source itself */
    uint32_t line_at;         /* offset at which the preprocessed line begins */
} cw_place;

typedef struct cw_marker {
    size_t first; /* index in unit->lines of the line after the marker */
    uint32_t line;
    const char *file;
    bool system, quiet;
    const cw_inclusion *from;
} cw_marker;

/* Spells anew what later readers of the text would have to know: gcc's preprocessor writes é as
 * \U000000e9 in names, libclang does not; digraphs become the brackets that they are; raw strings
 * become ordinary ones; digits lose their separators; comments in front of a directive go. Lines
 * stay. */
void cw_spell_plainly(cw_unit *unit);
void cw_lines_scan(cw_unit *unit);
/* Index in unit->lines of the preprocessed line that `at` is in. */
size_t cw_line_of(const cw_unit *unit, uint32_t at);
cw_place cw_place_of(const cw_unit *unit, uint32_t at);

/* Where an attribute stands that `pausable` or one of its kin has become. */
typedef struct cw_mark_at {
    uint32_t begin, end;
} cw_mark_at;

/* ---- tokens, of any text ---- */

/* Past the comment, string, character, number or word at `at`, or past one character. A string ends
 * with its line. */
size_t cw_skip_token(const char *text, size_t at, size_t length);
bool cw_begins_comment(const char *text, size_t at, size_t length);
/* Are they the same but for separators between digits? */
bool cw_same_token(const char *a, size_t a_length, const char *b, size_t b_length);

/* Is the word there, outside of comments and strings? */
bool cw_says(const char *text, size_t length, const char *word);

/* ---- in the text of a unit ---- */

/* Past white space, comments and directive lines. */
uint32_t cw_skip_blank(const cw_unit *unit, uint32_t at);
/* Offset past the string, character or comment that begins at `at`, or past one character. */
uint32_t cw_skip_unit(const cw_unit *unit, uint32_t at);
/* Index of the first mark that begins at or behind `at`. */
size_t cw_first_mark(const cw_unit *unit, uint32_t at);
/* Offset past the bracket that matches the one at `at`. */
uint32_t cw_skip_group(const cw_unit *unit, uint32_t at);
bool cw_is_word(char c);
/* Offset past the word that begins at `at`; the same when none does. */
uint32_t cw_skip_word(const cw_unit *unit, uint32_t at);
/* The next word in [*end, limit), outside of strings and comments; false: there is none. */
bool cw_next_word(const cw_unit *unit, uint32_t *at, uint32_t *end, uint32_t limit);
/* Is the word in a NULL-terminated list? */
bool cw_is_one_of(const char *word, size_t length, const char *const *list);
/* Is it typeof, in one of its spellings? */
bool cw_is_typeof(const char *word, size_t length);

/* ---- written.c: from the preprocessed text back to what the user wrote ----------------------- */

typedef struct cw_written_file {
    const char *name, *real; /* the latter without links and dots */
    const char *text;        /* "" when it cannot be read */
    size_t length;
    size_t *lines; /* offset of each */
    size_t nlines;
} cw_written_file;

/* Where the user wrote what became the text at an offset. */
typedef struct cw_site {
    const char *file;
    uint32_t line, column; /* from 1; columns are bytes */
    uint32_t length;       /* of the token there */
    const char *source;    /* the written line */
    const char *macro; /* the place came out of this macro, whose name stands there; else NULL */
    cw_place place;
} cw_site;

cw_site cw_site_of(cw_unit *unit, uint32_t at);
/* The definition of the macro, where it holds the word at `at` if it does. False: not found. */
bool cw_site_of_macro(cw_unit *unit, const char *macro, uint32_t at, cw_site *site);
/* A marker's file name without its backslashes. */
const char *cw_file_name(cw_unit *unit, const char *quoted);
const cw_written_file *cw_written(cw_unit *unit, const char *name);
/* Without its line end; NULL: there is no such line. */
const char *cw_written_line(cw_unit *unit, const cw_written_file *file, uint32_t line);

/* ---- comments.c ---- */

/* Puts back the comments that the preprocessor took away, where the files that the text came from
 * have them. */
void cw_restore_comments(cw_unit *unit);

/* ---- diag.c: what the user reads ------------------------------------------------------------- */

typedef enum cw_severity { CW_ERROR, CW_WARNING, CW_NOTE } cw_severity;

typedef struct cw_diagnostic {
    cw_severity severity;
    uint32_t at;
    cw_site site;
    const char *message, *hint, *option; /* the latter two may be NULL */
    struct cw_diagnostic **notes;
    size_t nnotes;
} cw_diagnostic;

/* One diagnostic, of the word at `at`. `hint` may be NULL. A note belongs to the one before it. */
void cw_diag(cw_unit *unit, cw_severity severity, uint32_t at, const char *hint, const char *format,
             ...) CW_PRINTF(5, 6);

/* What each -Wco4-NAME controls. ORDER names in diag.c */
typedef enum cw_warning {
    CW_W_BLOCKING,
    CW_W_HELD_LOCK,
    CW_W_THREAD_LOCAL,
    CW_W_VOID_POINTER,
    CW_NWARNINGS
} cw_warning;

typedef struct cw_warnings {
    bool off[CW_NWARNINGS];
    bool error[CW_NWARNINGS];
} cw_warnings;

/* Takes one word of the compilers' manner: -Wco4-x, -Wno-co4-x, -Werror=co4-x, -Wno-error=co4-x,
 * -Werror, -Wno-error, -w. False: it names a warning that there is not. Other words change
 * nothing. */
bool cw_warnings_read(cw_warnings *warnings, const char *word);
/* The names behind -Wco4-, NULL-terminated. */
extern const char *const cw_warning_names[];

/* A warning, or the error that it has been made. None in system headers, or when it is off. False:
 * none was given. */
bool cw_diag_warn(cw_unit *unit, cw_warning which, uint32_t at, const char *hint,
                  const char *format, ...) CW_PRINTF(5, 6);
/* Appends what has been collected, and forgets it. */
void cw_diags_write(cw_unit *unit, cw_buf *out);

#endif
