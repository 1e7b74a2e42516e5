/* memory.c - services, groups and remote actors when an allocation of the library fails, each in
 * turn: every call ends, each asker has an answer or a code, and nothing is left. */
#include <co4/nats_remote.h>
#include <co4/test.h>
#include <signal.h>

#include "program.h"

#define SOON (co4_now() + 60 * CO4_SEC)
#define NOW  (co4_now() + patience) /* what is lost with a connection is not waited for long */

enum { MOST = 90 };

static int64_t patience;

static pausable co4_nats *open_one(const char *url)
{
    const char *urls[] = { url, NULL };
    co4_nats *c = NULL;
    co4_nats_options o = { .servers = urls, .attempt = PATIENT, .wait = 20 * CO4_MS };
    int err = co4_nats_connect(&c, &o, SOON);
    if (err != CO4_OK)
        printf("connect: %s\n", co4_strerror(err));
    return c;
}

/* What a round uses. The n-th allocation fails from when its body begins. */
struct round {
    co4_nats *c, *d;
    long n;
    int asked, good, silent;
    co4_nats_group *g;
    co4_actor *a;
    co4_remote_watcher *w;
};

static void note(struct round *r, int err)
{
    r->asked++;
    r->good += err == CO4_OK;
    r->silent += err == CO4_ETIMEDOUT;
}

/* ---- a service ---- */

static pausable int echo(co4_nats_call *call, void *arg)
{
    (void)arg;
    int err = co4_yield();
    return err == CO4_OK ? co4_nats_answer(call, "echo", 4, SOON) : err;
}

static pausable int serve(struct round *r)
{
    return co4_nats_serve(r->d, &(co4_nats_service_options){ .name = "s" }, echo, NULL);
}

static pausable int ask_one(struct round *r, const char *subject)
{
    co4_nats_message *reply = NULL;
    co4_nats_outgoing m = { .subject = subject, .data = "x", .size = 1 };
    int err = subject ? co4_nats_ask(r->c, &m, &reply, NULL, NOW)
                      : co4_nats_group_ask(r->g, &m, &reply, NULL, NOW);
    co4_nats_message_destroy(reply);
    return err;
}

static pausable int service(struct round *r)
{
    co4_test_fail_alloc(r->n);
    int err = co4_scope_spawn(co4_scope_here(), serve(r));
    for (int i = 0; i < 200 && err == CO4_OK && r->good < 3; i++) {
        int code = ask_one(r, "s");
        if (code == CO4_NATS_ENORESPONDERS && i < 100) /* it begins, or has ended for lack of it */
            err = co4_sleep(CO4_MS / 10);
        else
            note(r, code);
    }
    co4_scope_cancel(co4_scope_here(), 0);
    return err;
}

/* ---- a group ---- */

static pausable int work(struct round *r)
{
    return co4_nats_group_work(r->d, &(co4_nats_group_options){ .name = "g" }, echo, NULL);
}

static pausable int group(struct round *r)
{
    co4_test_fail_alloc(r->n);
    int err = co4_scope_spawn(co4_scope_here(), work(r));
    if (err == CO4_OK)
        err = co4_nats_group_open(&r->g, r->c, "g", SOON);
    for (int i = 0; i < 3 && err == CO4_OK; i++) {
        int code = ask_one(r, NULL);
        if (code != CO4_ETIMEDOUT) /* there may be no worker */
            note(r, code);
    }
    co4_scope_cancel(co4_scope_here(), 0);
    return err;
}

/* ---- an actor ---- */

struct request {
    long long add;
    co4_reply reply;
};

static pausable int counter(co4_actor *self)
{
    struct request q;
    int err;
    while ((err = co4_actor_receive(self, &q)) == CO4_OK)
        co4_actor_reply(self, q.reply, &q.add);
    return err;
}

static pausable int serve_actor(struct round *r)
{
    co4_remote_options o = { .name = "a",
                             CO4_REMOTE_MESSAGES(struct request, reply),
                             .answer_size = sizeof(long long) };
    return co4_remote_serve(r->d, r->a, &o);
}

