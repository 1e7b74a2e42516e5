/* gone.c - what each public call says when the server is gone, when it goes while the call waits,
 * when the connection is closed, and with arguments that make no sense. */
#include "counted.h"

/* One of each object. */
struct all {
    co4_nats *c;
    co4_nats_subscription *s;
    co4_nats_consumer *k;
    co4_nats_follower *f;
    co4_nats_kv *kv;
    co4_nats_watch *w;
    co4_nats_lease lease;
    co4_nats_message *job; /* of the consumer */
};

static const co4_nats_outgoing x = { .subject = "a", .data = "x", .size = 1 };
static const co4_nats_stream_options jobs = { .name = "JOBS", .retention = CO4_NATS_WORK };

static pausable void make(struct all *a, const char *url)
{
    const char *urls[] = { url, NULL };
    co4_nats_options o = { .servers = urls, .attempt = PATIENT, .wait = 20 * CO4_MS };
    co4_nats_consumer_options k = { .name = "w", .ack_wait = 60 * CO4_SEC };
    co4_nats_outgoing job = { .subject = "JOBS", .data = "x", .size = 1 };
    *a = (struct all){ 0 };
    int err = co4_nats_connect(&a->c, &o, SOON);
    if (err == CO4_OK)
        err = co4_nats_subscribe(&a->s, a->c, "nothing", NULL, 0, 0, SOON);
    if (err == CO4_OK)
        err = co4_nats_stream_create(a->c, &jobs, SOON);
    if (err == CO4_OK)
        err = co4_nats_store(a->c, &job, NULL, NULL, SOON);
    if (err == CO4_OK)
        err = co4_nats_consume(&a->k, a->c, "JOBS", &k, SOON);
    if (err == CO4_OK)
        err = co4_nats_take(a->k, &a->job, SOON);
    if (err == CO4_OK)
        err = co4_nats_follow(&a->f, a->c, "KV_b", NULL, CO4_NATS_FROM_NOW, 0, SOON);
    if (err == CO4_NATS_ENOTFOUND || err == CO4_OK)
        err = co4_nats_kv_open(&a->kv, a->c, "b", NULL, SOON);
    if (err == CO4_OK && !a->f)
        err = co4_nats_follow(&a->f, a->c, "KV_b", NULL, CO4_NATS_FROM_NOW, 0, SOON);
    if (err == CO4_OK)
        err = co4_nats_kv_watch(&a->w, a->kv, "none", SOON);
    if (err == CO4_OK)
        err = co4_nats_lease_take(&a->lease, a->kv, "lease", "me", CO4_SEC, SOON);
    if (err != CO4_OK)
        show("make", err);
}

static pausable void end(struct all *a)
{
    co4_nats_message_destroy(a->job);
    co4_nats_watch_destroy(a->w);
    co4_nats_follower_destroy(a->f);
    co4_nats_consumer_destroy(a->k);
    co4_nats_kv_close(a->kv);
    co4_nats_unsubscribe(a->s);
}

/* ---- the calls ---- */

#define CALL(name, ...)                                                                            \
    static pausable int name(struct all *a, int64_t deadline)                                      \
    {                                                                                              \
        (void)deadline;                                                                            \
        __VA_ARGS__                                                                                \
    }
