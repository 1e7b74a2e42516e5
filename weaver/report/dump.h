/* dump.h - --dump: prints the unit after a pass. */
#ifndef CW_REPORT_DUMP_H
#define CW_REPORT_DUMP_H

#include <stdio.h>

#include "base/types.h"

typedef enum cw_dump_kind {
    CW_DUMP_TREE, /* with plans, once they exist */
    CW_DUMP_CFG,
    CW_DUMP_LIVENESS, /* the graph, with the live locals of each point */
    CW_DUMP_FRAME,
    CW_DUMP_TEXT
} cw_dump_kind;

void cw_dump(cw_unit *unit, cw_dump_kind kind, FILE *to);

#endif
