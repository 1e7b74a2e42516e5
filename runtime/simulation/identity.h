/* identity.h - the number of the process of a program of --auto=test: identity.c. */
#ifndef CO4_SIMULATION_IDENTITY_H
#define CO4_SIMULATION_IDENTITY_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/compiler.h"

/* program.c: the run begins in this process. */
CO4__OWN void co4__identity_begin(void);
/* The system's number of a process in the place of the program's, and the other way round. */
CO4__OWN pid_t co4__process_real(pid_t number);
CO4__OWN pid_t co4__process_number(pid_t real);

#define CO4__PROCESS_PATH 4096
/* A name of /proc that has the number of the process: another one, in `room`. Others as they are.
 */
CO4__OWN const char *co4__process_path(const char *path, char room[CO4__PROCESS_PATH]);
/* The same, for as long as the block of the call. */
#define CO4__SYSTEM_PATH(path) co4__process_path((path), (char[CO4__PROCESS_PATH]){ 0 })

#endif
