/* nats.c - clients of co4_nats for nats.nodes: what comes was sent, in the order of its publisher,
 * and once; a request is answered rightly or not at all, in time; in the end all are connected
 * again.
 *
 *     nats worker BROKER NAME    gets "numbers.*", and of a queue group "jobs" and "square"
 *     nats client BROKER NAME    sends ROUNDS of each, then asks the workers for the jobs they had
 *
 * A job that two workers have had was delivered twice. */
#include <co4.h>
#include <co4/nats.h>

#include "proof.h"

#define ROUNDS   12
#define LONGEST  60 /* seconds until all are connected again */
#define PATIENCE (2 * CO4_SEC)

static const char *name;

static pausable co4_nats *join(const char *broker)
{
    char url[60];
    const char *servers[] = { url, NULL };
    co4_nats *c;
    co4_nats_options options = { .servers = servers,
                                 .name = name,
                                 .rounds = 1000,
                                 .wait = 200 * CO4_MS,
                                 .attempt = CO4_SEC,
                                 .ping = CO4_SEC };
    snprintf(url, sizeof url, "nats://%s:4222", broker);
    int err = co4_nats_connect(&c, &options, co4_now() + LONGEST * CO4_SEC);
    must(err == CO4_OK, "co4_nats_connect", co4_strerror(err));
    return c;
}

/* A message says who has sent it, its number, and a sum. */
static int sum_of(const char *who, int number)
{
    return (who[0] * 1000 + number) * 7 % 1009;
}

static void check_message(const co4_nats_message *m, char who[2], int *number)
{
    int sum;
    must(sscanf(m->data, "%1s %d %d", who, number, &sum) == 3 && sum == sum_of(who, *number) &&
             *number >= 0 && *number < ROUNDS && (who[0] == 'a' || who[0] == 'b') &&
             m->size == strlen(m->data),
         "a message that was not sent", m->data);
}

/* ---- a worker ---- */

static int had[2][ROUNDS]; /* jobs, of each client */

static pausable co4_nats_subscription *subscribe(co4_nats *c, const char *subject,
                                                 const char *queue)
{
    co4_nats_subscription *s;
    int err = co4_nats_subscribe(&s, c, subject, queue, 0, CO4_NATS_DROP_NEWEST, CO4_NEVER);
    must(err == CO4_OK, "co4_nats_subscribe", co4_strerror(err));
    return s;
}

static pausable co4_nats_message *next(co4_nats_subscription *s)
{
    co4_nats_message *m;
    int err = co4_nats_next(s, &m, CO4_NEVER);
    must(err == CO4_OK, "co4_nats_next", co4_strerror(err));
    return m;
}

static pausable int get_numbers(co4_nats *c)
{
    int last[2] = { -1, -1 }, number;
    char who[2], subject[20];
    co4_nats_subscription *s = subscribe(c, "numbers.*", NULL);
    for (;;) {
        co4_nats_message *m = next(s);
        size_t length = 0;
        check_message(m, who, &number);
        snprintf(subject, sizeof subject, "numbers.%s", who);
        must(strcmp(m->subject, subject) == 0, "another subject", m->subject);
        const char *header = co4_nats_header(m, "Number", &length);
        must(number % 2 == 0 ? header == NULL : header && atoi(header) == number, "another header",
             m->data);
        must(number > last[who[0] - 'a'], "a message comes late, or twice", m->data);
        last[who[0] - 'a'] = number;
        co4_nats_message_destroy(m);
    }
}

static pausable int get_jobs(co4_nats *c)
{
    char who[2];
    int number;
    co4_nats_subscription *s = subscribe(c, "jobs", "workers");
    for (;;) {
        co4_nats_message *m = next(s);
        check_message(m, who, &number);
        must(++had[who[0] - 'a'][number] == 1, "a job comes twice", m->data);
        co4_nats_message_destroy(m);
    }
}

/* Answers with the square of a number, and for "jobs.NAME" with the jobs of a client. */
static pausable int answer(co4_nats *c, const char *subject, const char *queue)
{
    char text[ROUNDS + 20];
    co4_nats_subscription *s = subscribe(c, subject, queue);
    for (;;) {
        co4_nats_message *m = next(s);
        int n = atoi(m->data);
        snprintf(text, sizeof text, "%d", n * n);
        if (!queue)
            for (int i = 0; i < ROUNDS; i++)
                snprintf(text + i, 2, "%d", had[m->data[0] - 'a'][i]);
        co4_nats_respond(c, m, text, strlen(text), co4_now() + PATIENCE);
        co4_nats_message_destroy(m);
    }
}

