/* lua_tasks.c - many states of lua_state.h at once, a task each, on one worker.
 *
 *     lua_tasks STATES
 *
 * Each state has a datagram socket. The main thread sends one message to each, the last one first,
 * then the next message, and so on: all scripts wait, and at the same place. Prints what one takes
 * at the second message, and then the sum of each. */
#include <co4.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "lua_state.h"
#include "measure.h"

typedef struct peer {
    struct sockaddr_un name;
    socklen_t length;
    int fd;
} peer;

static uint64_t *sums;
static atomic_int ended;

static pausable void serve(int i, int fd)
{
    lua_State *L = lua_state_open(i, fd, NULL);
    sums[i] = L != NULL ? lua_state_run(L) : 0;
    atomic_fetch_add(&ended, 1);
}

/* A socket with a name that the kernel chooses. */
static int open_peer(peer *p)
{
    p->name.sun_family = AF_UNIX;
    p->length = sizeof p->name;
    p->fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    return p->fd >= 0 && bind(p->fd, (struct sockaddr *)&p->name, sizeof p->name.sun_family) == 0 &&
           getsockname(p->fd, (struct sockaddr *)&p->name, &p->length) == 0;
}

static int tell_all(int fd, const peer *peers, int states, int k)
{
    char bytes[32];
    size_t length = lua_state_message(bytes, k);
    for (int i = states - 1; i >= 0; i--)
        if (sendto(fd, bytes, length, 0, (const struct sockaddr *)&peers[i].name, peers[i].length) <
            0)
            return 0;
    return 1;
}

int main(int argc, char **argv)
{
    int states = argc > 1 ? atoi(argv[1]) : 1, fd = socket(AF_UNIX, SOCK_DGRAM, 0), good = 1;
    peer *peers = calloc((size_t)states, sizeof *peers);
    sums = calloc((size_t)states, sizeof *sums);
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 1 });
    if (peers == NULL || sums == NULL || rt == NULL)
        return 2;
    long before = measure_bytes();
    double begin = measure_seconds();
    for (int i = 0; i < states; i++) {
        if (!open_peer(&peers[i]))
            return 2;
        co4_runtime_spawn(rt, serve(i, peers[i].fd));
    }
    co4_runtime_start(rt);
    for (int k = 0; good && k < MESSAGES; k++) {
        good = atomic_load(&ended) == 0 && tell_all(fd, peers, states, k);
        while (k == 0 && __atomic_load_n(&lua_state_waits, __ATOMIC_ACQUIRE) < states)
            usleep(10000);
        if (k == 0)
            printf("tasks: %d states wait, %ld bytes each\n", states,
                   (measure_bytes() - before) / states);
    }
    if (!good) {
        fprintf(stderr, "a script ended too soon, or its socket failed\n");
        return 1;
    }
    co4_runtime_join(rt);
    printf("%.2f s\n", measure_seconds() - begin);
    for (int i = 0; i < states; i++)
        printf("%d: %llx\n", i, (unsigned long long)sums[i]);
    free(sums);
    free(peers);
    return co4_runtime_destroy(rt) == CO4_OK ? 0 : 1;
}
