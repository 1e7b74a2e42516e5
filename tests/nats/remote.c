/* remote.c - co4/nats_remote.h: actors under a name, and what is learned when they are gone. */
#include <co4/nats_remote.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

/* ---- an actor ---- */

/* All bytes of a message are sent: there are none between these. */
struct request {
    long long add;
    co4_reply reply;
};

enum { FAIL = -1, END = -2, FORGET = -3, LATER = -4 };

static int forged; /* numbers of answers that nobody waits for */

static pausable int counter(co4_actor *self)
{
    struct request r;
    int sum = 0, err;
    while ((err = co4_actor_receive(self, &r)) == CO4_OK) {
        forged += r.reply.number != 0 && !co4_actor_is_asked(self, r.reply);
        if (r.add == FAIL)
            co4_actor_reply_error(self, r.reply, -77);
        if (r.add == END)
            return -66;
        if (r.add == LATER)
            co4_sleep(30 * CO4_MS);
        if (r.add < 0 && r.add != LATER)
            continue;
        sum += r.add >= 0 ? (int)r.add : 0;
        co4_actor_reply(self, r.reply, &sum);
    }
    return err == CO4_ECLOSED ? CO4_OK : err;
}

static pausable int serve(co4_nats *c, co4_actor *a, const co4_remote_options *options,
                          co4_future *ready, co4_nats_service_counts *counts)
{
    co4_remote_options o = *options;
    o.ready = ready;
    o.counts = counts;
    return co4_remote_serve(c, a, &o);
}

static const co4_remote_options of_counter = { .name = "counter",
                                               CO4_REMOTE_MESSAGES(struct request, reply),
                                               .answer_size = sizeof(int) };

struct served {
    co4_nats_service_counts counts;
    co4_task *task;
};

static pausable void start(struct served *s, co4_nats *c, co4_actor *a, const co4_remote_options *o)
{
    co4_future *ready = co4_future_create(0);
    s->counts = (co4_nats_service_counts){ 0 };
    s->task = co4_spawn(serve(c, a, o, ready, &s->counts));
    int err = co4_future_await_until(ready, NULL, SOON);
    if (err != CO4_OK)
        show("ready", err);
    co4_future_release(ready);
}

static pausable void end(struct served *s, const char *what)
{
    int code;
    co4_task_cancel(s->task, 0);
    co4_join(s->task, &code);
    show(what, code);
    printf("asked %d: answered %d, failed %d, refused %d\n", (int)s->counts.asked,
           (int)s->counts.answered, (int)s->counts.failed, (int)s->counts.refused);
}

static pausable int add(const co4_remote *r, int n, int *sum)
{
    struct request q = { .add = n };
    return co4_remote_ask_value(r, &q, sizeof q, sum, sizeof *sum, NULL, SOON);
}

static pausable void fails(const co4_remote *r, int n)
{
    struct request q = { .add = n };
    co4_nats_failure f;
    int sum = 0;
    int err = co4_remote_ask_value(r, &q, sizeof q, &sum, sizeof sum, &f,
                                   n == FORGET ? co4_now() + CO4_SEC
                                               : SOON); /* it was sent by then */
    printf("%d: %s, %d\n", n, co4_strerror(err), f.code);
}

/* ---- tell and ask ---- */

