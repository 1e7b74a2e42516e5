/* facts.h - forward data flow over a control-flow graph: a bit for each fact, set on some path. */
#ifndef CW_PASSES_FACTS_H
#define CW_PASSES_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ast/plan.h"
#include "base/types.h"

typedef struct cw_facts {
    cw_unit *unit;
    const cw_func *func;
    size_t count;
    /* What an event does to the bits. `report`: the bits at its block's begin are final. */
    void (*apply)(struct cw_facts *facts, const cw_event *event, uint64_t *bits, bool report);
    void *data;
} cw_facts;

/* Finds the bits at the begin of each block, and then applies all events once more, to report. */
void cw_facts_spread(cw_facts *facts);

#endif
