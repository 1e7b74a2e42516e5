/* file.c - the lead example of co4/file.h.
 * needs: descriptors
 * modes: woven forced
 * expect: root */
#include <co4.h>
#include <co4/file.h>
#include <co4/io.h>
#include <stdio.h>

static pausable long copy_of(const char *path, char *to, size_t room)
{
    int fd = co4_open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    ssize_t n = co4_pread(fd, to, room, 0);
    co4_close(fd);
    return n;
}

int main(void)
{
    char text[4];
    if (co4_run(copy_of("/etc/passwd", text, sizeof text)) == 4)
        printf("%.4s\n", text);
    return 0;
}
