/* graph.h - --graph: prints which functions may wait in which. */
#ifndef CW_REPORT_GRAPH_H
#define CW_REPORT_GRAPH_H

#include <stdio.h>

#include "base/types.h"

void cw_graph(cw_unit *unit, FILE *to);

#endif
