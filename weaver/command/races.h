/* races.h - --races: how the compiler tells the runtime of each access of memory. */
#ifndef CW_COMMAND_RACES_H
#define CW_COMMAND_RACES_H

#include "command/command.h"
#include "command/files.h"

/* What text that is preprocessed already has before it. */
void cw_races_text(cw_buf *out);
/* Adds what the compiler of the command has to know. `temp` keeps a file of the text for
 * sources; NULL: they have it. Returns false after a message. */
bool cw_races_add(const cw_command *command, cw_temp *temp, cw_argv *words);

#endif
