/* weave.h - the pipeline over one unit. */
#ifndef CW_DRIVER_WEAVE_H
#define CW_DRIVER_WEAVE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/options.h"

typedef enum cw_outcome {
    CW_WOVEN,   /* *woven is the woven unit, owned by the caller (free) */
    CW_NOTHING, /* nothing pausable in use: compile the input as it is */
    CW_REFUSED, /* errors of the user, all reported */
    /* libclang found errors in user code; nothing was printed. The build's compiler checks the text
     * first; if it accepts the text, the caller prints *woven: libclang's messages */
    CW_UNPARSABLE
} cw_outcome;

/* Returns false if the text certainly needs no weaving; it is not parsed for that. */
bool cw_weave_parses(const cw_options *options, const char *text, size_t length);

/* Weaves one preprocessed unit (`text`, `length` bytes). */
cw_outcome cw_weave(const cw_options *options, const char *text, size_t length, char **woven,
                    size_t *woven_length);

/* What --dump accepts. */
bool cw_is_pass(const char *name);
/* Appends the names in pipeline order, each after a blank. */
void cw_put_pass_names(cw_buf *out);

#endif
