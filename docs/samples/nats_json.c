/* nats_json.c - a service whose requests and answers are JSON, by a library of its own: jansson.
 * needs: nats
 * modes: woven forced
 * expect: Ada orders 3: {"total":42,"lines":["2 x tea","1 x cup"]}
 * expect: without a number: a request that makes no sense
 * expect: no JSON: a request that makes no sense */
#include <co4.h>
#include <co4/nats_service.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the service ---- */

/* What is in {"name": …, "items": [{"what": …, "count": …, "price": …}]}, as an answer; NULL: it
 * makes no sense. The caller frees it. */
static char *add_up(const json_t *order)
{
    json_t *item, *lines = json_array();
    json_int_t total = 0;
    size_t i;
    bool good = json_is_string(json_object_get(order, "name"));
    json_array_foreach(json_object_get(order, "items"), i, item)
    {
        const char *what;
        json_int_t count, price;
        if (json_unpack(item, "{s:s, s:I, s:I}", "what", &what, "count", &count, "price", &price) !=
            0) {
            good = false;
            break;
        }
        total += count * price;
        json_array_append_new(lines, json_sprintf("%lld x %s", (long long)count, what));
    }
    json_t *answer = json_pack("{s:I, s:o}", "total", total, "lines", lines);
    char *text = good ? json_dumps(answer, JSON_COMPACT) : NULL;
    json_decref(answer);
    return text;
}

static pausable int take_order(co4_nats_call *call, void *arg)
{
    const co4_nats_message *m = co4_nats_call_message(call);
    (void)arg;
    json_t *order = json_loadb(m->data, m->size, 0, NULL);
    char *answer = order ? add_up(order) : NULL;
    json_decref(order);
    int err = answer ? co4_nats_answer(call, answer, strlen(answer), co4_now() + CO4_SEC)
                     : co4_nats_answer_error(call, -400, "a request that makes no sense",
                                             co4_now() + CO4_SEC);
    free(answer);
    return err;
}

static pausable int serve(co4_nats *c, co4_future *ready)
{
    co4_nats_service_options o = { .name = "orders", .version = "1.0.0", .ready = ready };
    return co4_nats_serve(c, &o, take_order, NULL);
}

/* ---- those that ask ---- */

static pausable void ask(co4_nats *c, const char *what, const char *text)
{
    co4_nats_outgoing m = { .subject = "orders", .data = text, .size = strlen(text) };
    co4_nats_message *answer;
    co4_nats_failure failure;
    int err = co4_nats_ask(c, &m, &answer, &failure, co4_now() + 10 * CO4_SEC);
    printf("%s: %s\n", what,
           err == CO4_OK              ? answer->data
           : err == CO4_NATS_ESERVICE ? failure.text
                                      : co4_strerror(err));
    co4_nats_message_destroy(answer);
}

static pausable void ask_all(co4_nats *c)
{
    json_t *order = json_pack("{s:s, s:[{s:s, s:i, s:i}, {s:s, s:i, s:i}]}", "name", "Ada", "items",
                              "what", "tea", "count", 2, "price", 17, "what", "cup", "count", 1,
                              "price", 8);
    char *text = json_dumps(order, JSON_COMPACT);
    ask(c, "Ada orders 3", text);
    ask(c, "without a number", "{\"name\":\"Ada\",\"items\":[{\"what\":\"tea\"}]}");
    ask(c, "no JSON", "two teas, please");
    free(text);
    json_decref(order);
}

static pausable int run(const char *url)
{
    const char *servers[] = { url, NULL };
    co4_nats *c;
    int err = co4_nats_connect(&c, &(co4_nats_options){ .servers = servers },
                               co4_now() + 10 * CO4_SEC);
    if (err != CO4_OK)
        return err;
    co4_future *ready = co4_future_create(0);
    co4_task *service = co4_spawn(serve(c, ready));
    if (co4_future_await(ready, NULL) == CO4_OK)
        ask_all(c);
    co4_future_release(ready);
    err = co4_nats_close(c, co4_now() + 10 * CO4_SEC);
    co4_join(service, NULL);
    return err;
}

int main(void)
{
    int err = co4_run(run(getenv("NATS_URL")));
    if (err != CO4_OK)
        printf("%s\n", co4_strerror(err));
    return err != CO4_OK;
}
