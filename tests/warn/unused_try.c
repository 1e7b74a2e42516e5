/* unused_try - calls with CO4_NOW whose result nobody looks at. */
#include <co4.h>
#include <co4/io.h>

int plain(co4_mailbox *mb, int fd);
int plain(co4_mailbox *mb, int fd)
{
    int n = 1;
    co4_mailbox_send_until(mb, &n, CO4_NOW);
    /* warning: 'co4_mailbox_send_until' with CO4_NOW may have done nothing, and its result says */
    /* hint: look at its result, or cast the call to void */
    if (n > 0)
        co4_mailbox_receive_until(mb, &n, CO4_NOW);
    /* warning: 'co4_mailbox_receive_until' with CO4_NOW */
    (void)co4_mailbox_send_until(mb, &n, CO4_NOW);
    co4_send_until(fd, &n, 1, 0, CO4_NOW); /* a number of bytes */
    int err = __extension__({ co4_mailbox_send_until(mb, &n, CO4_NOW); });
    return err + co4_mailbox_send_until(mb, &n, CO4_NOW);
}

pausable int task(co4_mailbox *mb);
pausable int task(co4_mailbox *mb)
{
    int n = 1;
    co4_mailbox_send_until(mb, &n, co4_now());
    co4_mailbox_send_until(mb, &n, CO4_NOW);
    /* warning: 'co4_mailbox_send_until' with CO4_NOW may have done nothing */
    return CO4_OK;
}
