/* library.h - the names of co4's library, as its headers declare them. */
#ifndef CW_TEXT_LIBRARY_H
#define CW_TEXT_LIBRARY_H

#include "base/arena.h"

/* The folder that has co4.h, by the line markers of a preprocessed text; NULL: the text includes
 * none of co4's headers. */
const char *cw_library_folder(cw_arena *arena, const char *text);
/* The header that declares a function, a type or a macro, as it is to be included: "co4/io.h", or
 * "co4.h" if that includes it. NULL: none does. */
const char *cw_library_header(cw_arena *arena, const char *folder, const char *name);
/* What somebody may mean who calls a function that no header declares: an expression by the names
 * of other libraries, or the function with the nearest name. NULL: nothing is near. */
const char *cw_library_meant(cw_arena *arena, const char *folder, const char *name);

#endif
