/* auto_compile.h - --auto: compilations of a program in which functions pause without marks. */
#ifndef CW_DRIVER_AUTO_COMPILE_H
#define CW_DRIVER_AUTO_COMPILE_H

#include <stdbool.h>
#include <stddef.h>

#include "driver/command.h"
#include "driver/settings.h"

/* Runs a compile command, and adds a record (auto_record.h) to each object. Returns its status. */
int cw_auto_compile(const cw_settings *settings, const cw_command *command);
/* Adds a record of the index-th source to its object. A source that libclang cannot read gets none:
 * its functions stay plain. Returns false after a message. */
bool cw_auto_record_source(const cw_settings *settings, const cw_command *command, size_t index,
                           const char *object);

#endif
