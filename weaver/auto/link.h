/* link.h - --auto: the link of a program in which functions pause without marks. */
#ifndef CW_AUTO_LINK_H
#define CW_AUTO_LINK_H

#include "command/settings.h"

/* Weaves what pauses of the program of a link command, says what was asked, and links; without
 * `links` only the first two. `instead`: for each argument of the command, the file that replaces
 * it, such as the object of a source; NULL: none. The caller frees these. Returns the status. */
int cw_link_program(const cw_settings *settings, const cw_command *command, char **instead,
                    bool links);

#endif
