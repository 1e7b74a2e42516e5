/* tls.c - co4/nats.h over TLS: certificates that are good, wrong, old and unknown; of servers, of
 * clients; connections that are cut. */
#include <signal.h>
#include <unistd.h>

#include "../tls/common.h"
#include "counted.h"

static pausable int try_one(const char *url, co4_tls_config *tls, co4_nats **c)
{
    const char *urls[] = { url, NULL };
    co4_nats_options o = { .servers = urls, .tls = tls, .wait = 10 * CO4_MS, .attempt = PATIENT };
    return co4_nats_connect(c, &o, SOON);
}

/* Connects, and closes. */
static pausable void shows_that(const char *what, const char *url, co4_tls_config *tls)
{
    co4_nats *c;
    int err = try_one(url, tls, &c);
    show(what, err);
    if (err != CO4_OK)
        return;
    co4_nats_message *m;
    show("flush", co4_nats_flush(c, SOON));
    show("a request", co4_nats_request(c, "nobody", "x", 1, &m, SOON));
    show("close", co4_nats_close(c, SOON));
}

/* A server that is more patient than by default: a handshake may take long under valgrind. */
static char config[] = "/tmp/co4-nats-tls.XXXXXX";

static bool configure(void)
{
    static const char text[] = "tls { timeout: 60 }\nauthorization { timeout: 60 }\n";
    int fd = mkstemp(config);
    bool good = fd >= 0 && write(fd, text, sizeof text - 1) == sizeof text - 1;
    close(fd);
    return good;
}

static void secure(struct server *s, const char *name)
{
    *s = (struct server){ .options = { "-c", config, "--tls", "--tlscert", file(name, "pem"),
                                       "--tlskey", file(name, "key") } };
    server_start(s);
    snprintf(s->url, sizeof s->url, "tls://127.0.0.1:%d", s->port);
}

/* ---- the server's certificate ---- */

static pausable void of_servers(void)
{
    static const char *const bad[] = { "other", "expired", "future", "unknown", "self" };
    struct server s;
    char url[64];
    co4_tls_config *trusting = client_of("authority"), *other = client_of("stranger");
    secure(&s, "server");
    shows_that("a good one", s.url, trusting);
    shows_that("an issuer that is not trusted", s.url, other);
    shows_that("the system's issuers", s.url, NULL);
    snprintf(url, sizeof url, "nats://localhost:%d", s.port);
    shows_that("required by the server", url, trusting);
    shows_that("and refused", url, NULL);
    server_end(&s);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        secure(&s, bad[i]);
        shows_that(bad[i], s.url, trusting);
        server_end(&s);
    }
    struct server plain = { 0 };
    server_start(&plain);
    snprintf(url, sizeof url, "tls://127.0.0.1:%d", plain.port);
    shows_that("a server without TLS", url, trusting);
    server_end(&plain);
    co4_tls_config_release(trusting);
    co4_tls_config_release(other);
}

/* ---- the client's ---- */

static co4_tls_config *client_with(const char *name)
{
    co4_tls_options o = trusts("authority");
    o.cert_file = file(name, "pem");
    o.key_file = file(name, "key");
    return checked(co4_tls_client, &o);
}

static pausable void of_clients(void)
{
    struct server s = { .options = { "-c", config, "--tlsverify", "--tlscert",
                                     file("server", "pem"), "--tlskey", file("server", "key"),
                                     "--tlscacert", file("authority", "pem") } };
    server_start(&s);
    snprintf(s.url, sizeof s.url, "tls://127.0.0.1:%d", s.port);
    co4_tls_config *none = client_of("authority"), *good = client_with("client"),
                   *unknown = client_with("unknown");
    shows_that("a client without one", s.url, none);
    shows_that("a client with one", s.url, good);
    shows_that("a client with one of another issuer", s.url, unknown);
    server_end(&s);
    co4_tls_config_release(none);
    co4_tls_config_release(good);
    co4_tls_config_release(unknown);
}

/* ---- cut ---- */

enum { ROUNDS = 20, EACH = 20, ALL = ROUNDS * EACH };

static pausable int collect(co4_nats_subscription *s, struct tally *t)
{
    co4_nats_message *m;
    while (co4_nats_next(s, &m, CO4_NEVER) == CO4_OK) {
        count_in(t, m->data, m->size);
        co4_nats_message_destroy(m);
    }
    return 0;
}

static pausable void settle(co4_nats *c)
{
    int err;
    while ((err = co4_nats_flush(c, SOON)) == CO4_NATS_EDISCONNECTED) {
    }
    if (err != CO4_OK)
        show("flush", err);
}

/* Subscriber and publisher are cut, in turn; and the server is started again. */
static pausable void cuts(void)
{
    struct server s;
    struct proxy p;
    struct tally *t = calloc(1, sizeof *t);
    char data[LARGEST];
    co4_nats *c = NULL, *d = NULL;
    co4_nats_subscription *sub = NULL;
    co4_tls_config *trusting = client_of("authority");
    secure(&s, "server");
    proxy_start(&p, s.port);
    snprintf(p.url, sizeof p.url, "tls://127.0.0.1:%d", p.port);
    show("connect", try_one(p.url, trusting, &c));
    show("connect", try_one(p.url, trusting, &d));
    show("subscribe", co4_nats_subscribe(&sub, d, "work", NULL, ALL, 0, SOON));
    settle(d);
    co4_task *reader = co4_spawn(collect(sub, t));
    for (int round = 0; round < ROUNDS; round++) {
        if (round % 4 != 3)
            proxy_cut_after(&p, round % 2 ? TO_SERVER : TO_CLIENT, round * 1117 % 20000);
        for (int i = 0; i < EACH; i++)
            if (co4_nats_publish(c, "work", data, fill(data, round * EACH + i), SOON) != CO4_OK)
                printf("not published\n");
        settle(c);
        settle(d);
        proxy_disarm(&p);
        if (round == ROUNDS / 2) {
            server_kill(&s, SIGKILL);
            server_start(&s);
        }
    }
    settle(d);
    show("drain", co4_nats_drain(sub, SOON));
    co4_join(reader, NULL);
    printf("%d twice, %d damaged, some arrive: %d\n", t->twice, t->damaged, t->all > 0);
    fprintf(stderr, "tls: %d of %d, %d cuts\n", t->all, ALL, proxy_cuts(&p));
    co4_nats_unsubscribe(sub);
    show("close", co4_nats_close(c, SOON));
    show("close", co4_nats_close(d, SOON));
    proxy_end(&p);
    server_end(&s);
    co4_tls_config_release(trusting);
    free(t);
}

static pausable int all(void)
{
    of_servers();
    of_clients();
    cuts();
    return 0;
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!configure())
        return 2;
    int err = co4_run(all());
    unlink(config);
    return err;
}