/* A call whose result is an object. */
#define OBJECT(name, type, call, free)                                                             \
    static pausable int name(struct all *a, int64_t deadline)                                      \
    {                                                                                              \
        type *o = NULL;                                                                            \
        int err = call;                                                                            \
        if ((err == CO4_OK) != (o != NULL))                                                        \
            printf("%s: a code and an object\n", #name);                                           \
        free(o);                                                                                   \
        return err;                                                                                \
    }

CALL(publish, return co4_nats_publish(a->c, "a", "x", 1, deadline);)
CALL(send, return co4_nats_send(a->c, &x, deadline);)
CALL(flush, return co4_nats_flush(a->c, deadline);)
OBJECT(subscribe, co4_nats_subscription,
       co4_nats_subscribe(&o, a->c, "b", NULL, 0, CO4_NATS_DROP_OLDEST, deadline),
       co4_nats_unsubscribe)
OBJECT(next, co4_nats_message, co4_nats_next(a->s, &o, deadline), co4_nats_message_destroy)
CALL(drain, return co4_nats_drain(a->s, deadline);)
OBJECT(request, co4_nats_message, co4_nats_request(a->c, "a", "x", 1, &o, deadline),
       co4_nats_message_destroy)
OBJECT(request_with, co4_nats_message, co4_nats_request_with(a->c, &x, &o, deadline),
       co4_nats_message_destroy)
CALL(respond, co4_nats_message m = { .reply = "a" };
     return co4_nats_respond(a->c, &m, "x", 1, deadline);)
CALL(stream_make, return co4_nats_stream_create(a->c, &jobs, deadline);)
CALL(stream_delete, return co4_nats_stream_delete(a->c, "NONE", deadline);)
CALL(stream_look, co4_nats_stream_state state;
     return co4_nats_stream_look(a->c, "JOBS", &state, deadline);)
CALL(stream_purge, return co4_nats_stream_purge(a->c, "JOBS", "none", 0, NULL, deadline);)
CALL(consumer_look, co4_nats_consumer_state state;
     return co4_nats_consumer_look(a->c, "JOBS", "w", &state, deadline);)
CALL(store, return co4_nats_store(a->c, &x, NULL, NULL, deadline);)
OBJECT(consume, co4_nats_consumer, co4_nats_consume(&o, a->c, "JOBS", NULL, deadline),
       co4_nats_consumer_destroy)
OBJECT(take, co4_nats_message, co4_nats_take(a->k, &o, deadline), co4_nats_message_destroy)
CALL(working, return co4_nats_working(a->k, a->job, deadline);)
CALL(ack, return co4_nats_ack(a->k, a->job, deadline);)
CALL(ack_sure, return co4_nats_ack_sure(a->k, a->job, deadline);)
CALL(retry, return co4_nats_retry(a->k, a->job, 60 * CO4_SEC, deadline);)
CALL(reject, return co4_nats_reject(a->k, a->job, deadline);)
CALL(consumer_delete, return co4_nats_consumer_delete(a->c, "JOBS", "none", deadline);)
OBJECT(follow, co4_nats_follower,
       co4_nats_follow(&o, a->c, "JOBS", NULL, CO4_NATS_FROM_FIRST, 0, deadline),
       co4_nats_follower_destroy)
OBJECT(follow_next, co4_nats_message, co4_nats_follow_next(a->f, &o, deadline),
       co4_nats_message_destroy)
OBJECT(kv_open, co4_nats_kv, co4_nats_kv_open(&o, a->c, "b", NULL, deadline), co4_nats_kv_close)
CALL(kv_delete_bucket, return co4_nats_kv_delete_bucket(a->c, "none", deadline);)
CALL(kv_get, co4_nats_entry e; int err = co4_nats_kv_get(a->kv, "key", &e, deadline);
     co4_nats_entry_destroy(&e); return err;)
CALL(kv_put, return co4_nats_kv_put(a->kv, "key", "x", 1, NULL, deadline);)
CALL(kv_create, return co4_nats_kv_create(a->kv, "key", "x", 1, NULL, deadline);)
CALL(kv_update, return co4_nats_kv_update(a->kv, "key", "x", 1, 1, NULL, deadline);)
CALL(kv_delete, return co4_nats_kv_delete(a->kv, "key", 0, deadline);)
OBJECT(kv_watch, co4_nats_watch, co4_nats_kv_watch(&o, a->kv, ">", deadline),
       co4_nats_watch_destroy)
CALL(watch_next, co4_nats_entry e; int err = co4_nats_watch_next(a->w, &e, NULL, deadline);
     co4_nats_entry_destroy(&e); return err;)
CALL(lease_take, co4_nats_lease l;
     return co4_nats_lease_take(&l, a->kv, "other", "me", CO4_SEC, deadline);)
CALL(lease_renew, return co4_nats_lease_renew(&a->lease, a->kv, deadline);)
CALL(lease_give, co4_nats_lease l = a->lease; return co4_nats_lease_give(&l, a->kv, deadline);)

static pausable int handle(const co4_nats_message *m, void *arg)
{
    (void)m;
    (void)arg;
    return CO4_OK;
}

/* It has no deadline. */
static pausable int work_on(co4_nats_consumer *k)
{
    return co4_nats_work(k, handle, NULL);
}

CALL(work, int code = CO4_OK; co4_task *task = co4_spawn(work_on(a->k)); co4_sleep(200 * CO4_MS);
     co4_task_cancel(task, 0); co4_join(task, &code); return code;)

typedef pausable int call(struct all *a, int64_t deadline);
static const struct {
    const char *name;
    call *call;
    bool goes_on; /* also when the connection is lost: until its deadline */
} calls[] = {
#define ROW(name, goes_on)                                                                         \
    {                                                                                              \
#name, name, goes_on                                                                       \
    }
    ROW(publish, false),
    ROW(send, false),
    ROW(flush, false),
    ROW(subscribe, false),
    ROW(next, true),
    ROW(request, false),
    ROW(request_with, false),
    ROW(respond, false),
    ROW(stream_make, false),
    ROW(stream_delete, false),
    ROW(stream_look, false),
    ROW(stream_purge, false),
    ROW(store, false),
    ROW(consume, false),
    ROW(take, true),
    ROW(work, true),
    ROW(working, false),
    ROW(consumer_look, false),
    ROW(consumer_delete, false),
    ROW(follow, false),
    ROW(follow_next, true),
    ROW(kv_open, false),
    ROW(kv_delete_bucket, false),
    ROW(kv_get, false),
    ROW(kv_put, false),
    ROW(kv_create, false),
    ROW(kv_update, false),
    ROW(kv_delete, false),
    ROW(kv_watch, false),
    ROW(watch_next, true),
    ROW(lease_take, true),
    ROW(lease_renew, false),
    ROW(ack_sure, false),
    ROW(ack, false),
    ROW(retry, false),
    ROW(reject, false),
    ROW(lease_give, false),
    ROW(drain, false),
#undef ROW
};
enum { COUNT = sizeof calls / sizeof *calls };

/* ---- a server that goes ---- */

static pausable void until(co4_nats *c, co4_nats_event_kind kind)
{
    co4_nats_event e;
    while (co4_mailbox_receive_until(co4_nats_monitor(c), &e, SOON) == CO4_OK)
        if (e.kind == kind)
            return;
    printf("event %d does not come\n", (int)kind);
}

static int begun;

static pausable int run(struct all *a, call *one, int64_t deadline)
{
    begun++;
    return one(a, deadline);
}

/* So many calls have begun, and what they send is on its way. */
static pausable void until_begun(struct all *a, int count)
{
    co4_nats_counts counts;
    do {
        co4_sleep(30 * CO4_MS);
        co4_nats_count(a->c, &counts);
    } while (begun < count || counts.waiting > 0);
    begun = 0;
}

/* The connection is lost while each waits: what it has sent does not arrive. */
static pausable void during(struct proxy *p, struct all *a, int *codes)
{
    for (int i = 0; i < COUNT; i++) {
        proxy_stall(p, true);
        int64_t deadline = calls[i].goes_on ? co4_now() + 200 * CO4_MS : SOON;
        co4_task *task = co4_spawn(run(a, calls[i].call, deadline));
        until_begun(a, 1);
        proxy_refuse(p, true);
        proxy_cut(p);
        until(a->c, CO4_NATS_DISCONNECTED);
        co4_join(task, &codes[i]);
        proxy_refuse(p, false);
        proxy_stall(p, false);
        until(a->c, CO4_NATS_RECONNECTED);
        int err = co4_nats_flush(a->c, SOON);
        if (err == CO4_NATS_EDISCONNECTED) /* it was lost, and this one says so */
            err = co4_nats_flush(a->c, SOON);
        if (err != CO4_OK)
            show("flush", err);
    }
}

static pausable void down(struct proxy *p, struct all *a, int *codes)
{
    proxy_refuse(p, true);
    proxy_cut(p);
    until(a->c, CO4_NATS_DISCONNECTED);
    for (int i = 0; i < COUNT; i++)
        codes[i] = calls[i].call(a, co4_now() + 20 * CO4_MS);
}

static pausable void gone(const struct server *server)
{
    static int codes[3][COUNT];
    struct proxy p;
    struct all a;
    proxy_start(&p, server->port);
    make(&a, p.url);
    during(&p, &a, codes[0]);
    show("close", co4_nats_close(a.c, SOON));
    end(&a);
    make(&a, p.url);
    down(&p, &a, codes[1]);
    show("close while the server is gone", co4_nats_close(a.c, SOON));
    for (int i = 0; i < COUNT; i++)
        codes[2][i] = calls[i].call(&a, SOON);
    for (int i = 0; i < COUNT; i++) {
        printf("%s\n", calls[i].name);
        for (int k = 0; k < 3; k++)
            printf("    %s: %s\n",
                   k == 0   ? "lost"
                   : k == 1 ? "down"
                            : "closed",
                   co4_strerror(codes[k][i]));
    }
    end(&a);
    proxy_end(&p);
}

/* ---- an end without a wait ---- */

/* All that wait end, and what was published is lost. */
static pausable void aborted(const struct server *server)
{
    static int codes[COUNT];
    co4_task *tasks[COUNT];
    int count = 0;
    struct proxy p;
    struct all a;
    proxy_start(&p, server->port);
    make(&a, p.url);
    proxy_stall(&p, true);
    for (int i = 0; i < COUNT; i++) {
        /* One task reads a subscription, a consumer, a follower, a watch. */
        bool alone = calls[i].call == work || calls[i].call == drain;
        tasks[i] = alone ? NULL : co4_spawn(run(&a, calls[i].call, SOON));
        count += !alone;
    }
    until_begun(&a, count);
    co4_nats_abort(a.c);
    for (int i = 0; i < COUNT; i++)
        if (tasks[i]) {
            co4_join(tasks[i], &codes[i]);
            printf("%s: %s\n", calls[i].name, co4_strerror(codes[i]));
        }
    show("afterwards", co4_nats_drain(a.s, SOON));
    end(&a);
    co4_nats_abort(NULL);
    proxy_end(&p);
}

/* ---- arguments that make no sense ---- */

#define W(call) show(#call, call)

static pausable void wrong_messages(struct all *a, const struct server *server)
{
    static char large[5000];
    const char *const odd[] = { "A: b", "c", NULL }, *const half[] = { "A", NULL };
    const char *const urls[] = { server->url, NULL }, *const ftp[] = { "ftp://a", NULL };
    co4_nats_subscription *s;
    co4_nats_message *m, none = { .subject = "a" };
    co4_nats *c;
    memset(large, 'a', sizeof large - 1);
    W(co4_nats_connect(NULL, NULL, SOON));
    W(co4_nats_connect(&c, &(co4_nats_options){ .servers = ftp }, SOON));
    W(co4_nats_connect(&c, &(co4_nats_options){ .servers = urls }, co4_now() - 1));
    W(co4_nats_close(NULL, SOON));
    W(co4_nats_publish(NULL, "a", "x", 1, SOON));
    W(co4_nats_publish(a->c, NULL, "x", 1, SOON));
    W(co4_nats_publish(a->c, "", "x", 1, SOON));
    W(co4_nats_publish(a->c, "a b", "x", 1, SOON));
    W(co4_nats_publish(a->c, "a\r\nPING\r\n", "x", 1, SOON));
    W(co4_nats_publish(a->c, "a", NULL, 1, SOON));
    W(co4_nats_publish(a->c, large, "x", 1, SOON));
    W(co4_nats_publish(a->c, "a", "x", (size_t)-1, SOON));
    W(co4_nats_send(NULL, &x, SOON));
    W(co4_nats_send(a->c, NULL, SOON));
    W(co4_nats_send(a->c, &(co4_nats_outgoing){ .subject = "a", .headers = odd }, SOON));
    W(co4_nats_send(a->c, &(co4_nats_outgoing){ .subject = "a", .headers = half }, SOON));
    W(co4_nats_send(a->c, &(co4_nats_outgoing){ .subject = "a", .reply = "b c" }, SOON));
    W(co4_nats_flush(NULL, SOON));
    W(co4_nats_subscribe(NULL, a->c, "a", NULL, 0, 0, SOON));
    W(co4_nats_subscribe(&s, NULL, "a", NULL, 0, 0, SOON));
    W(co4_nats_subscribe(&s, a->c, NULL, NULL, 0, 0, SOON));
    W(co4_nats_subscribe(&s, a->c, "a", "b c", 0, 0, SOON));
    W(co4_nats_subscribe(&s, a->c, "a", NULL, 0, (co4_nats_full)3, SOON));
    W(co4_nats_subscribe(&s, a->c, large, NULL, 0, 0, SOON));
    W(co4_nats_next(NULL, &m, SOON));
    W(co4_nats_next(a->s, NULL, SOON));
    W(co4_nats_drain(NULL, SOON));
    W(co4_nats_request(NULL, "a", "x", 1, &m, SOON));
    W(co4_nats_request(a->c, "a", "x", 1, NULL, SOON));
    W(co4_nats_request(a->c, NULL, "x", 1, &m, SOON));
    W(co4_nats_request(a->c, "a", "x", 1, &m, co4_now() - 1));
    W(co4_nats_request_with(a->c, NULL, &m, SOON));
    W(co4_nats_request_with(a->c, &(co4_nats_outgoing){ .subject = "a", .reply = "b" }, &m, SOON));
    W(co4_nats_respond(a->c, NULL, "x", 1, SOON));
    W(co4_nats_respond(a->c, &none, "x", 1, SOON));
}

static pausable void wrong_streams(struct all *a)
{
    co4_nats_stream_state state;
    W(co4_nats_stream_create(NULL, &jobs, SOON));
    W(co4_nats_stream_create(a->c, NULL, SOON));
    W(co4_nats_stream_create(a->c, &(co4_nats_stream_options){ .name = "a.b" }, SOON));
    W(co4_nats_stream_create(a->c, &(co4_nats_stream_options){ .name = NULL }, SOON));
    W(co4_nats_stream_create(a->c, &(co4_nats_stream_options){ .name = "a", .replicas = 99 },
                             SOON));
    W(co4_nats_stream_create(a->c, &(co4_nats_stream_options){ .name = "a", .replicas = -1 },
                             SOON));
    W(co4_nats_stream_create(a->c, &(co4_nats_stream_options){ .name = "a", .max_age = -1 }, SOON));
    W(co4_nats_stream_create(a->c, &(co4_nats_stream_options){ .name = "a", .max_bytes = -1 },
                             SOON));
    W(co4_nats_stream_create(a->c, &(co4_nats_stream_options){ "a", .max_messages = -1 }, SOON));
    W(co4_nats_stream_create(a->c, &(co4_nats_stream_options){ "a", .max_per_subject = -1 }, SOON));
    W(co4_nats_stream_create(a->c, &(co4_nats_stream_options){ "a", .duplicates = -1 }, SOON));
    W(co4_nats_stream_delete(NULL, "JOBS", SOON));
    W(co4_nats_stream_delete(a->c, NULL, SOON));
    W(co4_nats_stream_delete(a->c, "NONE", SOON));
    W(co4_nats_stream_look(a->c, "JOBS", NULL, SOON));
    W(co4_nats_stream_look(a->c, "a>", &state, SOON));
    W(co4_nats_stream_look(a->c, "NONE", &state, SOON));
    W(co4_nats_stream_purge(NULL, "JOBS", NULL, 0, NULL, SOON));
    W(co4_nats_stream_purge(a->c, NULL, NULL, 0, NULL, SOON));
    W(co4_nats_stream_purge(a->c, "JOBS", "a b", 0, NULL, SOON));
    W(co4_nats_stream_purge(a->c, "NONE", NULL, 0, NULL, SOON));
    W(co4_nats_store(NULL, &x, NULL, NULL, SOON));
    W(co4_nats_store(a->c, NULL, NULL, NULL, SOON));
    W(co4_nats_store(a->c, &(co4_nats_outgoing){ .subject = "a", .reply = "b" }, NULL, NULL, SOON));
    W(co4_nats_store(a->c, &x, NULL, NULL, SOON));
}

static pausable void wrong_consumers(struct all *a)
{
    co4_nats_message *m, none = { .subject = "a" };
    co4_nats_consumer *k;
    co4_nats_follower *f;
    co4_nats_origin origin;
    co4_nats_consumer_state look;
    W(co4_nats_consume(NULL, a->c, "JOBS", NULL, SOON));
    W(co4_nats_consume(&k, NULL, "JOBS", NULL, SOON));
    W(co4_nats_consume(&k, a->c, "a b", NULL, SOON));
    W(co4_nats_consume(&k, a->c, "NONE", NULL, SOON));
    W(co4_nats_consume(&k, a->c, "JOBS", &(co4_nats_consumer_options){ .name = "a.b" }, SOON));
    W(co4_nats_consume(&k, a->c, "JOBS", &(co4_nats_consumer_options){ .credit = -1 }, SOON));
    W(co4_nats_consume(&k, a->c, "JOBS", &(co4_nats_consumer_options){ .ack_wait = -1 }, SOON));
    W(co4_nats_consume(&k, a->c, "JOBS", &(co4_nats_consumer_options){ .max_deliver = -1 }, SOON));
    W(co4_nats_consume(&k, a->c, "JOBS", &(co4_nats_consumer_options){ .max_pending = -1 }, SOON));
    W(co4_nats_take(NULL, &m, SOON));
    W(co4_nats_take(a->k, NULL, SOON));
    W(co4_nats_ack(NULL, a->job, SOON));
    W(co4_nats_ack(a->k, NULL, SOON));
    W(co4_nats_ack(a->k, &none, SOON));
    W(co4_nats_ack_sure(a->k, &none, SOON));
    W(co4_nats_retry(a->k, &none, 0, SOON));
    W(co4_nats_working(a->k, &none, SOON));
    W(co4_nats_reject(a->k, &none, SOON));
    W(co4_nats_origin_of(NULL, &origin));
    W(co4_nats_origin_of(&none, &origin));
    W(co4_nats_origin_of(a->job, NULL));
    W(co4_nats_work(NULL, handle, NULL));
    W(co4_nats_work(a->k, NULL, NULL));
    W(co4_nats_consumer_look(NULL, "JOBS", "w", &look, SOON));
    W(co4_nats_consumer_look(a->c, "JOBS", "w", NULL, SOON));
    W(co4_nats_consumer_look(a->c, "JOBS", "none", &look, SOON));
    W(co4_nats_consumer_delete(NULL, "JOBS", "w", SOON));
    W(co4_nats_consumer_delete(a->c, "JOBS", "none", SOON));
    W(co4_nats_follow(NULL, a->c, "JOBS", NULL, 0, 0, SOON));
    W(co4_nats_follow(&f, NULL, "JOBS", NULL, 0, 0, SOON));
    W(co4_nats_follow(&f, a->c, "NONE", NULL, 0, 0, SOON));
    W(co4_nats_follow(&f, a->c, "JOBS", "a b", 0, 0, SOON));
    W(co4_nats_follow(&f, a->c, "JOBS", NULL, (co4_nats_from)9, 0, SOON));
    W(co4_nats_follow_next(NULL, &m, SOON));
    W(co4_nats_follow_next(a->f, NULL, SOON));
}

static pausable void wrong_values(struct all *a)
{
    co4_nats_kv *kv;
    co4_nats_watch *w;
    co4_nats_entry e;
    co4_nats_lease l = { 0 };
    W(co4_nats_kv_open(NULL, a->c, "b", NULL, SOON));
    W(co4_nats_kv_open(&kv, NULL, "b", NULL, SOON));
    W(co4_nats_kv_open(&kv, a->c, "b.c", NULL, SOON));
    W(co4_nats_kv_open(&kv, a->c, "b", &(co4_nats_kv_options){ .history = 65 }, SOON));
    W(co4_nats_kv_open(&kv, a->c, "b", &(co4_nats_kv_options){ .max_age = -1 }, SOON));
    W(co4_nats_kv_open(&kv, a->c, "b", &(co4_nats_kv_options){ .max_bytes = -1 }, SOON));
    W(co4_nats_kv_open(&kv, a->c, "b", &(co4_nats_kv_options){ .replicas = -1 }, SOON));
    W(co4_nats_kv_open(&kv, a->c, "none", &(co4_nats_kv_options){ .only_open = true }, SOON));
    W(co4_nats_kv_delete_bucket(NULL, "b", SOON));
    W(co4_nats_kv_delete_bucket(a->c, "none", SOON));
    W(co4_nats_kv_get(NULL, "key", &e, SOON));
    W(co4_nats_kv_get(a->kv, "a..b", &e, SOON));
    W(co4_nats_kv_get(a->kv, "key", NULL, SOON));
    W(co4_nats_kv_get(a->kv, "nothing", &e, SOON));
    W(co4_nats_kv_put(NULL, "key", "x", 1, NULL, SOON));
    W(co4_nats_kv_put(a->kv, "a b", "x", 1, NULL, SOON));
    W(co4_nats_kv_put(a->kv, "key", NULL, 1, NULL, SOON));
    W(co4_nats_kv_create(a->kv, ">", "x", 1, NULL, SOON));
    W(co4_nats_kv_update(a->kv, "*", "x", 1, 0, NULL, SOON));
    W(co4_nats_kv_update(a->kv, "key", "x", 1, 99, NULL, SOON));
    W(co4_nats_kv_delete(a->kv, "", 0, SOON));
    W(co4_nats_kv_watch(NULL, a->kv, ">", SOON));
    W(co4_nats_kv_watch(&w, NULL, ">", SOON));
    W(co4_nats_kv_watch(&w, a->kv, "a b", SOON));
    W(co4_nats_watch_next(NULL, &e, NULL, SOON));
    W(co4_nats_watch_next(a->w, NULL, NULL, SOON));
    W(co4_nats_lease_take(NULL, a->kv, "key", "me", 1, SOON));
    W(co4_nats_lease_take(&l, NULL, "key", "me", 1, SOON));
    W(co4_nats_lease_take(&l, a->kv, "key", NULL, 1, SOON));
    W(co4_nats_lease_take(&l, a->kv, "key", "me", 0, SOON));
    W(co4_nats_lease_take(&l, a->kv, "lease", "you", 60 * CO4_SEC, co4_now() + CO4_MS));
    memset(&l, 0, sizeof l);
    W(co4_nats_lease_renew(&l, a->kv, SOON));
    W(co4_nats_lease_give(NULL, a->kv, SOON));
}

/* Calls with no object at all. */
static pausable void nothing(struct all *a)
{
    co4_nats_message none = { .subject = "a" };
    co4_nats_counts counts;
    char text[8] = "x";
    W(co4_nats_status(NULL));
    co4_nats_message_destroy(NULL);
    co4_nats_unsubscribe(NULL);
    co4_nats_consumer_destroy(NULL);
    co4_nats_follower_destroy(NULL);
    co4_nats_watch_destroy(NULL);
    co4_nats_entry_destroy(NULL);
    co4_nats_kv_close(NULL);
    co4_nats_count(NULL, &counts);
    co4_nats_count(a->c, NULL);
    co4_nats_refusal(NULL, text, sizeof text);
    co4_nats_refusal(a->c, NULL, 0);
    printf("%d %d %d %d %d %d %d \"%s\"\n", co4_nats_monitor(NULL) == NULL,
           co4_nats_mailbox(NULL) == NULL, co4_nats_header(NULL, "a", NULL) == NULL,
           co4_nats_header(&none, NULL, NULL) == NULL, co4_nats_dropped(NULL) == 0,
           co4_nats_max_payload(NULL) == 0,
           !co4_nats_follow_is_current(NULL) && !co4_nats_watch_is_current(NULL), text);
}

static pausable void wrong(const struct server *server)
{
    struct all all, *a = &all;
    make(a, server->url);
    wrong_messages(a, server);
    wrong_streams(a);
    wrong_consumers(a);
    wrong_values(a);
    nothing(a);
    show("still there", co4_nats_flush(a->c, SOON));
    show("close", co4_nats_close(a->c, SOON));
    end(a);
}

static pausable int all(const struct server *server)
{
    co4_nats *c;
    const char *const urls[] = { "nats://127.0.0.1:1", NULL };
    show("before there is one", co4_nats_connect(&c, &(co4_nats_options){ .servers = urls }, SOON));
    printf("nothing: %d\n", c == NULL);
    gone(server);
    aborted(server);
    wrong(server);
    return 0;
}

int main(void)
{
    struct server server = { 0 };
    setvbuf(stdout, NULL, _IOLBF, 0);
    server_start(&server);
    int err = co4_run(all(&server));
    server_end(&server);
    return err;
}
