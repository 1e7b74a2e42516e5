/* tls.c - the lead example of co4/tls.h.
 * needs: descriptors tls
 * modes: woven forced
 * expect: localhost: there is no such server */
#include <co4.h>
#include <co4/io.h>
#include <co4/net.h>
#include <co4/tls.h>
#include <stdio.h>

static pausable co4_conn *open(co4_tls_config *config, const char *host)
{
    int64_t deadline = co4_now() + 10 * CO4_SEC;
    int fd = co4_tcp_connect_until(host, "443", deadline);
    co4_conn *c = fd < 0 ? NULL : co4_tls_connect_until(config, fd, host, deadline);
    if (!c && fd >= 0) {
        fprintf(stderr, "%s: %s\n", host, co4_tls_error_text());
        co4_close(fd);
    }
    return c;
}

int main(void)
{
    co4_tls_config *config = co4_tls_client(NULL);
    co4_conn *c = config ? co4_run(open(config, "localhost")) : NULL;
    printf("localhost: there is %s\n", c ? "such a server" : "no such server");
    co4_conn_destroy(c);
    co4_tls_config_release(config);
    return 0;
}
