/* local_server.h - a Unix socket that answers programs of the same user, one at a time. */
#ifndef CO4_LOCAL_SERVER_H
#define CO4_LOCAL_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct co4__local_server {
    int fd; /* one of the library's own */
    int64_t process;
    char path[108];
};

/* `%p` in the path stands for the number of the process. A socket at which nobody answers any more
 * is replaced; only its user may connect.
 *
 * Returns CO4_OK; CO4_EBUSY: a program answers there, or there is a file that is no socket;
 * CO4_EINVAL: the path is too long; CO4_ESTATE: the system has no such sockets; or a code of the
 * system. */
int co4__local_server_open(struct co4__local_server *s, const char *path);
/* Waits for a client, at most `ms`; -1: as long as it takes. Returns its descriptor; -1: none has
 * come. A client of another user is turned away. */
int co4__local_server_accept(const struct co4__local_server *s, int ms);
/* Reads a line of at most room - 1 bytes, without its end, from a client that has two seconds for
 * it. False: it has sent none. */
bool co4__local_client_read(int client, char *line, size_t room);
/* A co4_writer. `client` is the address of the descriptor. The client has two seconds for each
 * piece. */
int co4__local_client_write(void *client, const char *text, size_t bytes);
void co4__local_client_close(int client);
/* At the end of the process that has opened it: removes the path. */
void co4__local_server_remove(const struct co4__local_server *s);
/* In the child of a fork. */
void co4__local_server_forget(struct co4__local_server *s);

#endif