static pausable void asking(co4_nats *c, co4_nats *d)
{
    co4_remote r = { c, "counter" };
    struct served s;
    struct request q = { .add = 1 };
    int sum = 0, good = 0;
    q.reply.number = 12345; /* which the sender makes up */
    show("nobody", add(&r, 1, &sum));
    co4_actor *a = co4_actor_create(sizeof(struct request), 1000, 0);
    co4_actor_spawn(a, counter(a));
    start(&s, d, a, &of_counter);
    show("ask", add(&r, 5, &sum));
    printf("%d\n", sum);
    for (int i = 0; i < 200; i++) /* in their order: the question comes last */
        good += co4_remote_tell(&r, &q, sizeof q, SOON) == CO4_OK;
    show("ask", add(&r, 0, &sum));
    printf("%d of 200, %d, forged %d\n", good, sum, forged);
    co4_nats_message *reply;
    q.add = 0;
    show("ask", co4_remote_ask(&r, &q, sizeof q, &reply, NULL, SOON));
    printf("%d bytes\n", (int)reply->size);
    co4_nats_message_destroy(reply);
    fails(&r, FAIL);
    fails(&r, FORGET);
    show("a question of another size", co4_remote_ask(&r, "x", 1, &reply, NULL, SOON));
    show("a message of another size", co4_remote_tell(&r, "x", 1, SOON));
    char large[64];
    show("an answer of another size",
         co4_remote_ask_value(&r, &q, sizeof q, large, sizeof large, NULL, SOON));
    co4_future *f = co4_async(add(&r, 1, &sum));
    show("a future", co4_future_await(f, NULL));
    printf("%d\n", sum);
    co4_future_release(f);
    end(&s, "cancelled");
    show("nobody", add(&r, 1, &sum));
    co4_actor_stop(a);
    show("the actor", co4_actor_join(a));
    co4_actor_release(a);
}

/* An actor that takes nothing, with a small inbox. */
static pausable void full(co4_nats *c, co4_nats *d)
{
    co4_remote r = { c, "counter" };
    struct served s;
    int sum = 0;
    co4_actor *a = co4_actor_create(sizeof(struct request), 2, 0);
    start(&s, d, a, &of_counter);
    struct request q = { .add = 1 };
    for (int i = 0; i < 5; i++)
        show("tell", co4_remote_tell(&r, &q, sizeof q, SOON));
    show("ask", add(&r, 1, &sum));
    co4_actor_spawn(a, counter(a));
    while (add(&r, 0, &sum) == CO4_NATS_EBUSY)
        co4_sleep(CO4_MS);
    printf("2 have come: %d\n", sum);
    int code;
    co4_task_cancel(s.task, 0);
    co4_join(s.task, &code);
    printf("3 and at least one refused: %d\n", s.counts.refused >= 4);
    co4_actor_stop(a);
    co4_actor_join(a);
    co4_actor_release(a);
}

/* Messages without a co4_reply: they are only sent. */
static pausable int adder(co4_actor *self, int *sum)
{
    int n, err;
    while ((err = co4_actor_receive(self, &n)) == CO4_OK)
        *sum += n;
    return CO4_OK;
}

static pausable void no_questions(co4_nats *c, co4_nats *d)
{
    co4_remote r = { c, "adder" };
    co4_remote_options o = { .name = "adder", .msg_size = sizeof(int), .no_questions = true };
    struct served s;
    int sum = 0, n = 7;
    co4_nats_message *reply;
    co4_actor *a = co4_actor_create(sizeof(int), 10, 0);
    co4_actor_spawn(a, adder(a, &sum));
    start(&s, d, a, &o);
    show("tell", co4_remote_tell(&r, &n, sizeof n, SOON));
    show("ask", co4_remote_ask(&r, &n, sizeof n, &reply, NULL, SOON));
    end(&s, "cancelled");
    co4_actor_stop(a);
    show("the actor", co4_actor_join(a));
    printf("%d\n", sum);
    co4_actor_release(a);
}

/* ---- ends ---- */

static pausable void actor_ends(co4_nats *c, co4_nats *d)
{
    co4_remote r = { c, "counter" };
    struct served s;
    int code, sum;
    co4_actor *a = co4_actor_create(sizeof(struct request), 10, 0);
    co4_actor_spawn(a, counter(a));
    start(&s, d, a, &of_counter);
    fails(&r, END);
    co4_join(s.task, &code);
    printf("the service ends with the actor: %d\n", code);
    show("and then", add(&r, 1, &sum));
    co4_actor_release(a);
    /* One that stays: its task comes again. */
    co4_remote_options o = of_counter;
    o.stays = true;
    a = co4_actor_create(sizeof(struct request), 10, CO4_ACTOR_STAYS);
    co4_actor_spawn(a, counter(a));
    start(&s, d, a, &o);
    fails(&r, END);
    co4_actor_join(a);
    co4_actor_spawn(a, counter(a));
    show("and then", add(&r, 1, &sum));
    co4_actor_stop(a);
    co4_actor_join(a);
    fails(&r, 0);
    co4_join(s.task, &code);
    show("stopped", code);
    co4_actor_release(a);
}

