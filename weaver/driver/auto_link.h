/* auto_link.h - --auto: the link of a program in which functions pause without marks. */
#ifndef CW_DRIVER_AUTO_LINK_H
#define CW_DRIVER_AUTO_LINK_H

#include "driver/command.h"
#include "driver/settings.h"

/* Runs a link command, which may compile, with objects woven for the whole program. Returns its
 * status. */
int cw_auto_link(const cw_settings *settings, const cw_command *command);
/* Answers --why and --auto-report about a program of objects and archives, and does not link. */
int cw_auto_ask(const cw_settings *settings);

#endif
