/* secured.c - a program that uses the component tls: a handshake that its deadline ends. */
#include <co4.h>
#include <co4/io.h>
#include <co4/tls.h>
#include <stdio.h>

static pausable int attempt(co4_tls_config *config)
{
    int fds[2];
    if (co4_socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
        return 1;
    co4_conn *c = co4_tls_connect_until(config, fds[0], "localhost", co4_now() + CO4_MS);
    printf("secured: %s\n", c ? "connected" : co4_tls_code_name(co4_tls_error()));
    co4_close(fds[0]);
    co4_close(fds[1]);
    return c != NULL;
}

int main(void)
{
    co4_tls_config *config = co4_tls_client(NULL);
    int failed = config ? co4_run(attempt(config)) : 1;
    co4_tls_config_release(config);
    return failed;
}
