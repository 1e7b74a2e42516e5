/* diag.h - diagnostics. */
#ifndef CW_TEXT_DIAG_H
#define CW_TEXT_DIAG_H

#include "base/buf.h"
#include "text/source_map.h"

typedef enum cw_severity { CW_ERROR, CW_WARNING, CW_NOTE } cw_severity;

typedef struct cw_diagnostic {
    cw_severity severity;
    uint32_t at;
    cw_site site;
    const char *message, *hint, *option; /* `hint` and `option` may be NULL */
    struct cw_diagnostic **notes;
    size_t nnotes;
} cw_diagnostic;

/* Reports one diagnostic at the word at `at`. `hint` may be NULL. A note belongs to the diagnostic
 * before it. */
void cw_diag(cw_unit *unit, cw_severity severity, uint32_t at, const char *hint, const char *format,
             ...) CW_PRINTF(5, 6);

/* What each -Wco4-NAME controls. ORDER names in diag.c */
typedef enum cw_warning {
    CW_W_BLOCKING,
    CW_W_HELD_LOCK,
    CW_W_THREAD_LOCAL,
    CW_W_VOID_POINTER,
    CW_W_LOST_TASK,
    CW_W_SHARED_STATE,
    CW_W_TIME,
    CW_W_UNUSED_TRY,
    CW_W_CODE,
    CW_W_ENDLESS,
    CW_W_LOCAL_ADDRESS,
    CW_NWARNINGS
} cw_warning;

typedef struct cw_warnings {
    bool off[CW_NWARNINGS];
    bool error[CW_NWARNINGS];
} cw_warnings;

/* Reads one option in the compilers' style: -Wco4-x, -Wno-co4-x, -Werror=co4-x, -Wno-error=co4-x,
 * -Werror, -Wno-error, -w. Returns false if it names a warning that does not exist. Any other word
 * changes nothing. */
bool cw_warnings_read(cw_warnings *warnings, const char *word);
/* The names after -Wco4-, NULL-terminated. */
extern const char *const cw_warning_names[];

/* Reports a warning, or an error if the options make it one. Reports nothing in system headers, or
 * if the warning is off. Returns false if nothing was reported. */
bool cw_diag_warn(cw_unit *unit, cw_warning which, uint32_t at, const char *hint,
                  const char *format, ...) CW_PRINTF(5, 6);
/* Appends the collected diagnostics to `out`, and clears the collection. */
void cw_diags_write(cw_unit *unit, cw_buf *out);

#endif
