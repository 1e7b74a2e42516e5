/* source.h - one C source: preprocess it, weave it, print its messages. */
#ifndef CW_DRIVER_SOURCE_H
#define CW_DRIVER_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "command/command.h"
#include "command/settings.h"
#include "driver/weave.h"

typedef struct cw_woven {
    cw_outcome outcome;
    cw_buf text;     /* CW_WOVEN: the woven unit */
    cw_buf before;   /* of a summary: the text that it is of, whatever the outcome */
    int status;      /* CW_REFUSED and CW_UNPARSABLE: the exit status */
    cw_buf messages; /* CW_WOVEN: the compiler's messages from preprocessing */
} cw_woven;

void cw_woven_free(cw_woven *woven);

/* Preprocesses and weaves the index-th source of the command. All messages have been printed,
 * except `messages`. */
void cw_source_weave(const cw_settings *settings, const cw_command *command, size_t index,
                     cw_woven *result);

/* Prints what the compiler says of the command's sources as the user wrote them. Returns whether it
 * accepts them; else *status is its own. */
bool cw_source_speak(const cw_settings *settings, const cw_command *command, int *status);

/* Does preprocessed text know marks? */
bool cw_source_may_have_marks(const cw_buf *text);

/* Collects the compiler's messages for the index-th source as the user wrote it: positions, names
 * and numbers of arguments differ in the woven text. Returns its exit status. */
int cw_source_messages(const cw_settings *settings, const cw_command *command, size_t index,
                       cw_buf *messages);

#endif
