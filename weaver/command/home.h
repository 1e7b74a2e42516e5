/* home.h - finds co4's header and library for programs that do not name them. */
#ifndef CW_COMMAND_HOME_H
#define CW_COMMAND_HOME_H

#include "command/argv.h"

/* The path of a file of ours: "include", "co4/abi.h". Returns NULL after a message if it is not
 * there. The caller frees it. */
char *cw_home_file(const char *folder, const char *name);
/* The path of libco4.a, likewise; the caller does not free it. */
const char *cw_home_library(void);
/* The same, without a message. */
const char *cw_home_library_or_null(void);

/* Replaces the library in a link by the one built with the link's sanitizer. Returns true if the
 * words have changed. */
bool cw_use_sanitized(cw_argv *words);

/* … for another target, whose name it has among cmake/toolchains: of an installed copy below
 * lib/co4/, of a build tree below targets/. NULL after a message. */
const char *cw_home_library_for(const char *target);

#endif
