/* complain.h - co4weave's own messages and exit statuses. */
#ifndef CW_COMMAND_COMPLAIN_H
#define CW_COMMAND_COMPLAIN_H

#include "base/buf.h"

enum {
    CW_EXIT_DONE = 0,
    CW_EXIT_REFUSED = 1, /* also if a step failed */
    CW_EXIT_USAGE = 2
};

/* Prints `co4weave: error: …` on stderr; after --diagnostics=json an object like those of
 * diagnostics. */
void cw_complain(const char *format, ...) CW_PRINTF(1, 2);
/* Appends the same line to a text, for a signal handler. */
void cw_put_complaint(cw_buf *out, const char *format, ...) CW_PRINTF(2, 3);
void cw_complain_as_json(void);

#endif
