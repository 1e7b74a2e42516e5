/* node_program.c - whether the program of a node's line can be one, before it runs. */
#define _GNU_SOURCE
#include "simulation/node_program.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int __real_close(int fd);

/* Each program of --auto=test has this name, of the variable by which it knows its node. */
static const char name[] = "CO4_TEST_NODE_PLACE";

static bool has_name(int fd)
{
    struct stat s;
    size_t bytes = fstat(fd, &s) == 0 && S_ISREG(s.st_mode) ? (size_t)s.st_size : 0;
    void *text = bytes > 4 ? mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    bool has = text == MAP_FAILED || memcmp(text, "\177ELF", 4) != 0 ||
               memmem(text, bytes, name, sizeof name) != NULL;
    if (text != MAP_FAILED)
        munmap(text, bytes);
    return has;
}

const char *co4__node_program_wrong(const char *path)
{
    if (!strchr(path, '/'))
        return NULL;
    if (access(path, X_OK) != 0)
        return strerror(errno);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool may_be = fd < 0 || has_name(fd);
    if (fd >= 0)
        __real_close(fd);
    return may_be ? NULL : "not linked with co4weave --auto=test";
}
