/* pooled.c - a configuration that a thread of the pool makes leaves nothing behind.
 * needs: descriptors tls
 * modes: woven
 * expect: CO4_OK */
#include <co4.h>
#include <co4/blocking.h>
#include <co4/tls.h>
#include <stdio.h>

static pausable int make(void)
{
    co4_tls_config *config = NULL;
    int err = (int)co4_blocking(co4_tls_client(&config, NULL));
    co4_tls_config_release(config);
    return err;
}

int main(void)
{
    printf("%s\n", co4_errname(co4_run(make())));
    return 0;
}