static pausable int actor(struct round *r)
{
    co4_remote to = { r->c, "a" };
    co4_test_fail_alloc(r->n);
    r->a = co4_actor_create(sizeof(struct request), 10, 0);
    if (!r->a || co4_actor_spawn(r->a, counter(r->a)) != CO4_OK)
        return CO4_ENOMEM;
    int err = co4_scope_spawn(co4_scope_here(), serve_actor(r));
    if (err == CO4_OK)
        err = co4_remote_watch(&r->w, &to, 0, SOON);
    for (int i = 0; i < 200 && err == CO4_OK && r->good < 3; i++) {
        struct request q = { .add = i };
        long long sum;
        int code = co4_remote_ask_value(&to, &q, sizeof q, &sum, sizeof sum, NULL, NOW);
        if (code == CO4_NATS_ENORESPONDERS && i < 100)
            err = co4_sleep(CO4_MS / 10);
        else
            note(r, code);
    }
    co4_scope_cancel(co4_scope_here(), 0);
    return err;
}

/* ---- rounds ---- */

static pausable int body(struct round *r, int what)
{
    return what == 0 ? service(r) : what == 1 ? group(r) : actor(r);
}

static pausable int run(struct round *r, int what)
{
    return co4_scope_run(CO4_SCOPE_KEEP_GOING, body(r, what));
}

/* What the round has left, as its task may have been abandoned. */
static pausable void clean(struct round *r)
{
    co4_test_fail_alloc(0);
    co4_nats_group_close(r->g);
    co4_remote_watcher_destroy(r->w);
    co4_actor_stop(r->a);
    co4_actor_join(r->a);
    co4_actor_release(r->a);
}

static uint64_t losses(co4_nats *c)
{
    co4_nats_counts n;
    co4_nats_count(c, &n);
    return n.reconnects;
}

/* A connection ends when its own tasks lack memory. */
static pausable void connect_both(struct round *r, const char *url)
{
    if (r->c && co4_nats_flush(r->c, SOON) == CO4_OK && co4_nats_flush(r->d, SOON) == CO4_OK)
        return;
    co4_nats_close(r->c, SOON);
    co4_nats_close(r->d, SOON);
    r->c = open_one(url);
    r->d = open_one(url);
}

/* Returns whether an asker has got nothing: only the connection of the service may lose a request
 * or an answer so. When its own one ends, it learns that. */
static pausable bool one(struct round *r, const char *url, int what, long n)
{
    connect_both(r, url);
    *r = (struct round){ .c = r->c, .d = r->d, .n = n };
    uint64_t before = losses(r->d);
    co4_task *task = co4_spawn(run(r, what));
    co4_join(task, NULL);
    clean(r);
    return r->silent > 0 && losses(r->d) == before && co4_nats_flush(r->c, SOON) == CO4_OK &&
           co4_nats_flush(r->d, SOON) == CO4_OK;
}

static pausable int all(const char *url)
{
    static const char *const names[] = { "service", "group", "actor" };
    struct round r = { 0 };
    for (int what = 0; what < 3; what++) {
        int whole = 0;
        for (long n = 1; n <= MOST; n++) {
            int silent = 0; /* on a machine with much to do it may be late: then with more time */
            patience = 100 * CO4_MS;
            for (; silent < 3 && one(&r, url, what, n); silent++)
                patience *= 10;
            if (silent == 3)
                printf("%s %ld: an asker got nothing\n", names[what], n);
            whole += r.good == 3;
        }
        printf("%s: some rounds did all: %d\n", names[what], whole > 0 && whole < MOST);
    }
    co4_nats_close(r.c, SOON);
    co4_nats_close(r.d, SOON);
    return 0;
}

int main(void)
{
    struct server server = { 0 };
    setvbuf(stdout, NULL, _IOLBF, 0);
    server_start(&server);
    long long before = co4_test_pool_live();
    int err = co4_run(all(server.url));
    printf("left: %d\n", (int)(co4_test_pool_live() - before));
    server_end(&server);
    return err;
}
