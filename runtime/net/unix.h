/* unix.h - addresses and files of Unix sockets. None of these functions pauses. */
#ifndef CO4_UNIX_H
#define CO4_UNIX_H

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/un.h>

/* Fills the address. Returns CO4_OK or a code. */
int co4__unix_address(const char *path, struct sockaddr_un *address, socklen_t *length);
/* Whether the address is a path in the file system. */
bool co4__unix_is_file(const struct sockaddr_un *address);

/* Opens the folder of the path, for a lock. -1: it cannot be opened. */
int co4__unix_folder(const char *path);
/* 0, or an error number: EWOULDBLOCK when another server has the lock. */
int co4__unix_try_lock(int folder);

/* Removes the socket file, if it still is one. */
void co4__unix_remove(const char *path);
bool co4__unix_is_socket(const char *path);

#endif
