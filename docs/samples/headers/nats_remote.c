/* nats_remote.c - the examples of co4/nats_remote.h.
 * needs: nats
 * modes: woven forced
 * expect: 5
 * expect: the supervisor: nothing comes from it any more */
#include <co4.h>
#include <co4/nats_remote.h>
#include <stdio.h>
#include <stdlib.h>

struct request {
    long long add;
    co4_reply reply;
};

static pausable int count(co4_actor *self)
{
    struct request r;
    int sum = 0, err;
    while ((err = co4_actor_receive(self, &r)) == CO4_OK) {
        sum += (int)r.add;
        co4_actor_reply(self, r.reply, &sum);
    }
    return err == CO4_ECLOSED ? CO4_OK : err;
}

static pausable int serve(co4_nats *c, co4_actor *actor, co4_future *ready)
{
    int err;
    co4_remote_options o = { .name = "counter",
                             CO4_REMOTE_MESSAGES(struct request, reply),
                             .answer_size = sizeof(int) };
    o.ready = ready;
    err = co4_remote_serve(c, actor, &o);
    return err;
}

static pausable void ask(co4_nats *c)
{
    co4_remote counter = { c, "counter" };
    struct request r = { .add = 5 };
    int sum;
    int err = co4_remote_ask_value(&counter, &r, sizeof r, &sum, sizeof sum, NULL,
                                   co4_now() + CO4_SEC);
    printf("%d\n", err == CO4_OK ? sum : err);
}

/* Of a remote one that does not come. */
static pausable int supervise(co4_nats *c)
{
    co4_remote_child db = { .remote = { c, "db" } };
    db.silence = 100 * CO4_MS;
    const co4_child_spec children[] = {
        { .name = "db", .start = co4_remote_child_start, .arg = &db, .restart = CO4_PERMANENT }
    };
    return co4_supervise(&(co4_supervision){ .restarts = 2, .within = CO4_SEC }, children, 1);
}

static pausable int run(const char *url)
{
    const char *servers[] = { url, NULL };
    co4_nats *c;
    int err = co4_nats_connect(&c, &(co4_nats_options){ .servers = servers },
                               co4_now() + 10 * CO4_SEC);
    if (err != CO4_OK)
        return err;
    co4_actor *actor = co4_actor_create(sizeof(struct request), 100, 0);
    co4_future *ready = co4_future_create(0);
    co4_actor_spawn(actor, count(actor));
    co4_task *service = co4_spawn(serve(c, actor, ready));
    co4_future_await(ready, NULL);
    co4_future_release(ready);
    ask(c);
    printf("the supervisor: %s\n", co4_strerror(supervise(c)));
    err = co4_nats_close(c, co4_now() + 10 * CO4_SEC);
    co4_join(service, NULL);
    co4_actor_stop(actor);
    co4_actor_join(actor);
    co4_actor_release(actor);
    return err;
}

int main(void)
{
    int err = co4_run(run(getenv("NATS_URL")));
    return err != CO4_OK;
}
