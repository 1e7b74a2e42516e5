/* c_library.h - names that compilers know. */
#ifndef CW_PASSES_C_LIBRARY_H
#define CW_PASSES_C_LIBRARY_H

#include <stdbool.h>

bool cw_is_c_library(const char *name);

#endif
