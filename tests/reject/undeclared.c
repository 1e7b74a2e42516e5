/* undeclared - functions of co4 whose header is missing: the message names it. */
#include <co4/mailbox.h>

int co4_of_the_program(int n);

static pausable int work(co4_mailbox *mb)
{
    int n;
    co4_sleep(5);                    /* error: 'co4_sleep' is not declared: a call of it could not pause */ /* hint: #include <co4/time.h> */
    n = (int)co4_read(0, &n, 4);     /* error: 'co4_read' is not declared: a call of it could not pause */ /* hint: #include <co4/io.h> */
    return co4_mailbox_receive(mb, &n);
}

static int plain(void)
{
    int co4_declared_here(int);
    return co4_conn_flush((void *)0) + /* error: 'co4_conn_flush' is not declared: a call of it could not pause */ /* hint: #include <co4/conn.h> */
           co4_no_such_function(1) +   /* error: 'co4_no_such_function' is not declared: a call of it could not pause */ /* hint: #include the header of co4 that declares it */
           co4_of_the_program(1) + co4_declared_here(2);
}

int main(void)
{
    return co4_run(work(0)) + plain();
}
