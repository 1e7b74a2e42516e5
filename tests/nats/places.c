/* places.c - to which worker of a group a job goes. The workers are those of the test: it says what
 * they would say, sees each job that comes to them, and answers or not. */
#include <co4/nats_group.h>

#include "program.h"

static pausable co4_nats *open_one(const char *url)
{
    const char *urls[] = { url, NULL };
    co4_nats *c = NULL;
    int err = co4_nats_connect(&c, &(co4_nats_options){ .servers = urls }, SOON);
    if (err != CO4_OK)
        show("connect", err);
    return c;
}

/* An asker, and the other side. */
struct scene {
    co4_nats *c, *d;
    co4_nats_group *g;
    co4_nats_subscription *work, *who;
    int state; /* the number of the last */
};

static pausable void tell(struct scene *s, int worker, int state, int some, int places)
{
    char text[64];
    int n = snprintf(text, sizeof text, "w%d %d %d %d 0", worker, state, some, places);
    int err = co4_nats_publish(s->d, "co4.group.p.ready", text, (size_t)n, SOON);
    if (err != CO4_OK)
        show("tell", err);
}

/* Until the asker has heard it. */
static pausable void settle(struct scene *s)
{
    int err = co4_nats_flush(s->d, SOON);
    if (err == CO4_OK)
        err = co4_nats_flush(s->c, SOON);
    if (err != CO4_OK)
        show("flush", err);
}

/* A worker says how many places are free, of how many; negative: it has ended. */
static pausable void say(struct scene *s, int worker, int some, int places)
{
    tell(s, worker, ++s->state, some, places);
    settle(s);
}

static pausable void begin(struct scene *s, const char *url)
{
    *s = (struct scene){ .c = open_one(url), .d = open_one(url) };
    int err = co4_nats_subscribe(&s->work, s->d, "co4.group.p.work.*", NULL, 0, 0, SOON);
    if (err == CO4_OK)
        err = co4_nats_subscribe(&s->who, s->d, "co4.group.p.who", NULL, 0, 0, SOON);
    if (err == CO4_OK)
        err = co4_nats_flush(s->d, SOON);
    if (err == CO4_OK)
        err = co4_nats_group_open(&s->g, s->c, "p", SOON);
    if (err != CO4_OK)
        show("begin", err);
}

static pausable void end(struct scene *s)
{
    co4_nats_group_close(s->g);
    co4_nats_unsubscribe(s->work);
    co4_nats_unsubscribe(s->who);
    show("close", co4_nats_close(s->c, SOON));
    show("close", co4_nats_close(s->d, SOON));
}

static void show_group(struct scene *s, const char *what)
{
    co4_nats_group_counts n;
    co4_nats_group_count(s->g, &n);
    printf("%s: %d workers, %d free, %d wait, %d sent\n", what, (int)n.workers, (int)n.room,
           (int)n.waiting, (int)n.sent);
}

/* ---- jobs ---- */

static pausable int ask(co4_nats_group *g, const char *text, int64_t deadline)
{
    co4_nats_outgoing m = { .data = text, .size = strlen(text) };
    co4_nats_message *reply;
    co4_nats_failure failure;
    int err = co4_nats_group_ask(g, &m, &reply, &failure, deadline);
    if (err == CO4_ETIMEDOUT)
        printf("all were busy: %d\n", failure.code == CO4_NATS_EBUSY);
    co4_nats_message_destroy(reply);
    return err;
}

/* Waits for the next job. Returns its worker, or -1. */
static pausable int next_job(struct scene *s, co4_nats_message **m)
{
    if (co4_nats_next(s->work, m, SOON) != CO4_OK) {
        printf("no job\n");
        *m = NULL;
        return -1;
    }
    return atoi(strrchr((*m)->subject, 'w') + 1);
}

/* `code`: of an error, or 0. `ready`: what the worker says of its places; or NULL. */
static pausable void answer(struct scene *s, const co4_nats_message *m, const char *code,
                            const char *ready)
{
    const char *headers[5] = { 0 };
    int n = 0;
    if (code) {
        headers[n++] = "Nats-Service-Error-Code";
        headers[n++] = code;
    }
    if (ready) {
        headers[n++] = "Co4-Ready";
        headers[n++] = ready;
    }
    co4_nats_outgoing out = { .subject = m->reply, .headers = n ? headers : NULL };
    int err = co4_nats_send(s->d, &out, SOON);
    if (err != CO4_OK)
        show("answer", err);
}

static pausable int join(co4_task *task)
{
    int code = CO4_OK;
    co4_join(task, &code);
    return code;
}

