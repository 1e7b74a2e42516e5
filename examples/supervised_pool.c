/* supervised_pool.c - a pool of workers that crash on bad jobs and are started again, until all jobs are done.
 *
 *     supervised_pool [WORKERS [JOBS]]      4 and 100 when absent
 *
 * Jobs wait in a mailbox. A worker takes one after another; one job in ten makes it fail, which costs that job alone: its
 * supervisor starts the worker again. An actor counts what was done; the pool is told to end by closing the mailbox, after
 * which workers end without having failed, and the supervisor with the last of them. */
#include <co4.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORKERS_MAX = 64 };

struct pool {
    int workers, jobs, failures;
    bool starved; /* a worker failed for want of memory: its job was no bad one */
    co4_mailbox *todo;
    co4_actor *tally;
    int done;
    long long sum;
};

/* ---- the tally: an actor ---- */

struct report {
    int job, result; /* job 0: a question */
    co4_reply reply;
};

struct totals {
    int done;
    long long sum;
};

static pausable int tally(co4_actor *self)
{
    struct totals t = { 0, 0 };
    struct report r;
    while (co4_actor_receive(self, &r) == CO4_OK) {
        if (r.job > 0) {
            t.done++;
            t.sum += r.result;
        } else {
            co4_actor_reply(self, r.reply, &t);
        }
    }
    return CO4_OK;
}

/* ---- the workers ---- */

static pausable int work(struct pool *p)
{
    int job, err;
    while ((err = co4_mailbox_get(p->todo, &job)) == CO4_OK) {
        co4_yield(); /* stands for something that takes its time */
        if (job % 10 == 0)
            return CO4_EINVAL;
        struct report r = { .job = job, .result = 2 * job };
        err = co4_actor_send(p->tally, &r);
        if (err != CO4_OK)
            return err;
    }
    return err == CO4_ECLOSED ? CO4_OK : err;
}

static int start_worker(co4_child *child, void *arg)
{
    struct pool *p = arg;
    return co4_child_spawn(child, work(p));
}

static void ended(void *arg, const co4_child_spec *child, int code)
{
    struct pool *p = arg;
    (void)child;
    p->failures += code < 0;
    p->starved = p->starved || code == CO4_ENOMEM;
}

static pausable int supervise(struct pool *p)
{
    co4_child_spec children[WORKERS_MAX] = { { 0 } };
    for (int i = 0; i < p->workers; i++)
        children[i] = (co4_child_spec){
            .name = "worker", .start = start_worker, .arg = p, .restart = CO4_TRANSIENT
        };
    const co4_supervision how = { .strategy = CO4_ONE_FOR_ONE,
                                  .restarts = p->jobs,
                                  .within = 60 * CO4_SEC,
                                  .ended = ended,
                                  .arg = p };
    return co4_supervise(&how, children, p->workers);
}

/* When the supervisor fails nobody takes jobs any more: the scope ends the wait for room. */
static pausable int feed(co4_scope *scope, void *arg)
{
    struct pool *p = arg;
    int err = co4_scope_spawn(scope, supervise(p));
    for (int job = 1; job <= p->jobs && err == CO4_OK; job++)
        err = co4_mailbox_put(p->todo, &job);
    co4_mailbox_close(p->todo);
    return err;
}

static pausable int run(struct pool *p)
{
    int err = co4_actor_spawn(p->tally, tally(p->tally));
    if (err != CO4_OK)
        return err;
    err = co4_scope_run(0, feed, p);
    if (err == CO4_OK && p->starved)
        err = CO4_ENOMEM;

    struct report question = { .job = 0 };
    struct totals t = { 0, 0 };
    if (err == CO4_OK)
        err = co4_actor_ask(p->tally, &question, &question.reply, &t, co4_now() + 10 * CO4_SEC);
    co4_actor_stop(p->tally);
    co4_actor_join(p->tally);
    p->done = t.done;
    p->sum = t.sum;
    return err;
}

int main(int argc, char **argv)
{
    struct pool p = { .workers = argc > 1 ? atoi(argv[1]) : 4,
                      .jobs = argc > 2 ? atoi(argv[2]) : 100 };
    if (p.workers < 1 || p.workers > WORKERS_MAX || p.jobs < 1) {
        fprintf(stderr, "usage: supervised_pool [WORKERS [JOBS]]\n");
        return 2;
    }
    p.todo = co4_mailbox_create(sizeof(int), 8);
    p.tally = co4_actor_create(sizeof(struct report), 8, 0);
    int err = p.todo && p.tally ? co4_run(run(&p)) : CO4_ENOMEM;
    if (err == CO4_OK)
        err = co4_run_error();
    if (err == CO4_OK)
        printf("%d jobs done, %d workers failed and were started again, sum %lld\n", p.done,
               p.failures, p.sum);
    else
        fprintf(stderr, "supervised_pool: %s\n", co4_strerror(err));
    co4_actor_release(p.tally);
    co4_mailbox_destroy(p.todo);
    return err != CO4_OK;
}
