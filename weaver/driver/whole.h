/* whole.h - --auto: commands of a program in which functions pause without marks. */
#ifndef CW_DRIVER_WHOLE_H
#define CW_DRIVER_WHOLE_H

#include "command/command.h"
#include "command/settings.h"

/* Runs a compile command, and adds a record (auto/record.h) to each object. A source that libclang
 * cannot read gets none: its functions stay plain. Returns its status. */
int cw_whole_compile(const cw_settings *settings, const cw_command *command);
/* Compiles the sources of a link command, weaves what pauses, and links. Returns its status. */
int cw_whole_link(const cw_settings *settings, const cw_command *command);
/* --why=, --auto-report of objects and archives: answers, and links nothing. */
int cw_whole_ask(const cw_settings *settings);

#endif
