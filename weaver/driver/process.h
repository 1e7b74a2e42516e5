/* process.h - runs programs, and catches their output. */
#ifndef CW_DRIVER_PROCESS_H
#define CW_DRIVER_PROCESS_H

#include <stdbool.h>

#include "base/buf.h"

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

#endif
