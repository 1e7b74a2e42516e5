/* weave.h - the pipeline over one unit. */
#ifndef CW_DRIVER_WEAVE_H
#define CW_DRIVER_WEAVE_H

#include <stddef.h>

#include "base/options.h"

typedef enum cw_outcome {
    CW_WOVEN,     /* *woven is the woven unit, owned by the caller (free) */
    CW_NOTHING,   /* nothing pausable in use: compile the input as it is */
    CW_REFUSED,   /* the user's mistakes, all reported */
    CW_UNPARSABLE /* libclang met errors in user code; nothing was printed. Let the build's compiler
                     speak first; when it accepts the text, print *woven: libclang's messages */
} cw_outcome;

/* Weaves one preprocessed unit (`text`, `length` bytes). */
cw_outcome cw_weave(const cw_options *options, const char *text, size_t length, char **woven,
                    size_t *woven_length);

/* The names --dump takes, in pipeline order, by their numbers from 0; NULL: there are no more. */
const char *cw_pass_name(size_t index);

#endif
