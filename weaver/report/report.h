/* report.h - --report: what each pausable function keeps, and why. */
#ifndef CW_REPORT_REPORT_H
#define CW_REPORT_REPORT_H

#include <stdint.h>
#include <stdio.h>

#include "base/types.h"

/* Offset of the name in a function's definition. */
uint32_t cw_definition_of(const cw_decl *decl);

void cw_report(cw_unit *unit, FILE *to);
/* When it takes its frame, in words. */
const char *cw_frame_taken(const cw_func *func);

#endif
