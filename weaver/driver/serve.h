/* serve.h - weaves in a server that the processes of a build share. */
#ifndef CW_DRIVER_SERVE_H
#define CW_DRIVER_SERVE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/options.h"
#include "driver/place.h"
#include "driver/weave.h"

/* Where the server is for processes like this one, if they may share one for such options. Call it
 * before libclang is used, which changes the environment. */
bool cw_serve_find(const cw_options *options, cw_place_of_server *place);

/* Connects to the server there, for a unit that may take so many seconds (0: no limit). Returns a
 * descriptor, or -1 if there is none that answers. The next two calls follow, in this order. */
int cw_serve_connect(const cw_place_of_server *place, int seconds);

/* Returns the compiler's target, if the server knows the answer to this very question; else NULL.
 * The caller frees it. */
char *cw_serve_target(int fd, const char *question);

/* Weaves one unit in the server, as cw_weave() would here, and closes the descriptor. Returns false
 * if the server failed. Nothing has been printed then, and this process weaves itself. */
bool cw_serve_weave(int fd, const cw_options *options, const cw_buf *text, cw_buf *woven,
                    cw_outcome *outcome);

/* What the compiler answered, for the server that this process may leave behind. */
void cw_serve_know_target(const char *question, const char *target);

/* Leaves a server behind for the processes that come, if this process belongs to a build that has
 * none. Call it after a unit has been woven: the server is a copy of this process, with libclang
 * loaded and used. */
void cw_serve_start(const cw_place_of_server *place);

#endif