/* A counter served by a connection of its own, which has this question. */
static pausable co4_nats *serve_one(struct served *s, co4_actor *a, const char *url,
                                    const co4_remote *r, int question, co4_task **asker)
{
    static int sum;
    co4_nats *d = connect_to(url);
    co4_actor_spawn(a, counter(a));
    start(s, d, a, &of_counter);
    *asker = co4_spawn(add(r, question, &sum));
    while (s->counts.inside == 0)
        co4_sleep(CO4_MS);
    return d;
}

/* The connection is closed: questions that have come are answered. */
static pausable void closed(const char *url, co4_nats *c)
{
    co4_remote r = { c, "counter" };
    struct served s;
    int code;
    co4_task *asker;
    co4_actor *a = co4_actor_create(sizeof(struct request), 10, 0);
    co4_nats *d = serve_one(&s, a, url, &r, LATER, &asker);
    show("close", co4_nats_close(d, SOON));
    co4_join(asker, &code);
    show("asked", code);
    co4_join(s.task, &code);
    show("the service", code);
    co4_actor_stop(a);
    co4_actor_join(a);
    co4_actor_release(a);
}

/* A question that is never answered does not keep the service of a closed connection. */
static pausable void forgets(const char *url, co4_nats *c)
{
    co4_remote r = { c, "counter" };
    struct served s;
    int code;
    co4_task *asker;
    co4_actor *a = co4_actor_create(sizeof(struct request), 10, 0);
    co4_nats *d = serve_one(&s, a, url, &r, FORGET, &asker);
    show("close", co4_nats_close(d, co4_now() + 50 * CO4_MS));
    co4_join(s.task, &code);
    show("the service", code);
    co4_task_cancel(asker, 0);
    co4_join(asker, NULL);
    co4_actor_stop(a);
    co4_actor_join(a);
    co4_actor_release(a);
}

/* ---- watch ---- */

static pausable int next(co4_remote_watcher *w, const char *what)
{
    co4_remote_event e;
    int err = co4_mailbox_receive_until(co4_remote_events(w), &e, SOON);
    if (err != CO4_OK)
        show(what, err);
    else
        printf("%s: %s, %s\n", what, e.up ? "up" : "down", co4_strerror(e.code));
    return err;
}

static pausable void watching(struct server *server, co4_nats *c, co4_nats *d)
{
    co4_remote r = { c, "counter" };
    struct served one, two;
    co4_remote_watcher *w, *z;
    int code;
    show("watch", co4_remote_watch(&w, &r, 500 * CO4_MS, SOON));
    next(w, "nobody");
    co4_remote_watcher_destroy(w);
    show("watch", co4_remote_watch(&w, &r, 0, SOON));
    co4_actor *a = co4_actor_create(sizeof(struct request), 10, CO4_ACTOR_STAYS);
    co4_remote_options o = of_counter;
    o.stays = true;
    co4_actor_spawn(a, counter(a));
    start(&one, d, a, &o);
    next(w, "it comes");
    show("watch", co4_remote_watch(&z, &r, 0, SOON));
    next(z, "it is there");
    start(&two, d, a, &o);
    co4_sleep(1500 * CO4_MS);
    co4_task_cancel(one.task, 0);
    co4_join(one.task, &code);
    co4_remote_event e;
    printf("one of two has ended: %d\n",
           co4_mailbox_receive_until(co4_remote_events(w), &e, CO4_NOW));
    co4_task_cancel(two.task, 0);
    co4_join(two.task, &code);
    next(w, "both have");
    next(z, "both have");
    co4_remote_watcher_destroy(z);
    start(&one, d, a, &o);
    next(w, "it comes again");
    server_kill(server, SIGKILL);
    next(w, "the server is gone");
    server_start(server);
    next(w, "it is there again");
    co4_actor_stop(a);
    co4_actor_join(a);
    int sum;
    fails(&r, 0);
    next(w, "the actor has ended");
    co4_join(one.task, &code);
    show("the service", code);
    co4_remote_watcher_destroy(w);
    co4_remote_watcher_destroy(NULL);
    co4_actor_release(a);
    show("gone", add(&r, 1, &sum));
    co4_nats *b = connect_to(server->url);
    r.c = b;
    show("watch", co4_remote_watch(&w, &r, 0, SOON));
    show("close", co4_nats_close(b, SOON));
    next(w, "the connection is closed");
    next(w, "and then");
    co4_remote_watcher_destroy(w);
}

