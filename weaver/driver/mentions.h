/* mentions.h - does a source use what the headers that it includes mark? */
#ifndef CW_DRIVER_MENTIONS_H
#define CW_DRIVER_MENTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* `texts`: the source and all files that it may include, with joined lines. `defines`: macros of
 * the command, as after -D. Returns false only if none of the texts can use anything marked. */
bool cw_may_mention_marks(const cw_buf *texts, size_t count, const char *const *defines,
                          size_t ndefines);

#endif
