/* kv.c - co4/nats_kv.h: values, watches over the end of the server, leases with growing tokens. */
#include <co4/nats_kv.h>
#include <signal.h>

#include "program.h"

static pausable void values(co4_nats *c)
{
    co4_nats_kv *kv;
    co4_nats_entry e;
    uint64_t revision = 0;
    show("no bucket",
         co4_nats_kv_open(&kv, c, "b", &(co4_nats_kv_options){ .only_open = true }, SOON));
    show("open", co4_nats_kv_open(&kv, c, "b", NULL, SOON));
    show("no value", co4_nats_kv_get(kv, "a", &e, SOON));
    show("put", co4_nats_kv_put(kv, "a", "one", 3, &revision, SOON));
    show("get", co4_nats_kv_get(kv, "a", &e, SOON));
    printf("%s = %s, %d, %d\n", e.key, e.value, (int)e.size, e.revision == revision);
    co4_nats_entry_destroy(&e);
    show("create", co4_nats_kv_create(kv, "a", "two", 3, &revision, SOON));
    show("update", co4_nats_kv_update(kv, "a", "two", 3, revision + 1, &revision, SOON));
    show("update", co4_nats_kv_update(kv, "a", "two", 3, revision, &revision, SOON));
    show("delete", co4_nats_kv_delete(kv, "a", revision + 5, SOON));
    show("delete", co4_nats_kv_delete(kv, "a", revision, SOON));
    show("get", co4_nats_kv_get(kv, "a", &e, SOON));
    show("create", co4_nats_kv_create(kv, "a", "three", 5, &revision, SOON));
    show("get", co4_nats_kv_get(kv, "a", &e, SOON));
    printf("%s = %s\n", e.key, e.value);
    co4_nats_entry_destroy(&e);
    show("a bad key", co4_nats_kv_put(kv, "a b", "x", 1, NULL, SOON));
    show("a bad key", co4_nats_kv_put(kv, ".a", "x", 1, NULL, SOON));
    show("a bad key", co4_nats_kv_get(kv, "a.", &e, SOON));
    /* Other clients remove a key and its history so. */
    static const char *const purge[] = { "KV-Operation", "PURGE", NULL };
    co4_nats_outgoing m = { .subject = "$KV.b.a", .headers = purge };
    show("purge", co4_nats_store(c, &m, NULL, NULL, SOON));
    show("get", co4_nats_kv_get(kv, "a", &e, SOON));
    show("a wild key", co4_nats_kv_put(kv, "a.*", "x", 1, NULL, SOON));
    co4_nats_kv_close(kv);
    show("open", co4_nats_kv_open(&kv, c, "b", NULL, SOON));
    co4_nats_kv_close(kv);
    show("other options",
         co4_nats_kv_open(&kv, c, "b", &(co4_nats_kv_options){ .history = 5 }, SOON));
}

static pausable void watching(struct server *server, co4_nats *c)
{
    co4_nats_kv *kv;
    co4_nats_watch *w, *none;
    co4_nats_entry e;
    bool current;
    show("open", co4_nats_kv_open(&kv, c, "w", NULL, SOON));
    show("watch", co4_nats_kv_watch(&none, kv, "none", SOON));
    printf("nothing is there: %d\n", co4_nats_watch_is_current(none));
    for (int i = 0; i < 3; i++)
        show("put", co4_nats_kv_put(kv, i ? "x.b" : "x.a", &"123"[i], 1, NULL, SOON));
    show("put", co4_nats_kv_put(kv, "y", "y", 1, NULL, SOON));
    show("watch", co4_nats_kv_watch(&w, kv, "x.*", SOON));
    for (int i = 0; i < 2 && co4_nats_watch_next(w, &e, &current, SOON) == CO4_OK; i++) {
        printf("%s = %.*s, %d\n", e.key, (int)e.size, e.value, current);
        co4_nats_entry_destroy(&e);
    }
    show("nothing new", co4_nats_watch_next(w, &e, NULL, co4_now() + 50 * CO4_MS));
    int sum = 0;
    for (int i = 0; i < 100; i++) {
        char text[16];
        snprintf(text, sizeof text, "%d", i);
        while (co4_nats_kv_put(kv, "x.c", text, strlen(text), NULL, SOON) != CO4_OK) {
        }
        if (i % 40 == 20) {
            server_kill(server, SIGKILL);
            server_start(server);
        }
        if (co4_nats_watch_next(w, &e, NULL, SOON) != CO4_OK)
            break;
        sum += atoi(e.value) == i && !e.deleted && strcmp(e.key, "x.c") == 0;
        co4_nats_entry_destroy(&e);
    }
    printf("%d of 100 in order\n", sum);
    show("delete", co4_nats_kv_delete(kv, "x.a", 0, SOON));
    show("next", co4_nats_watch_next(w, &e, NULL, SOON));
    printf("%s %d\n", e.key, e.deleted);
    co4_nats_entry_destroy(&e);
    show("nothing", co4_nats_watch_next(none, &e, NULL, co4_now() + 50 * CO4_MS));
    co4_nats_watch_destroy(none);
    co4_nats_watch_destroy(w);
    co4_nats_kv_close(kv);
}

