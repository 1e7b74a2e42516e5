/* pinned.c - a local whose address escapes lives in the frame from the start. */
#include <co4.h>

pausable int receive(co4_mailbox *mb, int n);

pausable int receive(co4_mailbox *mb, int n)
{
    int sum = 0;
    while (n-- > 0) {
        int message;
        if (co4_mailbox_receive(mb, &message) != CO4_OK)
            break;
        sum += message;
    }
    return sum;
}
