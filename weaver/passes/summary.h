/* summary.h - --auto: what a unit contributes to the program's graph of calls. */
#ifndef CW_PASSES_SUMMARY_H
#define CW_PASSES_SUMMARY_H

#include <stdbool.h>

#include "base/types.h"

/* Does nothing unless the options ask for a summary. That is the output then. */
bool cw_summarize(cw_unit *unit);

#endif
