/* report.h - --report: what each pausable function keeps, and why. */
#ifndef CW_REPORT_REPORT_H
#define CW_REPORT_REPORT_H

#include <stdio.h>

#include "base/types.h"

void cw_report(cw_unit *unit, FILE *to);
/* When it takes its frame, in words. */
const char *cw_frame_taken(const cw_func *func);

#endif