static char busy[16]; /* a refusal */

/* ---- the one with the most room ---- */

enum { WORKERS = 100, PLACES = 8, JOBS = 300 };

/* What an asker should think of each worker: free places; negative: it is not there. */
struct model {
    int some[WORKERS];
    unsigned random;
};

static unsigned draw(struct model *m, unsigned below)
{
    m->random = m->random * 1664525u + 1013904223u;
    return (m->random >> 16) % below;
}

static int most(const struct model *m)
{
    int n = 0;
    for (int i = 0; i < WORKERS; i++)
        n = m->some[i] > n ? m->some[i] : n;
    return n;
}

/* Some workers say something else, or end. */
static pausable void change(struct scene *s, struct model *m)
{
    int worker = (int)draw(m, WORKERS);
    int what = (int)draw(m, 4);
    if (what > 1)
        return;
    m->some[worker] = what == 0 ? -1 : (int)draw(m, PLACES);
    /* More places than its jobs: then what it says counts. */
    say(s, worker, what == 0 ? 0 : m->some[worker], what == 0 ? -1 : 10 * JOBS);
}

/* They say at least each second that they are there: no news. */
static pausable void beat(struct scene *s, const struct model *m)
{
    for (int i = 0; i < WORKERS; i++)
        if (m->some[i] >= 0)
            tell(s, i, 0, 0, 0);
}

static pausable void chosen(const char *url)
{
    static co4_task *tasks[JOBS];
    static co4_nats_message *jobs[JOBS];
    struct scene s;
    struct model m = { .random = 7 };
    co4_nats_group_counts n;
    int good = 0, room = 0, there = 0;
    begin(&s, url);
    for (int i = 0; i < WORKERS; i++)
        tell(&s, i, ++s.state, 0, 10 * JOBS);
    for (int i = 0; i < WORKERS; i++) {
        m.some[i] = 1 + i * 37 % PLACES;
        tell(&s, i, ++s.state, m.some[i], 10 * JOBS);
    }
    settle(&s);
    for (int i = 0; i < JOBS; i++) {
        if (i % 20 == 0)
            beat(&s, &m);
        change(&s, &m);
        while (most(&m) == 0)
            change(&s, &m);
        int wanted = most(&m);
        tasks[i] = co4_spawn(ask(s.g, "", SOON));
        int worker = next_job(&s, &jobs[i]);
        good += worker >= 0 && m.some[worker] == wanted;
        if (worker >= 0)
            m.some[worker]--;
    }
    for (int i = 0; i < WORKERS; i++) {
        there += m.some[i] >= 0;
        room += m.some[i] > 0 ? m.some[i] : 0;
    }
    co4_nats_group_count(s.g, &n);
    printf("%d of %d go where there is the most room; %d, %d\n", good, JOBS, (int)n.workers - there,
           (int)n.room - room);
    for (int i = 0; i < JOBS; i++)
        if (jobs[i])
            answer(&s, jobs[i], NULL, NULL);
    for (good = 0, room = 0; room < JOBS; room++) {
        good += join(tasks[room]) == CO4_OK;
        co4_nats_message_destroy(jobs[room]);
    }
    printf("%d of %d\n", good, JOBS);
    end(&s);
}

/* Of several with the same room any: other askers choose another one. */
static pausable void equal(const char *url)
{
    enum { EQUAL = 8 };
    struct scene s;
    int seen[EQUAL] = { 0 }, different = 0;
    begin(&s, url);
    for (int i = 0; i < EQUAL; i++)
        say(&s, i, 4, 4);
    for (int i = 0; i < 100; i++) {
        char ready[32];
        co4_nats_message *job;
        co4_task *task = co4_spawn(ask(s.g, "", SOON));
        int worker = next_job(&s, &job);
        if (worker < 0)
            break;
        different += seen[worker]++ == 0;
        snprintf(ready, sizeof ready, "%d 4 4 0", ++s.state);
        answer(&s, job, NULL, ready);
        co4_nats_message_destroy(job);
        join(task);
    }
    printf("more than the half of them: %d\n", different > EQUAL / 2);
    end(&s);
}

/* ---- what is said late, or not at all ---- */

