/* places.h - where code is: the function, the file and the line. */
#ifndef CO4_SIMULATION_PLACES_H
#define CO4_SIMULATION_PLACES_H

#include <stdint.h>

#include "base/compiler.h"
#include "base/text.h"

/* Writes where the call is that returns to `place`: "f () at FILE:LINE"; without addr2line, or
 * lines, the words of its command. May be called in a handler of signals. */
CO4__OWN void co4__put_code(struct co4__text *x, const void *place);
/* Writes the command that says so, "addr2line -fie FILE ADDRESS"; nothing where there is none. */
CO4__OWN void co4__put_command(struct co4__text *x, const void *place);
/* Writes ", in the variable 'NAME' + OFFSET", if it is in a variable of the program. */
CO4__OWN void co4__put_variable(struct co4__text *x, uintptr_t at);

#endif
