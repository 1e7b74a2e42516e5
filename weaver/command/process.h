/* process.h - runs programs, and catches their output. */
#ifndef CW_COMMAND_PROCESS_H
#define CW_COMMAND_PROCESS_H

#include "base/buf.h"
#include "command/argv.h"

/* Mends what the parent may have left: an ignored SIGCHLD, and standard streams that are closed,
 * whose numbers another file would get. Call it first. Returns false after a message. */
bool cw_process_begin(void);

/* Runs a program. Its output and its messages are appended to the buffers; NULL: they are ours.
 * Where there are too many words for the system, it gets them in a file, as `@FILE`. Returns an
 * exit status as a shell would, or -1, after a message, if the program could not be started. */
int cw_run(char *const argv[], cw_buf *out, cw_buf *err);
/* The same of words that it frees. */
int cw_run_words(cw_argv *words, cw_buf *out, cw_buf *err);

/* After this call each program gets all that comes from a descriptor again: from the standard
 * input, or from a pipe that a shell has opened. Returns false after a message if it cannot be
 * read. */
bool cw_keep_descriptor(int fd);

/* Text that differs between two commands whose answers may differ: the words, and the file that is
 * run. NULL if a script would be run, which may look at anything. The caller frees it. */
char *cw_program_question(char *const argv[]);

/* Replaces this process by the program, or runs it where its words need a file. Returns its status,
 * or that of a failure, after a message. */
int cw_exec(char *const argv[]);

/* ---- link_hints.c ---- */

/* After a link by these words that has failed: says what names in the linker's messages mean. */
void cw_hint_at_link(const char *messages, char *const argv[]);
/* Runs a link, and explains its failure. Returns as cw_run() does. */
int cw_run_link(char *const argv[]);

#endif
