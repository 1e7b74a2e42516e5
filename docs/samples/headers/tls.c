/* tls.c - the lead example of co4/tls.h.
 * needs: descriptors tls
 * modes: woven forced
 * expect: localhost: there is no such server */
#include <co4.h>
#include <co4/io.h>
#include <co4/net.h>
#include <co4/tls.h>
#include <stdio.h>

static pausable int open_secure(co4_conn **c, co4_tls_config *config, const char *host)
{
    int64_t deadline = co4_after(10 * CO4_SEC);
    int fd = co4_tcp_connect_until(host, "443", deadline);
    if (fd < 0)
        return fd;
    int err = co4_tls_connect_until(c, config, fd, host, deadline);
    if (err != CO4_OK) {
        fprintf(stderr, "%s: %s\n", host, co4_tls_error_text());
        co4_close(fd);
    }
    return err;
}

int main(void)
{
    co4_tls_config *config;
    co4_conn *c = NULL;
    int err = co4_tls_client(&config, NULL);
    if (err == CO4_OK)
        err = co4_run(open_secure(&c, config, "localhost"));
    printf("localhost: there is %s\n", err == CO4_OK ? "such a server" : "no such server");
    co4_conn_destroy(c);
    co4_tls_config_release(config);
    return 0;
}
