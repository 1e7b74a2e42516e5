/* source.h - one C source: preprocess it, weave it, print its messages. */
#ifndef CW_DRIVER_SOURCE_H
#define CW_DRIVER_SOURCE_H

#include <stddef.h>

#include "base/buf.h"
#include "driver/command.h"
#include "driver/settings.h"
#include "driver/weave.h"

typedef struct cw_woven {
    cw_outcome outcome;
    cw_buf text;     /* CW_WOVEN: the woven unit */
    int status;      /* CW_REFUSED and CW_UNPARSABLE: what to exit with */
    cw_buf messages; /* CW_WOVEN: what the compiler said while it preprocessed */
} cw_woven;

/* Preprocesses and weaves the index-th source of the command. All that there is to say has been
 * said, but for `messages`. */
void cw_source_weave(const cw_settings *settings, const cw_command *command, size_t index,
                     cw_woven *result);

/* What the compiler says of the index-th source as the user wrote it: its places, names and numbers
 * of arguments are not those of the woven text. Its exit status. */
int cw_source_messages(const cw_settings *settings, const cw_command *command, size_t index,
                       cw_buf *messages);

#endif