/* ---- supervisors ---- */

static char *self, *url_of_all;

static int start_process(void)
{
    int pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execl(self, self, url_of_all, (char *)NULL);
        _exit(127);
    }
    return pid;
}

static void end_process(int pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

static int process, ended[8], ends;

/* Starts a replacement. */
static void child_ended(void *arg, const co4_child_spec *child, int code)
{
    (void)arg;
    (void)child;
    if (ends < 8)
        ended[ends++] = code;
    if (code == CO4_NATS_EGONE)
        process = start_process();
}

static pausable int supervise(co4_remote_child *child)
{
    co4_child_spec spec = {
        .name = "remote", .start = co4_remote_child_start, .arg = child, .restart = CO4_PERMANENT
    };
    co4_supervision how = { .restarts = 5, .within = 60 * CO4_SEC, .ended = child_ended };
    return co4_supervise(&how, &spec, 1);
}

static pausable void supervised(co4_nats *c)
{
    co4_remote_child child = { .remote = { c, "counter" }, .silence = 3 * CO4_SEC };
    int sum = 0, code;
    process = start_process();
    while (add(&child.remote, 1, &sum) != CO4_OK)
        co4_sleep(10 * CO4_MS);
    co4_task *task = co4_spawn(supervise(&child));
    co4_sleep(100 * CO4_MS);
    end_process(process);
    while (ends == 0)
        co4_sleep(10 * CO4_MS);
    while ((code = add(&child.remote, 1, &sum)) == CO4_NATS_ENORESPONDERS)
        co4_sleep(10 * CO4_MS);
    show("the replacement", code);
    printf("begins anew: %d\n", sum);
    show("the child has ended", ended[0]);
    co4_task_cancel(task, 0);
    co4_join(task, &code);
    show("the supervisor", code);
    end_process(process);
    show("gone", co4_remote_gone(&child.remote, 300 * CO4_MS));
    ends = 0;
}

/* ---- wrong use, and the server is gone ---- */

static pausable void wrong(const char *url, co4_nats *c)
{
    co4_remote r = { c, "a.*" }, none = { NULL, "a" }, fine = { c, "a" };
    co4_nats_message *reply;
    co4_remote_watcher *w;
    co4_actor *a = co4_actor_create(sizeof(struct request), 10, 0);
    co4_remote_options o = of_counter;
    int sum;
    show("a wildcard", co4_remote_tell(&r, "x", 1, SOON));
    show("no connection", co4_remote_tell(&none, "x", 1, SOON));
    show("no remote", co4_remote_tell(NULL, "x", 1, SOON));
    show("no deadline", co4_remote_ask(&fine, "x", 1, &reply, NULL, CO4_NEVER));
    show("no place", co4_remote_ask(&fine, "x", 1, NULL, NULL, SOON));
    show("no answer", co4_remote_ask_value(&fine, "x", 1, NULL, 1, NULL, SOON));
    show("a wildcard", co4_remote_watch(&w, &r, 0, SOON));
    show("no place", co4_remote_watch(NULL, &fine, 0, SOON));
    show("no remote", co4_remote_gone(NULL, 0));
    show("no child", co4_remote_child_start(NULL, NULL));
    printf("%d\n", co4_remote_events(NULL) == NULL);
    show("no actor", co4_remote_serve(c, NULL, &o));
    show("no options", co4_remote_serve(c, a, NULL));
    o.msg_size = 0;
    show("no size", co4_remote_serve(c, a, &o));
    o = of_counter;
    o.reply_at = sizeof(struct request);
    show("no place for the reply", co4_remote_serve(c, a, &o));
    o = of_counter;
    o.name = "a b";
    show("no name", co4_remote_serve(c, a, &o));
    co4_nats *d = connect_to(url);
    co4_nats_subscription *keeps; /* the connection's memory */
    show("subscribe", co4_nats_subscribe(&keeps, d, "k", NULL, 0, 0, SOON));
    show("close", co4_nats_close(d, SOON));
    co4_remote late = { d, "counter" };
    show("tell", co4_remote_tell(&late, "x", 1, SOON));
    show("ask", add(&late, 1, &sum));
    show("serve", co4_remote_serve(d, a, &of_counter));
    show("watch", co4_remote_watch(&w, &late, 0, SOON));
    show("gone", co4_remote_gone(&late, 0));
    co4_nats_unsubscribe(keeps);
    co4_actor_release(a);
}

static pausable void server_gone(struct server *server)
{
    co4_nats *c = connect_to(server->url);
    co4_remote r = { c, "counter" };
    struct request q = { .add = 1 };
    co4_nats_message *reply;
    server_kill(server, SIGKILL);
    co4_sleep(50 * CO4_MS);
    show("tell", co4_remote_tell(&r, &q, sizeof q, SOON));
    show("ask", co4_remote_ask(&r, &q, sizeof q, &reply, NULL, co4_now() + 50 * CO4_MS));
    show("gone", co4_remote_gone(&r, 200 * CO4_MS));
    co4_remote_watcher *w;
    show("watch", co4_remote_watch(&w, &r, 300 * CO4_MS, SOON));
    next(w, "the server is gone");
    co4_actor *a = co4_actor_create(sizeof(struct request), 10, 0);
    co4_actor_spawn(a, counter(a));
    co4_task *late = co4_spawn(serve(c, a, &of_counter, NULL, NULL));
    co4_yield();
    server_start(server);
    next(w, "it has begun meanwhile");
    int sum, code;
    show("ask", add(&r, 1, &sum));
    co4_task_cancel(late, 0);
    co4_join(late, &code);
    show("cancelled", code);
    next(w, "it has ended");
    co4_remote_watcher_destroy(w);
    co4_actor_stop(a);
    co4_actor_join(a);
    co4_actor_release(a);
    show("close", co4_nats_close(c, SOON));
}

static pausable int all(struct server *server)
{
    co4_nats *c = connect_to(server->url), *d = connect_to(server->url);
    if (!c || !d)
        exit(1); /* a return would wait for the other */
    asking(c, d);
    full(c, d);
    no_questions(c, d);
    actor_ends(c, d);
    closed(server->url, c);
    forgets(server->url, c);
    supervised(c);
    wrong(server->url, c);
    watching(server, c, d);
    show("close", co4_nats_close(c, SOON));
    show("close", co4_nats_close(d, SOON));
    server_gone(server);
    return 0;
}

static pausable int be_counter(const char *url)
{
    co4_actor *a = co4_actor_create(sizeof(struct request), 1000, 0);
    co4_actor_spawn(a, counter(a));
    return co4_remote_serve(connect_to(url), a, &of_counter);
}

int main(int argc, char **argv)
{
    struct server server = { 0 };
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc > 1)
        return co4_run(be_counter(argv[1])) < 0;
    server_start(&server);
    self = argv[0];
    url_of_all = server.url;
    int err = co4_run(all(&server));
    server_end(&server);
    return err;
}
