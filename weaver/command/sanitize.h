/* sanitize.h - selects the library that matches a sanitizer. */
#ifndef CW_COMMAND_SANITIZE_H
#define CW_COMMAND_SANITIZE_H

#include <stdbool.h>

#include "command/argv.h"

/* Replaces the library in a link by the one built with the link's sanitizer. Returns true if the
 * words have changed. */
bool cw_use_sanitized(cw_argv *words);

#endif
