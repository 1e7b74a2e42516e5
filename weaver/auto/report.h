/* report.h - --auto: what a user hears of a program's graph. */
#ifndef CW_AUTO_REPORT_H
#define CW_AUTO_REPORT_H

#include <stddef.h>

#include "auto/graph.h"
#include "base/buf.h"

/* "f calls g / g calls read, a root": why a function pauses, or that it does not. */
void cw_program_why(const cw_program *program, const char *function, cw_buf *out);
/* Functions that pause, pointers that lead to them, functions that stay plain. */
void cw_program_report(const cw_program *program, cw_buf *out);
/* Adds up for each unit how many functions it has, and how many of them pause. */
void cw_program_count(const cw_program *program, size_t *functions, size_t *pausing);
/* Where plain code waits and blocks its thread, though the user has not asked for it: at most
 * `most` places, with paths; and what replaces a root and calls it. Returns how many there are.
 * `word`: "warning" or "error". */
size_t cw_program_blocks(const cw_program *program, const char *word, size_t most, cw_buf *out);
/* Functions that a source with marks declares as pausable ones, and that stay plain where they are
 * defined. Returns how many there are. */
size_t cw_program_lacks(const cw_program *program, cw_buf *out);

#endif
