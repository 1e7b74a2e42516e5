/* wrap.h - co4weave cc …: weave and compile. */
#ifndef CW_DRIVER_WRAP_H
#define CW_DRIVER_WRAP_H

#include "command/settings.h"

/* Runs the compile command `settings->rest`, with its pausable functions woven. Returns the exit
 * status. */
int cw_wrap(const cw_settings *settings);

#endif
