/* unix.c - addresses and files of Unix sockets. */
#define _GNU_SOURCE /* flock, lstat, O_CLOEXEC, whatever -std says */
#include "net/unix.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "net/public.h"

#ifdef __linux__
#define HAS_ABSTRACT true
#else
#define HAS_ABSTRACT false
#endif

int co4__unix_address(const char *path, struct sockaddr_un *address, socklen_t *length)
{
    size_t bytes = path ? strlen(path) : 0;
    bool is_abstract = bytes > 0 && path[0] == '@';
    if (bytes == 0 || (is_abstract && bytes == 1))
        return CO4_EINVAL;
    if (is_abstract && !HAS_ABSTRACT)
        return -ENOTSUP;
    /* A path has a byte for its end; an abstract name has none. */
    size_t used = bytes + !is_abstract;
    if (used > sizeof address->sun_path)
        return -ENAMETOOLONG;
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    memcpy(address->sun_path, path, bytes);
    if (is_abstract)
        address->sun_path[0] = '\0';
    *length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + used);
    return CO4_OK;
}

bool co4__unix_is_file(const struct sockaddr_un *address)
{
    return address->sun_path[0] != '\0';
}

int co4__unix_folder(const char *path)
{
    char folder[sizeof((struct sockaddr_un *)0)->sun_path];
    const char *slash = strrchr(path, '/');
    size_t bytes = slash ? (size_t)(slash - path) : 0;
    if (bytes >= sizeof folder)
        return -1;
    memcpy(folder, path, bytes);
    folder[bytes] = '\0';
    int fd;
    do
        fd = open(bytes ? folder : slash ? "/" : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (fd < 0 && errno == EINTR);
    return fd;
}

int co4__unix_try_lock(int folder)
{
    while (flock(folder, LOCK_EX | LOCK_NB) != 0)
        if (errno != EINTR)
            return errno;
    return 0;
}

bool co4__unix_is_socket(const char *path)
{
    struct stat s;
    return lstat(path, &s) == 0 && S_ISSOCK(s.st_mode);
}

void co4__unix_remove(const char *path)
{
    if (co4__unix_is_socket(path))
        unlink(path);
}
