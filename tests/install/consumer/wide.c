/* What is in libraries beside libco4. */
#include <co4.h>
#include <co4/broadcast.h>
#include <co4/test.h>
#include <stdio.h>

int main(void)
{
    co4_test_begin(NULL);
    co4_broadcast *b = co4_broadcast_create(sizeof(int));
    printf("wide: %s\n", co4_now() != 0 || b == NULL ? "no" : "test mode, a broadcast");
    co4_broadcast_destroy(b);
    return co4_test_end(NULL) != CO4_OK;
}
