/* lua_state.h - a Lua state whose script waits for messages at a socket.
 *
 * lua_state.c knows nothing of tasks; it is linked with lua_plain.c and with lua_tasks.c. */
#ifndef LUA_STATE_H
#define LUA_STATE_H

#include <stdint.h>
#include <stdio.h>

#include "lua.h"

enum { MESSAGES = 14 }; /* of the script; the last one is empty */

/* Writes the k-th message, from 0; returns its length. The first one is a line. */
static inline size_t lua_state_message(char to[32], int k)
{
    if (k == MESSAGES - 1)
        return 0;
    return (size_t)snprintf(to, 32, k == 0 || k == MESSAGES - 2 ? "line\n" : "<%d>", k);
}

/* A new state with the libraries and the script, and a file at `fd`. The script receives messages
 * by `receive`, which has `fd` as its upvalue; NULL: by recv(). */
extern lua_State *lua_state_open(int i, int fd, lua_CFunction receive);
/* Runs the script. Returns a sum of what it returns; 0: it fails. */
extern uint64_t lua_state_run(lua_State *L);

/* How often scripts have begun to receive. */
extern int lua_state_waits;

#endif
