/* blocking - an ordinary call on another thread: a frame with the arguments, and a suspension point. */
#include <co4.h>

int look_up(const char *name, long *out);

pausable long find(const char *name)
{
    long found = 0;
    if (co4_blocking(look_up(name, &found)) < 0)
        return -1;
    return found;
}
