/* infer.h - --infer: the marks that are missing. */
#ifndef CW_PASSES_INFER_H
#define CW_PASSES_INFER_H

#include <stdbool.h>

#include "base/types.h"

/* Takes the marks for written that options->infer has, finds what is missing then, adds it, and
 * takes it for written, too. */
bool cw_infer(cw_unit *unit);
/* Takes out the directives that the preprocessor has left (-dI), and notes those that include
 * co4/mark.h. */
void cw_take_includes(cw_unit *unit);

#endif