/* ---- leases ---- */

static uint64_t last_token;
static int holders, at_once, wrong;

static pausable int holder(co4_nats *c, co4_nats_kv *kv, int i)
{
    co4_nats_lease lease;
    char name[32];
    (void)c;
    snprintf(name, sizeof name, "holder %d", i);
    /* Who does not run for so long may lose it: that is longer than any pause of a machine. */
    int err = co4_nats_lease_take(&lease, kv, "leader", name, 3 * CO4_SEC, SOON);
    if (err != CO4_OK)
        return err;
    holders++;
    wrong += ++at_once > 1;
    wrong += lease.token <= last_token;
    last_token = lease.token;
    co4_sleep(30 * CO4_MS);
    err = co4_nats_lease_renew(&lease, kv, SOON);
    at_once--;
    if (i == 1)
        return err; /* it dies, and does not give it back */
    return co4_nats_lease_give(&lease, kv, SOON);
}

static pausable int take(co4_nats_kv *kv, co4_nats_lease *lease)
{
    return co4_nats_lease_take(lease, kv, "k", "one", 100 * CO4_MS, CO4_NEVER);
}

static pausable int renew(co4_nats_kv *kv, co4_nats_lease *lease)
{
    int err = CO4_OK;
    for (int i = 0; i < 10 && err == CO4_OK; i++) {
        co4_sleep(250 * CO4_MS);
        err = co4_nats_lease_renew(lease, kv, SOON);
    }
    return err;
}

/* A lease that is renewed goes to no other client. */
static pausable void renewed(co4_nats_kv *kv)
{
    co4_nats_lease one, other;
    int code;
    show("take", co4_nats_lease_take(&one, kv, "r", "one", CO4_SEC, SOON));
    printf("as long as it may be: %d\n", one.until <= co4_now() + CO4_SEC);
    co4_task *task = co4_spawn(renew(kv, &one));
    show("other",
         co4_nats_lease_take(&other, kv, "r", "other", CO4_SEC, co4_now() + 2200 * CO4_MS));
    co4_join(task, &code);
    show("renewed", code);
}

static pausable void leases(struct server *server, co4_nats *c)
{
    co4_nats_kv *kv;
    co4_task *tasks[4];
    show("open", co4_nats_kv_open(&kv, c, "l", NULL, SOON));
    for (int i = 0; i < 4; i++)
        tasks[i] = co4_spawn(holder(c, kv, i));
    int code;
    for (int i = 0; i < 4; i++) {
        co4_join(tasks[i], &code);
        show("holder", code);
    }
    printf("%d had it, wrong %d\n", holders, wrong);
    renewed(kv);
    co4_nats_lease one, other;
    show("take", co4_nats_lease_take(&one, kv, "k", "one", 50 * CO4_MS, SOON));
    show("other", co4_nats_lease_take(&other, kv, "k", "other", 50 * CO4_MS, SOON));
    printf("not before its end: %d\n", co4_now() >= one.until);
    printf("the token grows: %d\n", other.token > one.token);
    show("one has lost it", co4_nats_lease_renew(&one, kv, SOON));
    show("and gives nothing", co4_nats_lease_give(&one, kv, SOON));
    show("soon", co4_nats_lease_take(&one, kv, "k", "one", 60 * CO4_SEC, co4_now() + 20 * CO4_MS));
    /* Also without a deadline, while the server is started again. */
    co4_task *taker = co4_spawn(take(kv, &one));
    co4_sleep(10 * CO4_MS);
    server_kill(server, SIGKILL);
    co4_sleep(300 * CO4_MS);
    server_start(server);
    co4_join(taker, &code);
    show("take", code);
    printf("the token grows: %d\n", one.token > other.token);
    co4_nats_kv_close(kv);
    show("delete", co4_nats_kv_delete_bucket(c, "l", SOON));
}

static pausable int all(struct server *server)
{
    co4_nats *c = connect_to(server->url);
    if (!c)
        return 1;
    values(c);
    watching(server, c);
    leases(server, c);
    show("close", co4_nats_close(c, SOON));
    return 0;
}

int main(void)
{
    struct server server = { 0 };
    server_start(&server);
    int err = co4_run(all(&server));
    server_end(&server);
    return err;
}