static pausable int work(co4_nats *c)
{
    char subject[20];
    snprintf(subject, sizeof subject, "jobs.%s", name);
    must(co4_scope_spawn(co4_scope_here(), get_numbers(c)) == CO4_OK &&
             co4_scope_spawn(co4_scope_here(), get_jobs(c)) == CO4_OK &&
             co4_scope_spawn(co4_scope_here(), answer(c, "square", "workers")) == CO4_OK,
         "co4_scope_spawn", NULL);
    return answer(c, subject, NULL);
}

static pausable int be_worker(const char *broker)
{
    co4_nats *c = join(broker);
    return co4_scope_run(0, work(c));
}

/* ---- a client ---- */

static pausable void publish(co4_nats *c, int i)
{
    char text[40], subject[20], number[12];
    const char *headers[] = { "Number", number, NULL };
    snprintf(text, sizeof text, "%s %d %d", name, i, sum_of(name, i));
    snprintf(subject, sizeof subject, "numbers.%s", name);
    snprintf(number, sizeof number, "%d", i);
    co4_nats_outgoing m = {
        .subject = subject, .headers = i % 2 ? headers : NULL, .data = text, .size = strlen(text)
    };
    int err = co4_nats_send(c, &m, co4_now() + PATIENCE);
    if (err == CO4_OK)
        err = co4_nats_publish(c, "jobs", text, strlen(text), co4_now() + PATIENCE);
    must(err == CO4_OK, "the output is full", co4_strerror(err));
}

/* Returns whether there was an answer, in time; *answer: its text. */
static pausable int request(co4_nats *c, const char *subject, const char *text, char answer[100])
{
    co4_nats_message *reply;
    int64_t begun = co4_now();
    int err = co4_nats_request(c, subject, text, strlen(text), &reply, begun + PATIENCE);
    must(co4_now() - begun < PATIENCE + 2 * CO4_SEC, "a request does not end", co4_strerror(err));
    must(err == CO4_OK || err == CO4_ETIMEDOUT || err == CO4_NATS_ENORESPONDERS ||
             err == CO4_NATS_EDISCONNECTED,
         "another code", co4_strerror(err));
    if (err == CO4_OK) {
        snprintf(answer, 100, "%s", reply->data);
        co4_nats_message_destroy(reply);
    }
    return err == CO4_OK;
}

static pausable int square(co4_nats *c, int n)
{
    char text[20], answer[100];
    snprintf(text, sizeof text, "%d", n);
    int ok = request(c, "square", text, answer);
    must(!ok || atoi(answer) == n * n, "the answer to another request", answer);
    return ok;
}

/* All faults have an end: the worker answers at last. */
static pausable void ask_for_jobs(co4_nats *c, const char *worker, char jobs[100])
{
    char subject[20];
    int64_t begun = co4_now();
    snprintf(subject, sizeof subject, "jobs.%s", worker);
    while (!request(c, subject, name, jobs)) {
        must(co4_now() - begun < LONGEST * CO4_SEC, "no answer after all has healed", worker);
        co4_sleep(100 * CO4_MS);
    }
    must(strlen(jobs) == ROUNDS, "another answer", jobs);
}

static pausable int be_client(const char *broker)
{
    char first[100], second[100];
    co4_nats *c = join(broker);
    for (int i = 0; i < ROUNDS; i++) {
        publish(c, i);
        if (chance(3) == 0)
            square(c, (int)chance(1000) + (name[0] == 'b' ? 1000 : 0));
        if (chance(2) == 0)
            co4_sleep((int64_t)chance(800) * CO4_MS);
        if (chance(4) == 0)
            co4_nats_flush(c, co4_now() + PATIENCE);
    }
    ask_for_jobs(c, "w1", first);
    ask_for_jobs(c, "w2", second);
    for (int i = 0; i < ROUNDS; i++)
        must(first[i] == '0' || second[i] == '0', "two workers have had a job", first);
    return co4_nats_close(c, co4_now() + LONGEST * CO4_SEC); /* a way may be cut now */
}

int main(int count, char **arguments)
{
    must(count == 4, "nats worker|client BROKER NAME", NULL);
    name = arguments[3];
    if (strcmp(arguments[1], "worker") == 0)
        return co4_run(be_worker(arguments[2])) != CO4_OK;
    int err = co4_run(be_client(arguments[2]));
    must(err == CO4_OK || err == CO4_NATS_EDISCONNECTED, "co4_nats_close", co4_strerror(err));
    return 0;
}
