/* nomem.c - each allocation of a program fails in turn, once and for good: those of the library for
 * messages and objects, those of JSON, those of frames and tasks. It ends each time, says why, and
 * nothing is left behind.
 *
 * link: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=strdup,--wrap=free
 */
#include <co4/group.h>
#include <jansson.h>

#include "../failing.h"
#include "../tls/common.h"
#include "counted.h"

/* ---- the program ---- */

static void abort_it(co4_nats **c)
{
    co4_nats_abort(*c);
}

static void unsubscribe(co4_nats_subscription **s)
{
    co4_nats_unsubscribe(*s);
}

static void end_consumer(co4_nats_consumer **k)
{
    co4_nats_consumer_destroy(*k);
}

static void end_watch(co4_nats_watch **w)
{
    co4_nats_watch_destroy(*w);
}

static void close_kv(co4_nats_kv **kv)
{
    co4_nats_kv_close(*kv);
}

static void free_message(co4_nats_message **m)
{
    co4_nats_message_destroy(*m);
    *m = NULL;
}

static pausable void messages(co4_nats *c)
{
    __attribute__((cleanup(unsubscribe))) co4_nats_subscription *s = NULL;
    __attribute__((cleanup(free_message))) co4_nats_message *m = NULL, *reply = NULL;
    if (!done(co4_nats_subscribe(&s, c, "a", NULL, 16, CO4_NATS_DROP_OLDEST, BRIEF)))
        return;
    done(co4_nats_publish(c, "a", "hello", 5, BRIEF));
    done(co4_nats_flush(c, CO4_NEVER)); /* whatever fails, it ends */
    done(co4_nats_next(s, &m, BRIEF));
    free_message(&m);
    int err = co4_nats_request(c, "nobody", "x", 1, &reply, BRIEF);
    done(err == CO4_NATS_ENORESPONDERS ? CO4_OK : err);
    done(co4_nats_drain(s, BRIEF));
}

static int handled;

static pausable int handle(const co4_nats_message *m, void *arg)
{
    (void)m;
    (void)arg;
    handled++;
    return co4_yield();
}

static pausable int work_on(co4_nats_consumer *k)
{
    return co4_nats_work(k, handle, NULL);
}

/* A scope: the work has ended before the consumer does. */
static pausable int work(co4_nats_consumer *k)
{
    int64_t deadline = BRIEF;
    handled = 0;
    int err = co4_scope_spawn(co4_scope_here(), work_on(k));
    while (err == CO4_OK && handled < 2 && co4_now() < deadline)
        err = co4_sleep(CO4_MS);
    return err == CO4_OK ? CO4_ECANCELED : err;
}

static pausable void streams(co4_nats *c)
{
    __attribute__((cleanup(end_consumer))) co4_nats_consumer *k = NULL;
    __attribute__((cleanup(free_message))) co4_nats_message *m = NULL;
    co4_nats_stream_options o = { .name = "JOBS", .retention = CO4_NATS_WORK };
    co4_nats_consumer_options w = { .name = "w", .ack_wait = CO4_SEC / 5 };
    co4_nats_outgoing job = { .subject = "JOBS", .data = "x", .size = 1 };
    done(co4_nats_stream_create(c, &o, BRIEF));
    for (int i = 0; i < 3; i++)
        done(co4_nats_store(c, &job, NULL, NULL, BRIEF));
    if (!done(co4_nats_consume(&k, c, "JOBS", &w, BRIEF)))
        return;
    if (done(co4_nats_take(k, &m, BRIEF)))
        done(co4_nats_ack_sure(k, m, BRIEF));
    int code = co4_scope_run(0, work(k));
    done(code == CO4_ECANCELED && handled >= 2 ? CO4_OK : code);
}

static pausable void values(co4_nats *c)
{
    __attribute__((cleanup(close_kv))) co4_nats_kv *kv = NULL;
    __attribute__((cleanup(end_watch))) co4_nats_watch *w = NULL;
    co4_nats_entry e;
    if (!done(co4_nats_kv_open(&kv, c, "b", NULL, BRIEF)))
        return;
    done(co4_nats_kv_put(kv, "key", "x", 1, NULL, BRIEF));
    if (done(co4_nats_kv_get(kv, "key", &e, BRIEF)))
        co4_nats_entry_destroy(&e);
    if (done(co4_nats_kv_watch(&w, kv, ">", BRIEF)) &&
        done(co4_nats_watch_next(w, &e, NULL, BRIEF)))
        co4_nats_entry_destroy(&e);
}

static pausable int program(const char *url)
{
    const char *urls[] = { url, NULL };
    __attribute__((cleanup(abort_it))) co4_nats *c = NULL;
    co4_nats_options o = { .servers = urls, .wait = 10 * CO4_MS, .rounds = 20 };
    steps = 0;
    if (!done(co4_nats_connect(&c, &o, BRIEF)))
        return 0;
    messages(c);
    streams(c);
    values(c);
    done(co4_nats_close(c, BRIEF));
    c = NULL;
    return 0;
}

/* The same over TLS, with no more than a flush. */
static co4_tls_config *trusting;

static pausable int secure(const char *url)
{
    const char *urls[] = { url, NULL };
    __attribute__((cleanup(abort_it))) co4_nats *c = NULL;
    co4_nats_options o = { .servers = urls, .tls = trusting, .wait = 10 * CO4_MS, .rounds = 20 };
    steps = 0;
    if (!done(co4_nats_connect(&c, &o, BRIEF)))
        return 0;
    done(co4_nats_flush(c, BRIEF));
    done(co4_nats_close(c, BRIEF));
    c = NULL;
    return 0;
}

pausable int run_once(const char *url)
{
    return strncmp(url, "tls:", 4) == 0 ? secure(url) : program(url);
}

int main(void)
{
    struct server server = { 0 };
    setvbuf(stdout, NULL, _IOLBF, 0);
    json_set_alloc_funcs(__wrap_malloc, __wrap_free);
    server_start(&server);
    sweep("each allocation", server.url, false, false);
    sweep("all from one on", server.url, false, true);
    sweep("each frame", server.url, true, false);
    sweep("all frames from one on", server.url, true, true);
    server_end(&server);
    trusting = client_of("authority");
    struct server other = { .options = { "--tls", "--tlscert", file("server", "pem"), "--tlskey",
                                         file("server", "key") } };
    server_start(&other);
    snprintf(other.url, sizeof other.url, "tls://127.0.0.1:%d", other.port);
    sweep("each allocation of TLS", other.url, false, false);
    sweep("all of TLS from one on", other.url, false, true);
    sweep("each frame of TLS", other.url, true, false);
    sweep("all frames of TLS from one on", other.url, true, true);
    server_end(&other);
    co4_tls_config_release(trusting);
    return 0;
}
