/* net.c - the lead example of co4/net.h.
 * needs: descriptors threads
 * modes: woven forced
 * expect: no server: ECONNREFUSED */
#include <co4.h>
#include <co4/io.h>
#include <co4/net.h>
#include <stdio.h>

static pausable int greet(const char *host)
{
    int fd = co4_tcp_connect_until(host, "7", co4_now() + 5 * CO4_SEC);
    if (fd < 0)
        return fd;
    co4_write(fd, "hello", 5);
    return co4_close(fd);
}

static pausable void try_it(void)
{
    printf("no server: %s\n", co4_errname(greet("127.0.0.77")));
}

int main(void)
{
    co4_run(try_it());
    return 0;
}
