/* js.h - what the JavaScript around a module of WebAssembly does for the runtime, and what it
 * calls. EM_JS() in the files that call these gives them to Emscripten's own code. */
#ifndef CO4_JS_INTERNAL_H
#define CO4_JS_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/public.h"

#ifdef __EMSCRIPTEN__
/* Makes Module.co4, once. */
void co4__js_setup(void);
/* Calls co4__js_run() after so many milliseconds, not before this call has returned. An earlier
 * time replaces a later one. */
void co4__js_schedule(double ms);
/* The call with this task has paused: leaves C, by an exception, for the caller in JavaScript. It
 * does not return. `kind`: the letter of its result's type (co4/abi.h). */
void co4__js_left(const co4_task *call, const char *name, int kind, int entered);
/* Such a call has ended, with this code; `result` is where its result is, for as long as this call
 * lasts. */
void co4__js_ended(const co4_task *call, int code, const void *result);
/* Asks for co4__js_ready(), once an event of poll() is there that a descriptor is asked for. */
void co4__js_watch(int fd, int events, uint32_t generation);
/* Whether calls on this file may be answered by promises (posix/files.h). */
int co4__js_takes_time(int fd);
/* Whether JavaScript waits for no call, and no call for JavaScript. */
int co4__js_is_idle(void);
/* main() returns, and the program is not to exit yet. */
void co4__js_stay(void);
/* It is over, with this status; or, `stays`, with that which main() has returned. It may leave C by
 * an exception. */
void co4__js_exit(int status, int stays);
#endif

/* Makes steps until nothing is ready, or for some milliseconds. */
void co4__js_run(void);
/* The answer to co4__js_watch(). */
void co4__js_ready(int fd, int events, uint32_t generation);
/* Around a call by Module.co4: also below C it is one of JavaScript. */
void co4__js_enter(bool begins);
/* An exception has left C; how many calls are on the stack. */
void co4__js_threw(int depth, bool leaves);
int co4__js_depth(void);
/* Cancels a call that has not ended. */
void co4__js_cancel(co4_task *call);
/* A signal has come. False: the program has not said what it does. */
bool co4__js_signal(int signo);
/* Memory for arguments. */
void *co4__js_alloc(size_t bytes);
void co4__js_free(void *memory);

#endif