static pausable void news(const char *url)
{
    struct scene s;
    co4_nats_message *m;
    begin(&s, url);
    if (co4_nats_next(s.who, &m, SOON) == CO4_OK && m->reply) { /* the asker asks who is there */
        show("who", co4_nats_respond(s.d, m, "w1 1 3 3 0", 10, SOON));
        show("flush", co4_nats_flush(s.d, SOON));
        show("flush", co4_nats_flush(s.c, SOON));
        co4_nats_message_destroy(m);
    }
    show_group(&s, "one");
    s.state = 4;
    say(&s, 1, 2, 3); /* the 5th */
    s.state = 2;
    say(&s, 1, 1, 3);
    show_group(&s, "the older of two");
    say(&s, 2, 1, 1);
    co4_sleep(2 * CO4_SEC);
    s.state = 10;
    say(&s, 1, 2, 3);
    co4_sleep(CO4_SEC + 500 * CO4_MS);
    show_group(&s, "one is silent");
    say(&s, 1, 0, -1);
    show_group(&s, "one has ended");
    end(&s);
}

/* ---- refused, and given up ---- */

static pausable void refused(const char *url)
{
    struct scene s;
    co4_nats_message *m;
    begin(&s, url);
    say(&s, 1, 4, 4);
    say(&s, 2, 1, 1);
    say(&s, 3, 3, 3);
    co4_task *task = co4_spawn(ask(s.g, "a", SOON));
    printf("to %d", next_job(&s, &m));
    answer(&s, m, busy, "100 4 4 0"); /* whatever it says of places */
    co4_nats_message_destroy(m);
    printf(", then to %d", next_job(&s, &m));
    answer(&s, m, busy, NULL);
    co4_nats_message_destroy(m);
    printf(", then to %d\n", next_job(&s, &m));
    answer(&s, m, NULL, NULL);
    co4_nats_message_destroy(m);
    show("a", join(task));
    show_group(&s, "nobody has room"); /* nobody has said so */
    co4_nats_group_counts counts;
    co4_nats_group_count(s.g, &counts);
    printf("%d refused, %d sent again\n", (int)counts.refused, (int)counts.retried);
    /* A job that was refused goes before those that came later. */
    say(&s, 2, 1, 1);
    task = co4_spawn(ask(s.g, "b", SOON));
    next_job(&s, &m);
    co4_task *later = co4_spawn(ask(s.g, "c", SOON));
    co4_nats_group_counts n = { 0 };
    while (n.waiting == 0 && co4_yield() == CO4_OK)
        co4_nats_group_count(s.g, &n);
    answer(&s, m, busy, NULL);
    co4_nats_message_destroy(m);
    while (n.waiting == 1 && co4_yield() == CO4_OK)
        co4_nats_group_count(s.g, &n);
    for (int i = 0; i < 2; i++) {
        say(&s, 2, 1, 1);
        next_job(&s, &m);
        printf("%s\n", m->data);
        answer(&s, m, NULL, NULL);
        co4_nats_message_destroy(m);
        show("done", join(i == 0 ? task : later));
    }
    end(&s);
}

static pausable void given_up(const char *url)
{
    struct scene s;
    co4_nats_message *m;
    begin(&s, url);
    show("nobody has it", ask(s.g, "", co4_now() + 20 * CO4_MS));
    say(&s, 1, 1, 1);
    show("nobody answers", ask(s.g, "", co4_now() + 200 * CO4_MS));
    next_job(&s, &m);
    co4_nats_message_destroy(m);
    show_group(&s, "it may have the job");
    say(&s, 1, 1, 1);
    co4_task *task = co4_spawn(ask(s.g, "a", SOON));
    next_job(&s, &m);
    co4_nats_message_destroy(m);
    say(&s, 1, 1, 1); /* without that job, as it seems: it is counted here */
    show_group(&s, "with the job");
    co4_task *next = co4_spawn(ask(s.g, "b", SOON));
    co4_nats_group_counts n = { 0 };
    while (n.waiting == 0 && co4_yield() == CO4_OK)
        co4_nats_group_count(s.g, &n);
    co4_task_cancel(task, 0);
    show("cancelled", join(task));
    next_job(&s, &m);
    printf("the next: %s\n", m ? m->data : "none");
    if (m)
        answer(&s, m, NULL, NULL);
    co4_nats_message_destroy(m);
    show("done", join(next));
    end(&s);
}

static pausable int all(const struct server *server)
{
    snprintf(busy, sizeof busy, "%d", -CO4_NATS_EBUSY);
    chosen(server->url);
    equal(server->url);
    news(server->url);
    refused(server->url);
    given_up(server->url);
    return 0;
}

int main(void)
{
    struct server server = { .without_streams = true };
    setvbuf(stdout, NULL, _IOLBF, 0);
    server_start(&server);
    int err = co4_run(all(&server));
    server_end(&server);
    return err;
}
