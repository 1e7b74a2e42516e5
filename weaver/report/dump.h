/* dump.h - --dump: the unit as it is after a pass. */
#ifndef CW_REPORT_DUMP_H
#define CW_REPORT_DUMP_H

#include <stdio.h>

#include "base/types.h"

void cw_dump(cw_unit *unit, const char *pass, FILE *to);

#endif
