/* double_fetch.c - a message whose sender may still change it is checked and then copied.
 *
 * The mistake is that of CVE-2016-6516 and its kin: the length is read once for the check, and
 * again for the copy. Between the two reads it grows. The right form copies what it has checked. */
#include <stdatomic.h>
#include <string.h>

#include "sct.h"

enum { ROOM = 4, MOST = 16 };

static struct message {
    atomic_int length;
    char text[MOST];
} message = { 3, "abcdefghijklmno" };

static void *grow(void *arg)
{
    atomic_store(&message.length, MOST);
    return arg;
}

static void *receive(void *arg)
{
    char copy[MOST];
    int length = atomic_load(&message.length);
    if (length > ROOM)
        return arg;
    int copied = RIGHT_FORM ? length : atomic_load(&message.length);
    assert(copied <= ROOM);
    memcpy(copy, message.text, (size_t)copied);
    assert(copied == 0 || copy[0] == 'a');
    return arg;
}

int main(void)
{
    pthread_t receiver, sender;
    begin_thread(&receiver, receive, 0);
    begin_thread(&sender, grow, 0);
    end_thread(receiver);
    end_thread(sender);
    return 0;
}
