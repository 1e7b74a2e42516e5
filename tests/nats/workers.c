/* workers.c - co4/nats.h and nats_stream.h on four workers: tasks of all of them at the same
 * connections, subscriptions that end while messages come, monitors that are read to the end. */
#include <co4/nats_stream.h>
#include <stdatomic.h>

#include "program.h"

enum { SUBJECTS = 8, EACH = 500 };
enum { ASKERS = 16, QUESTIONS = 50 };
enum { CHURNS = 30, ROUNDS = 200, JOBS = 200 };

static pausable co4_nats *open_one(const char *url)
{
    const char *urls[] = { url, NULL };
    co4_nats *c = NULL;
    int err = co4_nats_connect(&c, &(co4_nats_options){ .servers = urls, .attempt = PATIENT },
                               SOON);
    if (err != CO4_OK)
        show("connect", err);
    return c;
}

/* Joins tasks of int functions. Returns the sum of their results. */
static pausable int join_all(co4_task **tasks, int n)
{
    int sum = 0, one;
    for (int i = 0; i < n; i++)
        if (tasks[i] && co4_join(tasks[i], &one) == CO4_OK)
            sum += one;
    return sum;
}

/* ---- publish and subscribe ---- */

static pausable int publish(co4_nats *c, int i)
{
    char subject[32], data[32];
    int good = 0;
    snprintf(subject, sizeof subject, "w.%d", i);
    for (int k = 0; k < EACH; k++) {
        int size = snprintf(data, sizeof data, "%d %d", i, k);
        good += co4_nats_publish(c, subject, data, (size_t)size, SOON) == CO4_OK;
    }
    return good;
}

/* Counts messages that come in order. */
static pausable int receive(co4_nats_subscription *s, int i)
{
    co4_nats_message *m;
    int good = 0;
    for (int k = 0; k < EACH && co4_nats_next(s, &m, SOON) == CO4_OK; k++) {
        char wanted[32];
        snprintf(wanted, sizeof wanted, "%d %d", i, k);
        good += strcmp(m->data, wanted) == 0;
        co4_nats_message_destroy(m);
    }
    return good;
}

static pausable void pubsub(co4_nats *c, co4_nats *d)
{
    co4_nats_subscription *s[SUBJECTS];
    co4_task *tasks[2 * SUBJECTS];
    for (int i = 0; i < SUBJECTS; i++) {
        char subject[32];
        snprintf(subject, sizeof subject, "w.%d", i);
        if (co4_nats_subscribe(&s[i], d, subject, NULL, EACH, CO4_NATS_DROP_NEWEST, SOON) != CO4_OK)
            printf("no subscription\n");
    }
    show("flush", co4_nats_flush(d, SOON));
    for (int i = 0; i < SUBJECTS; i++) {
        tasks[i] = co4_spawn(receive(s[i], i));
        tasks[SUBJECTS + i] = co4_spawn(publish(c, i));
    }
    int received = join_all(tasks, SUBJECTS), sent = join_all(tasks + SUBJECTS, SUBJECTS);
    printf("%d of %d sent, %d in order\n", sent, SUBJECTS * EACH, received);
    for (int i = 0; i < SUBJECTS; i++)
        co4_nats_unsubscribe(s[i]);
}

/* ---- requests ---- */

static pausable int answer(co4_nats *c, co4_nats_subscription *s)
{
    co4_nats_message *m;
    int n = 0;
    for (; co4_nats_next(s, &m, CO4_NEVER) == CO4_OK; n++) {
        co4_nats_respond(c, m, m->data, m->size, SOON);
        co4_nats_message_destroy(m);
    }
    return n;
}

static pausable int ask(co4_nats *c, int i)
{
    co4_nats_message *reply;
    char text[32];
    int good = 0;
    for (int k = 0; k < QUESTIONS; k++) {
        int size = snprintf(text, sizeof text, "%d %d", i, k);
        if (co4_nats_request(c, "echo", text, (size_t)size, &reply, SOON) != CO4_OK)
            continue;
        good += strcmp(reply->data, text) == 0;
        co4_nats_message_destroy(reply);
    }
    return good;
}

static pausable void requests(co4_nats *c, co4_nats *d)
{
    co4_nats_subscription *s;
    co4_task *services[4], *askers[ASKERS];
    show("subscribe", co4_nats_subscribe(&s, d, "echo", NULL, 0, CO4_NATS_SLOW_DOWN, SOON));
    show("flush", co4_nats_flush(d, SOON));
    for (int i = 0; i < 4; i++)
        services[i] = co4_spawn(answer(d, s));
    for (int i = 0; i < ASKERS; i++)
        askers[i] = co4_spawn(ask(c, i));
    printf("%d of %d replies\n", join_all(askers, ASKERS), ASKERS * QUESTIONS);
    show("drain", co4_nats_drain(s, SOON));
    printf("%d answered\n", join_all(services, 4));
    co4_nats_unsubscribe(s);
}

/* ---- subscriptions that end while messages come ---- */

/* No more than the other connection can take, also with sanitizers: the server would keep it. */
static pausable int flood(co4_nats *c, const atomic_bool *stop)
{
    while (!atomic_load(stop)) {
        for (int i = 0; i < 3; i++)
            if (co4_nats_publish(c, "churn", "x", 1, SOON) != CO4_OK)
                return 1;
        co4_sleep(CO4_MS);
    }
    return 0;
}

