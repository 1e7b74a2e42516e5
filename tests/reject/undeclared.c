/* undeclared - functions of co4 whose header is missing: the message names it. */
#include <co4/mailbox.h>

int co4_of_the_program(int n);

static pausable int work(co4_mailbox *mb)
{
    int n;
    co4_sleep(5);                    /* error: 'co4_sleep' is not declared: a call of it could not pause */ /* hint: #include <co4.h> */
    n = (int)co4_read(0, &n, 4);     /* error: 'co4_read' is not declared: a call of it could not pause */ /* hint: #include <co4/io.h> */
    return co4_mailbox_receive(mb, &n);
}

static int plain(void)
{
    int co4_declared_here(int);
    co4_sleep_ms(3);                 /* error: 'co4_sleep_ms' is not declared */ /* hint: do you mean co4_sleep(n * CO4_MS)? */
    co4_try_mailbox_send(0, &(int){ 1 }); /* error: 'co4_try_mailbox_send' is not */ /* hint: do you mean co4_mailbox_send_until( */
    co4_mailbox_send_block(0, 0);    /* error: 'co4_mailbox_send_block' is not */ /* hint: do you mean co4_block(co4_mailbox_send( */
    co4_mailbox_recieve(0, 0);       /* error: 'co4_mailbox_recieve' is not */ /* hint: do you mean co4_mailbox_receive()? */
    return co4_conn_flush((void *)0) + /* error: 'co4_conn_flush' is not declared: a call of it could not pause */ /* hint: #include <co4/conn.h> */
           co4_no_such_function(1) +   /* error: 'co4_no_such_function' is not declared: a call of it could not pause */ /* hint: no header of co4 has a function of this name */
           co4_of_the_program(1) + co4_declared_here(2);
}

int main(void)
{
    return co4_run(work(0)) + plain();
}
