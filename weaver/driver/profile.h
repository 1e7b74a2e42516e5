/* profile.h - what the profile of a command says about its functions. */
#ifndef CW_DRIVER_PROFILE_H
#define CW_DRIVER_PROFILE_H

#include <stdbool.h>

#include "base/buf.h"
#include "driver/command.h"

/* The greatest counter of each function, as text: `max NUMBER` for the whole program, then a line
 * for each function, `#CHECKSUM NUMBER` for gcc and `NAME NUMBER` for clang. An empty text: the
 * command makes a profile, or uses one that is not understood. NULL: it does neither. The caller
 * frees it. */
char *cw_profile_read(const cw_command *command, const char *source);

/* Moves what a compiler says about the profile from its messages to others: it is true of woven
 * code, but not of the source alone. Drops what is said of functions whose bodies are not those
 * that were measured, unless nothing else has let the compiler fail. */
void cw_profile_messages(cw_buf *said, bool failed, cw_buf *about);

#endif
