/* console.h - what the program answers at the socket of the console. */
#ifndef CO4_CONSOLE_H
#define CO4_CONSOLE_H

#include <stdint.h>

/* Answers one line of a client. */
void co4__console_answer(int client, const char *request);
/* Called some hundred times a second after a client has looked: notes the steps that last. */
void co4__console_note_steps(int64_t now);

#endif
