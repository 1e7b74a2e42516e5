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
    co4_conn *c;
    int err = co4_tls_connect_until(&c, config, fds[0], "localhost", co4_after(CO4_MS));
    printf("secured: %s\n", err == CO4_OK ? "connected" : co4_errname(err));
    co4_close(fds[0]);
    co4_close(fds[1]);
    return err == CO4_OK;
}

int main(void)
{
    co4_tls_config *config;
    int failed = co4_tls_client(&config, NULL) == CO4_OK ? co4_run(attempt(config)) : 1;
    co4_tls_config_release(config);
    return failed;
}
