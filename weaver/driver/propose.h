/* propose.h - --infer: prints the missing marks as a patch. */
#ifndef CW_DRIVER_PROPOSE_H
#define CW_DRIVER_PROPOSE_H

#include "command/command.h"
#include "command/settings.h"

/* Prints a patch with the marks missing in the command's sources. Exit status: 0 if there are no
 * other errors. */
int cw_propose(const cw_settings *settings, const cw_command *command);

#endif
