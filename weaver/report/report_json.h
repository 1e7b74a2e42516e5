/* report_json.h - --report=json. */
#ifndef CW_REPORT_REPORT_JSON_H
#define CW_REPORT_REPORT_JSON_H

#include <stdio.h>

#include "base/types.h"

void cw_report_json(cw_unit *unit, FILE *to);

#endif
