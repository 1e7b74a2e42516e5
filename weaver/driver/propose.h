/* propose.h - --infer: the marks that are missing, as a patch. */
#ifndef CW_DRIVER_PROPOSE_H
#define CW_DRIVER_PROPOSE_H

#include "driver/command.h"
#include "driver/settings.h"

/* Prints a patch with the marks that the command's sources lack. Exit status: 0 when nothing else
 * is wrong. */
int cw_propose(const cw_settings *settings, const cw_command *command);

#endif
