/* weave.h - the pipeline over one unit. */
#ifndef CW_DRIVER_WEAVE_H
#define CW_DRIVER_WEAVE_H

#include "command/settings.h"

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

/* ---- source.c: one C source: preprocess it, weave it, print its messages ---- */

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

/* ---- deep.c: runs a function on a thread with a large stack, and for a limited time ---- */

/* Runs the function on a thread with a large stack. If the stack overflows, or after the seconds of
 * CO4_TIME_LIMIT (else ten minutes), a message names `source`, and the program ends. Returns false
 * after a message if that variable is no number. */
bool cw_run_deep(const char *source, void (*run)(void *data), void *data);

/* ---- wrap.c: co4weave cc …: weave and compile ---- */

/* Runs the compile command `settings->rest`, with its pausable functions woven. Returns the exit
 * status. */
int cw_wrap(const cw_settings *settings);

/* ---- whole.c: --auto: commands of a program in which functions pause without marks ---- */

/* Runs a compile command, and adds a record (auto/record.h) to each object. A source that libclang
 * cannot read gets none: its functions stay plain. Returns its status. */
int cw_whole_compile(const cw_settings *settings, const cw_command *command);
/* Compiles the sources of a link command, weaves what pauses, and links. Returns its status. */
int cw_whole_link(const cw_settings *settings, const cw_command *command);
/* --why=, --auto-report of objects and archives: answers, and links nothing. */
int cw_whole_ask(const cw_settings *settings);

/* ---- propose.c: --infer: prints the missing marks as a patch ---- */

/* Prints a patch with the marks missing in the command's sources. Exit status: 0 if there are no
 * other errors. */
int cw_propose(const cw_settings *settings, const cw_command *command);

#endif
