/* left_woken - a task that the run leaves behind is woken by another thread in the middle of a
 * step: it runs before any other is abandoned.
 * flags: -Wno-co4-blocking
 * needs: threads
 * modes: woven forced
 * expect: got 7 */
#include <co4.h>
#include <pthread.h>
#include <stdio.h>

static co4_mailbox *first, *second;

static void *put(void *data)
{
    int n = 7;
    return co4_mailbox_send_until(first, &n, CO4_NOW) == CO4_OK ? data : NULL;
}

static void put_by_thread(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, put, NULL) == 0)
        pthread_join(thread, NULL);
}

static pausable void wakes(void)
{
    put_by_thread();
}

static pausable void hands_on(void)
{
    int n;
    if (co4_mailbox_receive(first, &n) == CO4_OK)
        co4_mailbox_send(second, &n);
}

static pausable void takes(void)
{
    int n = -1, err = co4_mailbox_receive(second, &n);
    if (err == CO4_OK)
        printf("got %d\n", n);
    else
        printf("wrong: %s\n", co4_errname(err));
}

static pausable void leaves(void)
{
    co4_spawn(hands_on());
    co4_spawn(takes());
    co4_spawn(wakes());
}

int main(void)
{
    first = co4_mailbox_create(sizeof(int), 1);
    second = co4_mailbox_create(sizeof(int), 1);
    co4_run(leaves());
    co4_mailbox_destroy(first);
    co4_mailbox_destroy(second);
    return 0;
}
