/* infer.h - --infer: finds the missing marks. */
#ifndef CW_PASSES_INFER_H
#define CW_PASSES_INFER_H

#include <stdbool.h>

#include "base/types.h"

/* Applies the marks of options->infer, finds the marks that are still missing, adds them there, and
 * applies them too. */
bool cw_infer(cw_unit *unit);
/* Removes the directives that the preprocessor left (-dI), and records those that include
 * co4/mark.h. */
void cw_take_includes(cw_unit *unit);

#endif
