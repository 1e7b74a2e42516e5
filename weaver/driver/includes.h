/* includes.h - decides by the files that a source names whether it can have marks. */
#ifndef CW_DRIVER_INCLUDES_H
#define CW_DRIVER_INCLUDES_H

#include <stdbool.h>
#include <stddef.h>

#include "driver/command.h"

/* Returns true if the preprocessed text of source number `index` certainly has no mark, though no
 * preprocessor ran; false if it may have one, or if that cannot be decided. */
bool cw_includes_no_mark(const cw_command *command, size_t index);

#endif
