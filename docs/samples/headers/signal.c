/* signal.c - the lead example of co4/signal.h.
 * needs: descriptors signals
 * modes: woven forced
 * expect: the server ends */
#include <co4.h>
#include <co4/io.h>
#include <co4/signal.h>
#include <stdio.h>
#include <unistd.h>

static pausable void server(int listener)
{
    co4_signal signal;
    co4_mailbox *end;
    int err = co4_signals(&end, SIGINT, SIGTERM);
    if (err != CO4_OK)
        return;
    kill(getpid(), SIGTERM);
    co4_mailbox_receive(end, &signal);
    co4_close(listener);
    co4_signals_destroy(end);
    puts("the server ends");
}

int main(void)
{
    co4_run(server(co4_socket(AF_UNIX, SOCK_STREAM, 0)));
    return 0;
}
