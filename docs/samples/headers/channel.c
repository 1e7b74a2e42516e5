/* channel.c - the three capacities of co4/channel.h.
 * expect: rendezvous: there is no room
 * expect: buffered: no error, no error, there is no room
 * expect: unbounded: no error */
#include <co4.h>
#include <stdio.h>

int main(void)
{
    enum { n = 2 };
    size_t size = sizeof(int);
    int value = 1;
    co4_channel *rendezvous = co4_channel_create(size, 0);
    co4_channel *buffered = co4_channel_create(size, n);
    co4_channel *unbounded = co4_channel_create(size, CO4_UNBOUNDED);
    printf("rendezvous: %s\n", co4_strerror(co4_channel_try_send(rendezvous, &value)));
    printf("buffered: %s", co4_strerror(co4_channel_try_send(buffered, &value)));
    for (int i = 0; i < n; i++)
        printf(", %s", co4_strerror(co4_channel_try_send(buffered, &value)));
    int err = CO4_OK;
    for (int i = 0; i < 1000 && err == CO4_OK; i++)
        err = co4_channel_try_send(unbounded, &value);
    printf("\nunbounded: %s\n", co4_strerror(err));
    co4_channel_destroy(rendezvous);
    co4_channel_destroy(buffered);
    return co4_channel_destroy(unbounded);
}
