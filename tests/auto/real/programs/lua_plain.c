/* lua_plain.c - the states of lua_state.h, plain.
 *
 *     lua_plain STATES
 *
 * Prints what a state takes whose script is where those of lua_tasks.c wait: receive() yields
 * there. Then runs one after the other, with all messages there already, and prints its sum. */
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lua_state.h"
#include "measure.h"

static int yields(lua_State *L)
{
    return lua_yield(L, 0);
}

static void feed(int fd, int from, int to)
{
    char bytes[32];
    for (int k = from; k < to; k++)
        if (send(fd, bytes, lua_state_message(bytes, k), 0) < 0)
            abort();
}

static void measure(int states)
{
    int count;
    lua_State **all = calloc((size_t)states, sizeof *all);
    long before = measure_bytes();
    for (int i = 0; all != NULL && i < states; i++) {
        int ends[2];
        if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) != 0)
            abort();
        feed(ends[1], 0, 1);
        close(ends[1]);
        all[i] = lua_state_open(i, ends[0], yields);
        if (all[i] == NULL || lua_resume(all[i], NULL, 3, &count) != LUA_YIELD)
            abort();
    }
    printf("plain: %d states, %ld bytes each\n", states, (measure_bytes() - before) / states);
    for (int i = 0; all != NULL && i < states; i++)
        lua_close(all[i]);
    free(all);
}

int main(int argc, char **argv)
{
    int states = argc > 1 ? atoi(argv[1]) : 1;
    measure(states);
    for (int i = 0; i < states; i++) {
        int ends[2];
        if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) != 0)
            return 2;
        feed(ends[1], 0, MESSAGES);
        lua_State *L = lua_state_open(i, ends[0], NULL);
        printf("%d: %llx\n", i, L != NULL ? (unsigned long long)lua_state_run(L) : 0);
        close(ends[1]);
    }
    return 0;
}
