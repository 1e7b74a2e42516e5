/* nats_service.c - the lead example of co4/nats_service.h.
 * needs: nats
 * modes: woven forced
 * expect: 1 2: 3
 * expect: one two: an argument is not acceptable */
#include <co4.h>
#include <co4/nats_service.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pausable int sum(co4_nats_call *call, void *arg)
{
    char text[32];
    int a, b;
    (void)arg;
    if (sscanf(co4_nats_call_message(call)->data, "%d %d", &a, &b) != 2)
        return CO4_EINVAL;
    int n = snprintf(text, sizeof text, "%d", a + b);
    return co4_nats_answer(call, text, (size_t)n, co4_now() + CO4_SEC);
}

static pausable int serve(co4_nats *c)
{
    int err;
    err = co4_nats_serve(c, &(co4_nats_service_options){ .name = "sum" }, sum, NULL);
    return err;
}

static pausable void ask(co4_nats *c, const char *text)
{
    co4_nats_outgoing m = { .subject = "sum", .data = text, .size = strlen(text) };
    co4_nats_message *reply;
    co4_nats_failure failure;
    int err;
    do
        err = co4_nats_ask(c, &m, &reply, &failure, co4_now() + 10 * CO4_SEC);
    while (err == CO4_NATS_ENORESPONDERS); /* it begins */
    printf("%s: %s\n", text, err == CO4_OK ? reply->data : co4_strerror(failure.code));
    co4_nats_message_destroy(reply);
}

static pausable int run(const char *url)
{
    const char *servers[] = { url, NULL };
    co4_nats *c;
    int err = co4_nats_connect(&c, &(co4_nats_options){ .servers = servers },
                               co4_now() + 10 * CO4_SEC);
    if (err != CO4_OK)
        return err;
    co4_task *service = co4_spawn(serve(c));
    ask(c, "1 2");
    ask(c, "one two");
    err = co4_nats_close(c, co4_now() + 10 * CO4_SEC);
    co4_join(service, NULL);
    return err;
}

int main(void)
{
    int err = co4_run(run(getenv("NATS_URL")));
    return err != CO4_OK;
}
