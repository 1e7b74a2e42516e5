/* naps.c - blocking calls, without marks, of signalled.c. */
#include <unistd.h>

int nap(void);
int get(int fd);

int nap(void)
{
    return usleep(200000);
}

int get(int fd)
{
    char c;
    return (int)read(fd, &c, 1);
}
