/* function.h - the frame, the entries and the tables around a body. */
#ifndef CW_EMIT_FUNCTION_H
#define CW_EMIT_FUNCTION_H

#include "base/types.h"

/* Finds single bodies of the same type: they share a resume entry. Before any is written. */
void cw_share_resumes(cw_unit *unit);
void cw_function_wrap(cw_unit *unit, cw_func *func);
/* Small edits inside the body of a dual function, which loses its name to the plain entry. */
void cw_function_edits(cw_unit *unit, cw_func *func);

#endif
