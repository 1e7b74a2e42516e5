/* nats_kv.c - the lead example of co4/nats_kv.h.
 * needs: nats
 * modes: woven forced
 * expect: red, revision 1 */
#include <co4.h>
#include <co4/nats_kv.h>
#include <stdio.h>
#include <stdlib.h>

static pausable int show(co4_nats_kv *kv)
{
    co4_nats_entry e;
    int err = co4_nats_kv_get(kv, "color", &e, co4_now() + 10 * CO4_SEC);
    if (err == CO4_OK) {
        printf("%s, revision %d\n", e.value, (int)e.revision);
        co4_nats_entry_destroy(&e);
    }
    return err;
}

static pausable int set(co4_nats *c)
{
    co4_nats_kv *kv;
    uint64_t revision;
    int err = co4_nats_kv_open(&kv, c, "settings", NULL, co4_now() + 10 * CO4_SEC);
    if (err == CO4_OK)
        err = co4_nats_kv_put(kv, "color", "red", 3, &revision, co4_now() + 10 * CO4_SEC);
    if (err == CO4_OK)
        err = show(kv);
    co4_nats_kv_close(kv);
    return err;
}

static pausable int run(const co4_nats_options *options)
{
    co4_nats *c;
    int err = co4_nats_connect(&c, options, co4_now() + 10 * CO4_SEC);
    if (err == CO4_OK)
        err = set(c);
    co4_nats_close(c, co4_now() + 10 * CO4_SEC);
    return err;
}

int main(void)
{
    const char *servers[] = { getenv("NATS_URL"), NULL };
    int err = co4_run(run(&(co4_nats_options){ .servers = servers }));
    if (err != CO4_OK)
        printf("%s\n", co4_strerror(err));
    return err != CO4_OK;
}
