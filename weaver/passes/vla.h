/* vla.h - types whose size is computed. */
#ifndef CW_PASSES_VLA_H
#define CW_PASSES_VLA_H

#include <stdbool.h>

#include "base/types.h"

/* Finds the declarations whose lengths have to be kept. */
void cw_find_lengths(cw_func *func);
bool cw_type_is_vm(const cw_type *type);    /* variably modified, as the standard says */
bool cw_type_is_known(const cw_type *type); /* all lengths in it are kept */

#endif
