/* nats_struct.c - the lead example of co4/nats_struct.h.
 * needs: nats
 * modes: woven forced
 * expect: 7 paint 0.5 */
#include <co4.h>
#include <co4/nats_remote.h>
#include <co4/nats_struct.h>
#include <stdio.h>
#include <stdlib.h>

struct job {
    int32_t id;
    char name[20];
    double weight;
};
static const co4_nats_field job_fields[] = { CO4_NATS_FIELD(struct job, id),
                                             CO4_NATS_FIELD(struct job, name),
                                             CO4_NATS_FIELD(struct job, weight) };
static const co4_nats_layout job_layout = CO4_NATS_LAYOUT(struct job, 1, job_fields);

static pausable int send_job(co4_nats *c)
{
    co4_remote worker = { c, "jobs" };
    struct job job = { 7, "paint", 0.5 };
    int err;
    char bytes[CO4_NATS_STRUCT_BYTES(struct job)];
    err = co4_nats_encode(&job_layout, &job, bytes, sizeof bytes);
    if (err == CO4_OK)
        err = co4_remote_tell(&worker, bytes, sizeof bytes, co4_now() + CO4_SEC);
    return err;
}

static pausable int run(const char *url)
{
    const char *servers[] = { url, NULL };
    co4_nats *c;
    co4_nats_subscription *s;
    co4_nats_message *m;
    struct job job;
    int err = co4_nats_connect(&c, &(co4_nats_options){ .servers = servers },
                               co4_now() + 10 * CO4_SEC);
    if (err == CO4_OK)
        err = co4_nats_subscribe(&s, c, "jobs", NULL, 0, 0, co4_now() + CO4_SEC);
    if (err == CO4_OK)
        err = send_job(c);
    if (err == CO4_OK)
        err = co4_nats_next(s, &m, co4_now() + 10 * CO4_SEC);
    if (err == CO4_OK) {
        err = co4_nats_decode(&job_layout, m->data, m->size, &job);
        if (err == CO4_OK)
            printf("%d %s %g\n", job.id, job.name, job.weight);
        co4_nats_message_destroy(m);
        co4_nats_unsubscribe(s);
        co4_nats_close(c, co4_now() + 10 * CO4_SEC);
    }
    return err;
}

int main(void)
{
    int err = co4_run(run(getenv("NATS_URL")));
    return err != CO4_OK;
}
