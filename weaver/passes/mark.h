/* mark.h - which functions, pointers and calls pause. */
#ifndef CW_PASSES_MARK_H
#define CW_PASSES_MARK_H

#include <stdbool.h>

#include "ast/decl.h"
#include "base/types.h"

bool cw_mark(cw_unit *unit);
/* Is this declaration of a function `type name;`, with the parameters in the typedef? Its type
 * alone does not tell: clang gives later declarations the typedef of earlier ones. */
bool cw_is_by_typedef(const cw_unit *unit, const cw_decl *decl, const cw_redecl *one);
/* The declaration that a function or pointer came from: its own, the pointer's, or the typedef with
 * the parameters. */
const cw_decl *cw_callee_decl(const cw_node *callee);

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

#endif
