/* library.h - --auto: the library of co4 that a link takes. */
#ifndef CW_AUTO_LIBRARY_H
#define CW_AUTO_LIBRARY_H

#include "base/buf.h"
#include "base/names.h"
#include "base/plan.h"
#include "command/command.h"

/* A library for WebAssembly has no replacement for some calls, which have none there. */
typedef struct cw_library {
    const char *path; /* NULL: the command names none, and it is not for WebAssembly */
    cw_buf bytes;
    cw_names has; /* what it defines; empty for other targets, where it has everything */
} cw_library;

/* Finds and reads the library for a link of objects of WebAssembly. Returns false after a
 * message. */
bool cw_library_read(cw_library *library, const cw_command *command);
/* Roots without a replacement become calls that block; what cannot be wrapped is not. */
void cw_library_limit(const cw_library *library, cw_plan *roots);
void cw_library_free(cw_library *library);

#endif
