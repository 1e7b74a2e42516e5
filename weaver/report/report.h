/* report.h - --report: the saved locals and the frame of each pausable function. */
#ifndef CW_REPORT_REPORT_H
#define CW_REPORT_REPORT_H

#include <stdio.h>

#include "base/types.h"

void cw_report(cw_unit *unit, FILE *to);
/* Says in words when the function takes its frame. */
const char *cw_frame_taken(const cw_func *func);

#endif