static pausable int churn(co4_nats *d, co4_nats_full full)
{
    co4_nats_subscription *s;
    co4_nats_message *m;
    int good = 0;
    for (int i = 0; i < CHURNS; i++) {
        if (co4_nats_subscribe(&s, d, "churn", NULL, 4, full, SOON) != CO4_OK)
            continue;
        if (co4_nats_next(s, &m, SOON) == CO4_OK) {
            good++;
            co4_nats_message_destroy(m);
        }
        if (i % 2)
            good -= co4_nats_drain(s, SOON) != CO4_OK;
        co4_nats_unsubscribe(s);
    }
    return good;
}

static pausable void churning(co4_nats *c, co4_nats *d)
{
    co4_task *tasks[6], *floods[2];
    atomic_bool stop = false;
    for (int i = 0; i < 2; i++)
        floods[i] = co4_spawn(flood(c, &stop));
    for (int i = 0; i < 6; i++)
        tasks[i] = co4_spawn(churn(d, i % 2 ? CO4_NATS_DROP_OLDEST : CO4_NATS_DROP_NEWEST));
    printf("%d of %d subscriptions had a message\n", join_all(tasks, 6), 6 * CHURNS);
    atomic_store(&stop, true);
    printf("%d floods failed\n", join_all(floods, 2));
}

/* ---- work ---- */

static atomic_int done[JOBS];

static pausable int do_job(const co4_nats_message *m, void *arg)
{
    (void)arg;
    co4_yield();
    atomic_fetch_add(&done[atoi(m->data)], 1);
    return CO4_OK;
}

static pausable int work(co4_nats *c)
{
    co4_nats_consumer *k;
    co4_nats_consumer_options o = { .name = "w", .credit = 4 };
    if (co4_nats_consume(&k, c, "W", &o, SOON) != CO4_OK)
        return 1;
    int err = co4_nats_work(k, do_job, NULL);
    co4_nats_consumer_destroy(k);
    return err != CO4_ECANCELED;
}

static pausable void working(co4_nats *c, co4_nats *d)
{
    co4_nats_stream_options o = { .name = "W", .retention = CO4_NATS_WORK };
    co4_nats_stream_state state = { .messages = 1 };
    co4_task *tasks[4];
    int once = 0;
    show("make", co4_nats_stream_create(c, &o, SOON));
    for (int i = 0; i < 4; i++)
        tasks[i] = co4_spawn(work(i % 2 ? c : d));
    for (int i = 0; i < JOBS; i++) {
        char data[16];
        co4_nats_outgoing m = { .subject = "W", .data = data };
        m.size = (size_t)snprintf(data, sizeof data, "%d", i);
        if (co4_nats_store(c, &m, NULL, NULL, SOON) != CO4_OK)
            printf("not stored\n");
    }
    while (state.messages > 0 && co4_nats_stream_look(c, "W", &state, SOON) == CO4_OK)
        co4_sleep(CO4_MS);
    for (int i = 0; i < JOBS; i++)
        once += atomic_load(&done[i]) == 1;
    printf("%d of %d jobs done once\n", once, JOBS);
    for (int i = 0; i < 4; i++)
        co4_task_cancel(tasks[i], 0);
    printf("%d workers failed\n", join_all(tasks, 4));
}

/* ---- ends ---- */

/* Each has a reference of the connection. */
static pausable int read_events(co4_nats *c)
{
    co4_nats_event e = { 0 };
    while (co4_mailbox_receive(co4_nats_monitor(c), &e) == CO4_OK) {
    }
    co4_nats_release(c);
    return e.kind == CO4_NATS_CLOSED;
}

static pausable int keep_asking(co4_nats *c)
{
    co4_nats_message *m;
    int err;
    while ((err = co4_nats_request(c, "nobody", "x", 1, &m, SOON)) == CO4_NATS_ENORESPONDERS) {
    }
    co4_nats_release(c);
    return err == CO4_ECLOSED;
}

static pausable void ends(const char *url)
{
    int seen = 0, closed = 0;
    for (int i = 0; i < ROUNDS; i++) {
        co4_nats *c = open_one(url);
        if (!c)
            return;
        co4_task *tasks[2] = { co4_spawn(read_events(co4_nats_retain(c))),
                               co4_spawn(keep_asking(co4_nats_retain(c))) };
        for (int k = 0; k < i % 4; k++)
            co4_yield();
        if (co4_nats_close(c, SOON) != CO4_OK)
            printf("not closed\n");
        seen += join_all(tasks, 1);
        closed += join_all(tasks + 1, 1);
    }
    printf("%d monitors to the end, %d closed\n", seen, closed);
}

static pausable void all(const char *url)
{
    co4_nats *c = open_one(url), *d = open_one(url);
    if (!c || !d)
        return;
    pubsub(c, d);
    requests(c, d);
    churning(c, d);
    working(c, d);
    show("close", co4_nats_close(c, SOON));
    show("close", co4_nats_close(d, SOON));
    ends(url);
}

int main(void)
{
    struct server server = { 0 };
    setvbuf(stdout, NULL, _IOLBF, 0);
    server_start(&server);
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 4 });
    if (!rt || co4_runtime_start(rt) != CO4_OK)
        return 1;
    co4_task *t = co4_runtime_spawn(rt, all(server.url));
    co4_block(co4_task_join(t));
    co4_task_release(t);
    co4_runtime_join(rt);
    co4_runtime_destroy(rt);
    server_end(&server);
    return 0;
}
