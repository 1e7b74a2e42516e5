/* worker_pool.c - a pool of workers that fail now and then, and lose no job by it.
 *
 *     worker_pool [bad]      with `bad`, one of the jobs makes every worker fail that takes it
 *
 * Jobs wait in a mailbox. Each worker has a place for the job that it is at: that is empty only
 * when the job is done, so a worker that is started in a failed worker's place goes on with its
 * job. A job that fails once may well succeed when it is tried again. A job that always fails would
 * be tried for ever: a supervisor that has to start workers too often fails. */
#include <co4.h>
#include <stdio.h>
#include <string.h>

enum { WORKERS = 4, JOBS = 100, BAD = 42, RESTARTS = 20 };

struct worker {
    struct pool *pool;
    int job; /* that it is at; 0: none */
};

struct pool {
    co4_mailbox *todo;
    struct worker workers[WORKERS];
    bool bad;
    int tries[JOBS + 1], done[JOBS + 1];
    int failures;
    bool starved;
};

/* One job in seven fails at first. */
static pausable int do_job(struct pool *p, int job)
{
    int n = ++p->tries[job];
    co4_yield(); /* represents work that takes its time */
    if ((p->bad && job == BAD) || (job % 7 == 0 && n == 1))
        return CO4_EINVAL;
    p->done[job]++;
    return CO4_OK;
}

static pausable int work(struct worker *w)
{
    int err = CO4_OK;
    while (err == CO4_OK) {
        if (w->job == 0)
            err = co4_mailbox_receive(w->pool->todo, &w->job);
        if (err == CO4_OK)
            err = do_job(w->pool, w->job);
        if (err == CO4_OK)
            w->job = 0;
    }
    return err == CO4_ECLOSED ? CO4_OK : err;
}

static int start_worker(co4_child *child, void *arg)
{
    struct worker *w = arg;
    return co4_child_spawn(child, work(w));
}

static void ended(void *arg, const co4_child_spec *child, int code)
{
    struct pool *p = arg;
    (void)child;
    p->failures += code < 0 && code != CO4_ECANCELED;
    p->starved = p->starved || code == CO4_ENOMEM;
}

static pausable int supervise(struct pool *p)
{
    co4_child_spec children[WORKERS];
    for (int i = 0; i < WORKERS; i++) {
        p->workers[i] = (struct worker){ p, 0 };
        children[i] = (co4_child_spec){
            .name = "worker", .start = start_worker, .arg = &p->workers[i], .restart = CO4_TRANSIENT
        };
    }
    const co4_supervision how = {
        .restarts = RESTARTS, .within = 60 * CO4_SEC, .ended = ended, .arg = p
    };
    return co4_supervise(&how, children, WORKERS);
}

/* After the supervisor has failed no worker takes jobs: the scope ends the wait for room. */
static pausable int feed(struct pool *p)
{
    int err = co4_scope_spawn(co4_scope_here(), supervise(p));
    for (int job = 1; job <= JOBS && err == CO4_OK; job++)
        err = co4_mailbox_send(p->todo, &job);
    co4_mailbox_close(p->todo);
    return err;
}

static pausable int run(struct pool *p)
{
    return co4_scope_run(0, feed(p));
}

static int report(const struct pool *p, int err)
{
    int once = 0, more = 0, left = 0;
    for (int job = 1; job <= JOBS; job++) {
        once += p->done[job] == 1;
        more += p->done[job] > 1;
        left += p->done[job] == 0;
    }
    if (err == CO4_OK)
        printf("%d jobs done, %d twice, %d lost; %d workers failed and were started again\n", once,
               more, left, p->failures);
    else
        printf("given up when %d workers had failed, %d of them at job %d: %s; %s\n", p->failures,
               p->tries[BAD], BAD, co4_strerror(err),
               p->done[BAD] || more ? "which was done, or others twice" : "no job done twice");
    return more == 0 && (left == 0) == (err == CO4_OK) ? 0 : 1;
}

int main(int argc, char **argv)
{
    static struct pool p;
    p.bad = argc == 2 && strcmp(argv[1], "bad") == 0;
    if (argc > 2 || (argc == 2 && !p.bad)) {
        fprintf(stderr, "usage: worker_pool [bad]\n");
        return 2;
    }
    p.todo = co4_mailbox_create(sizeof(int), 8);
    int err = p.todo ? co4_run(run(&p)) : CO4_ENOMEM;
    if (p.todo && co4_run_error() != CO4_OK)
        err = co4_run_error();
    if (p.starved)
        err = CO4_ENOMEM;
    co4_mailbox_destroy(p.todo);
    if (err != CO4_OK && err != CO4_EINVAL) {
        fprintf(stderr, "worker_pool: %s\n", co4_strerror(err));
        return 1;
    }
    return report(&p, err);
}
