/* unix.c - listens at a path, and connects to it.
 *
 * A server that has crashed leaves its socket file, and bind fails. A connect shows whether a
 * server listens there: only if that is refused the file is removed.
 *
 * Concurrency: two servers may start at once. One of them could remove the file that the other has
 * just made, or find it before the other listens. So bind, connect, removal and listen are one
 * section under a lock of the folder, by flock(): it leaves no file behind, and ends with the
 * process. Without the permission to open the folder, or after LAST_LOOK, there is no lock.
 *
 * Rejected: a removal without a look (it takes the address from a server that runs); a lock file
 * beside the socket (a further file stays). */
#define _GNU_SOURCE /* SOCK_CLOEXEC, whatever -std says */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "io/attempt.h"
#include "net/address.h"
#include "net/unix.h"
#include "sync/begin.h"

#define LAST_LOOK (2 * CO4_SEC)

/* Takes the lock, or gives it up. Returns CO4_OK, or the code of a wait that has failed. */
static pausable int lock_folder(int folder, int64_t deadline)
{
    int64_t give_up = co4_now() + LAST_LOOK;
    for (int64_t pause = CO4_MS; folder >= 0 && co4__unix_try_lock(folder) == EWOULDBLOCK;
         pause = pause < 64 * CO4_MS ? 2 * pause : pause) {
        int64_t now = co4_now();
        if (now >= deadline)
            return CO4_ETIMEDOUT;
        if (now >= give_up)
            break;
        int err = co4_sleep_until(now + pause);
        if (err != CO4_OK)
            return err;
    }
    return CO4_OK;
}

static int stream_socket(void)
{
    return co4_socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

/* The address is in use. Returns CO4_OK if it may be free now, or a code. */
static pausable int free_address(const char *path, const struct sockaddr_un *address,
                                 socklen_t length)
{
    if (!co4__unix_is_file(address) || !co4__unix_is_socket(path))
        return -EADDRINUSE;
    __attribute__((cleanup(co4__net_close))) int fd = stream_socket();
    if (fd < 0)
        return co4_code_of_errno(errno);
    if (co4_connect_until(fd, (const struct sockaddr *)address, length, co4_now()) != 0) {
        if (errno == ECANCELED)
            return CO4_ECANCELED;
        if (errno == ENOENT)
            return CO4_OK;
        if (errno == ECONNREFUSED) {
            co4__unix_remove(path);
            return CO4_OK;
        }
    }
    return -EADDRINUSE; /* connected, or its queue is full, or of another type */
}

static int bind_to(int fd, const struct sockaddr_un *address, socklen_t length)
{
    int n = co4_bind(fd, (const struct sockaddr *)address, length);
    return n == 0 ? CO4_OK : co4_code_of_errno(errno);
}

pausable int co4_unix_listen_until(const char *path, int flags, int64_t deadline)
{
    struct sockaddr_un address;
    socklen_t length;
    int err = CO4__BEGIN();
    if (err == CO4_OK)
        err = co4__are_flags(flags, 0) ? co4__unix_address(path, &address, &length) : CO4_EINVAL;
    if (err != CO4_OK)
        return err;
    __attribute__((cleanup(co4__net_close))) int folder = -1;
    __attribute__((cleanup(co4__net_close))) int fd = stream_socket();
    if (fd < 0)
        return co4_code_of_errno(errno);
    if (co4__unix_is_file(&address))
        folder = co4__unix_folder(path);
    err = lock_folder(folder, deadline);
    if (err == CO4_OK)
        err = bind_to(fd, &address, length);
    if (err == -EADDRINUSE) {
        err = free_address(path, &address, length);
        if (err == CO4_OK)
            err = bind_to(fd, &address, length);
    }
    if (err != CO4_OK)
        return err;
    if (co4_listen(fd, co4__backlog(flags)) != 0)
        return co4_code_of_errno(errno);
    return co4__net_keep(&fd);
}

pausable int co4_unix_listen(const char *path, int flags)
{
    return co4_unix_listen_until(path, flags, CO4_NEVER);
}

pausable int co4_unix_connect_until(const char *path, int64_t deadline)
{
    struct sockaddr_un address;
    socklen_t length;
    int err = co4__unix_address(path, &address, &length);
    if (err != CO4_OK)
        return err;
    __attribute__((cleanup(co4__net_close))) int fd = stream_socket();
    if (fd < 0 || co4_connect_until(fd, (const struct sockaddr *)&address, length, deadline) != 0)
        return co4__wait_code();
    return co4__net_keep(&fd);
}

pausable int co4_unix_connect(const char *path)
{
    return co4_unix_connect_until(path, CO4_NEVER);
}
