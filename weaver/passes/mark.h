/* mark.h - what mark.c and mark_entry.c share. */
#ifndef CW_MARK_H
#define CW_MARK_H

#include "weaver.h"

typedef struct cw_walk {
    cw_unit *unit;
    cw_func *func; /* NULL at file scope */
    bool unevaluated;
    const cw_func *noted; /* the last one of which it has been said that the mark is missing */
} cw_walk;

/* A mixed function takes the colour of the place that its name flows to. */
void cw_colour_mixed(cw_node *node, bool coloured);
/* As the user has written it, for messages. */
const char *cw_text_of(cw_unit *unit, const cw_node *node);

/* Turns a marker expression into CW_ENTRY, and one around a plain call into a call that is a
 * suspension point. */
void cw_recognise_entry(cw_walk *w, cw_node *node);

#endif
