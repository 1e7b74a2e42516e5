/* ring.c - the lead example of co4/ring.h.
 * expect: 41 */
#include <co4/ring.h>
#include <stdio.h>

int main(void)
{
    int value = 41;
    co4_ring recent;
    co4_ring_init(&recent, sizeof(int), 100);
    int err = co4_ring_push(&recent, &value);
    value = 0;
    co4_ring_pop(&recent, &value);
    printf("%d\n", value);
    co4_ring_destroy(&recent);
    return err;
}
