/* supervisors - children that fail are started again, alone, with all or with those behind them;
 * too often, and the supervisor fails; shut down in order.
 * modes: woven forced
 * expect: one for one: +a +b +c -b:full +b -c:ok -b:ok -a:ok = no error
 * expect: one for all: +a +b +c -b:full -c:canceled -a:canceled +a +b +c -a:ok -b:ok -c:ok = no error
 * expect: rest for one: +a +b +c -b:full -c:canceled +b +c -a:ok -b:ok -c:ok = no error
 * expect: kinds: +p +t +o -o:full -t:ok -p:ok +p -p:ok +p -p:ok = not possible in this state
 * expect: temporary ones are not started with others: +a +o -a:full -o:canceled +a -a:ok = no error
 * expect: too often: +a -a:full +a -a:full +a -a:full = there is no room
 * expect: not so often: 4 times, no error
 * expect: shut down: +a +s +l cancelled; -l:canceled asked s -s:ok asked a -a:canceled = the task was cancelled
 * expect: a tree: +x -x:full -inner:full +x -x:full -inner:full = there is no room
 * expect: an actor that stays: asked 1, dies, asked 11, then no error
 * expect: no start: +a !b -a:canceled = closed, and nothing is left to take; later +a -a:full !a !a = closed, and nothing is left to take
 * expect: wrong: an argument is not acceptable an argument is not acceptable an argument is not acceptable
 * expect: no memory: nothing is left
 * expect: given up: +a +b
 * expect: nothing is left */
#include <co4.h>
#include <co4/test.h>
#include <stdio.h>

static const char *text(int code)
{
    return co4_strerror(code);
}

/* What a child does, run by run. */
enum act { FAIL, SLOWLY, SUCCEED, WAIT, LINGER };

struct job {
    const char *name;
    enum act acts[4]; /* the last one for ever */
    int runs;
    int cannot_start; /* from this run on, -1: ever; 0: it can */
    co4_mailbox *stop;
};

static int quiet;

static void say(const char *sign, const char *name)
{
    if (!quiet)
        printf(" %s%s", sign, name);
}

static int last_of(const struct job *j)
{
    return j->runs < 4 ? j->runs : 3;
}

static pausable int work(struct job *j, enum act act)
{
    int v;
    for (int i = 0; i < 5; i++)
        co4_yield();
    if (act == WAIT)
        return co4_mailbox_receive(j->stop, &v) == CO4_ECLOSED ? CO4_OK : CO4_ECANCELED;
    if (act == LINGER) /* hears nothing but a cancellation */
        return co4_sleep(3600 * CO4_SEC);
    if (act == SLOWLY)
        co4_sleep(2 * CO4_MS);
    return act == SUCCEED ? CO4_OK : CO4_EFULL;
}

static int start(co4_child *child, void *arg)
{
    struct job *j = arg;
    if (j->cannot_start && j->runs >= j->cannot_start) {
        say("!", j->name);
        return CO4_ECLOSED;
    }
    say("+", j->name);
    enum act act = j->acts[last_of(j)];
    j->runs++;
    return co4_child_spawn(child, work(j, act));
}

static void stop(void *arg)
{
    struct job *j = arg;
    say("asked ", j->name);
    co4_mailbox_close(j->stop);
}

static void ended(void *arg, const co4_child_spec *child, int code)
{
    (void)arg;
    if (!quiet)
        printf(" -%s:%s", child->name,
               code == CO4_OK          ? "ok"
               : code == CO4_ECANCELED ? "canceled"
               : code == CO4_EFULL     ? "full"
                                       : text(code));
}

static pausable int supervise(int strategy, struct job *jobs, const int *restart, int n,
                              int restarts)
{
    co4_child_spec specs[3] = { { 0 } };
    for (int i = 0; i < n; i++)
        specs[i] = (co4_child_spec){
            .name = jobs[i].name, .start = start, .arg = &jobs[i], .restart = restart[i]
        };
    co4_supervision how = {
        .strategy = strategy, .restarts = restarts, .within = 100 * CO4_SEC, .ended = ended
    };
    return co4_supervise(&how, specs, n);
}

static const int transient[] = { CO4_TRANSIENT, CO4_TRANSIENT, CO4_TRANSIENT };

static pausable void let_run(int n)
{
    for (int i = 0; i < n; i++)
        co4_yield();
}

/* Releases its waiters, in turn. */
static pausable void close_later(struct job *jobs, int first, int step, int n)
{
    for (int i = first; n > 0; n--, i += step) {
        let_run(100);
        co4_mailbox_close(jobs[i].stop);
    }
}

static void three(struct job *jobs)
{
    for (int i = 0; i < 3; i++) {
        jobs[i] = (struct job){ .name = &"a\0b\0c"[2 * i], .acts = { WAIT, WAIT, WAIT, WAIT } };
        jobs[i].stop = co4_mailbox_create(sizeof(int), 1);
    }
    jobs[1].acts[0] = FAIL;
}

static void free_three(struct job *jobs)
{
    for (int i = 0; i < 3; i++)
        co4_mailbox_destroy(jobs[i].stop);
}

static pausable void strategies(void)
{
    static const char *const names[] = { "one for one", "one for all", "rest for one" };
    for (int s = 0; s < 3; s++) {
        struct job jobs[3];
        three(jobs);
        printf("%s:", names[s]);
        int back = s == CO4_ONE_FOR_ONE;
        co4_spawn(close_later(jobs, back ? 2 : 0, back ? -1 : 1, 3));
        int err = supervise(s, jobs, transient, 3, 3);
        printf(" = %s\n", text(err));
        free_three(jobs);
    }
}

static pausable void kinds(void)
{
    static const int restart[] = { CO4_PERMANENT, CO4_TRANSIENT, CO4_TEMPORARY };
    struct job jobs[3];
    three(jobs);
    jobs[0] = (struct job){ .name = "p",
                            .acts = { WAIT, SUCCEED, SUCCEED, SUCCEED },
                            .stop = jobs[0].stop };
    jobs[1].name = "t";
    jobs[1].acts[0] = WAIT;
    jobs[2] = (struct job){ .name = "o", .acts = { FAIL }, .stop = jobs[2].stop };
    printf("kinds:");
    co4_spawn(close_later(jobs, 1, -1, 2));
    int err = supervise(CO4_ONE_FOR_ONE, jobs, restart, 3, 2);
    printf(" = %s\n", text(err));
    free_three(jobs);

    static const int mixed[] = { CO4_TRANSIENT, CO4_TEMPORARY };
    three(jobs);
    jobs[0].acts[0] = FAIL;
    jobs[1].name = "o";
    jobs[1].acts[0] = WAIT;
    printf("temporary ones are not started with others:");
    co4_spawn(close_later(jobs, 0, 1, 1));
    err = supervise(CO4_ONE_FOR_ALL, jobs, mixed, 2, 2);
    printf(" = %s\n", text(err));
    free_three(jobs);
}

static pausable void limits(void)
{
    struct job a = { .name = "a", .acts = { FAIL, FAIL, FAIL, FAIL } };
    printf("too often:");
    printf(" = %s\n", text(supervise(CO4_ONE_FOR_ONE, &a, transient, 1, 2)));

    a = (struct job){ .name = "a", .acts = { SLOWLY, SLOWLY, SLOWLY, SUCCEED } };
    co4_child_spec spec = { .start = start, .arg = &a, .restart = CO4_TRANSIENT };
    co4_supervision how = { .restarts = 1, .within = CO4_MS };
    quiet = 1;
    int err = co4_supervise(&how, &spec, 1);
    quiet = 0;
    printf("not so often: %d times, %s\n", a.runs, text(err));
}

static pausable void shut_down_after(co4_task *t, int n)
{
    let_run(n);
    printf(" cancelled;");
    co4_task_cancel(t, 0);
}

static pausable void shut_down(void)
{
    struct job jobs[3];
    three(jobs);
    jobs[0].acts[0] = LINGER;
    jobs[1].name = "s";
    jobs[1].acts[0] = WAIT;
    jobs[2].name = "l";
    co4_child_spec specs[] = {
        { .name = "a", .start = start, .arg = &jobs[0], .stop = stop, .patience = CO4_MS },
        { .name = "s", .start = start, .arg = &jobs[1], .stop = stop, .patience = CO4_NEVER },
        { .name = "l", .start = start, .arg = &jobs[2] },
    };
    co4_supervision how = { .ended = ended };
    printf("shut down:");
    co4_spawn(shut_down_after(co4_self(), 100));
    int err = co4_supervise(&how, specs, 3);
    printf(" = %s\n", text(err));
    free_three(jobs);
}

/* ---- a tree ---- */

static pausable int inner(struct job *j)
{
    return supervise(CO4_ONE_FOR_ONE, j, transient, 1, 0);
}

static int start_inner(co4_child *child, void *arg)
{
    return co4_child_spawn(child, inner(arg));
}

static pausable void tree(void)
{
    struct job x = { .name = "x", .acts = { FAIL, FAIL, FAIL, FAIL } };
    co4_child_spec spec = {
        .name = "inner", .start = start_inner, .arg = &x, .restart = CO4_TRANSIENT
    };
    co4_supervision how = { .restarts = 1, .within = 100 * CO4_SEC, .ended = ended };
    printf("a tree:");
    int err = co4_supervise(&how, &spec, 1);
    printf(" = %s\n", text(err));
}

/* ---- an actor ---- */

struct msg {
    int die;
    co4_reply reply;
};

static int lives;

static pausable int count(co4_actor *self, int from)
{
    struct msg m;
    int err;
    while ((err = co4_actor_receive(self, &m)) == CO4_OK) {
        if (m.die)
            return CO4_ESTATE;
        from++;
        co4_actor_reply(self, m.reply, &from);
    }
    return err == CO4_ECLOSED ? CO4_OK : err;
}

static int start_actor(co4_child *child, void *arg)
{
    co4_actor *a = arg;
    return co4_child_actor(child, a, count(a, 10 * lives++));
}

static void stop_actor(void *arg)
{
    co4_actor_stop(arg);
}

static pausable int with_actor(co4_actor *a)
{
    co4_child_spec spec = {
        .name = "counter", .start = start_actor, .arg = a, .stop = stop_actor, .patience = CO4_SEC
    };
    co4_supervision how = { .restarts = 2, .within = 100 * CO4_SEC };
    return co4_supervise(&how, &spec, 1);
}

static pausable void actors(void)
{
    co4_actor *a = co4_actor_create(sizeof(struct msg), 9, CO4_ACTOR_STAYS);
    int v, w, err;
    struct msg m = { 0 }, die = { .die = 1 };
    co4_future *f = co4_async(with_actor(a));
    co4_actor_ask_until(a, &m, &m.reply, &v, CO4_NEVER);
    co4_actor_send(a, &die);
    err = co4_actor_ask_until(a, &m, &m.reply, &w, CO4_NEVER);
    printf("an actor that stays: asked %d, dies, asked %d, then %s\n", v, w, text(err));
    co4_future_cancel(f, 0);
    co4_future_await(f, &err);
    co4_future_release(f);
    co4_actor_release(a);
}

/* ---- what cannot be ---- */

static pausable void failures(void)
{
    struct job jobs[3];
    three(jobs);
    jobs[1].cannot_start = -1;
    printf("no start:");
    int err = supervise(CO4_ONE_FOR_ONE, jobs, transient, 2, 3);
    printf(" = %s; later", text(err));
    free_three(jobs);
    struct job a = { .name = "a", .acts = { FAIL, FAIL, FAIL, FAIL }, .cannot_start = 1 };
    err = supervise(CO4_ONE_FOR_ONE, &a, transient, 1, 2);
    printf(" = %s\n", text(err));

    co4_child_spec spec = { .start = start, .arg = &a }, none = { .arg = &a };
    co4_supervision how = { .restarts = 1 }, bad = { .strategy = 3 };
    printf("wrong: %s", text(co4_supervise(NULL, &spec, 1)));
    printf(" %s", text(co4_supervise(&how, &none, 1)));
    printf(" %s\n", text(co4_supervise(&bad, &spec, 1)));
}

static pausable int once(struct job *jobs)
{
    return supervise(CO4_ONE_FOR_ALL, jobs, transient, 2, 2);
}

static void no_memory(void)
{
    int lost = 0;
    quiet = 1;
    for (long n = 1;; n++) {
        struct job jobs[2] = { { .name = "a", .acts = { FAIL, SUCCEED, SUCCEED, SUCCEED } },
                               { .name = "b", .acts = { SUCCEED, SUCCEED, SUCCEED, SUCCEED } } };
        long long pool = co4_test_pool_live(), blocks = co4_test_alloc_live();
        co4_test_fail_alloc(n);
        co4_run(once(jobs));
        bool passed = co4_test_fail_alloc(0) > 0;
        lost += co4_test_pool_live() != pool || co4_test_alloc_live() != blocks;
        if (passed)
            break;
    }
    quiet = 0;
    printf("no memory: %s\n", lost ? "something is lost" : "nothing is left");
}

static pausable int given_up(struct job *jobs)
{
    return supervise(CO4_ONE_FOR_ONE, jobs, transient, 2, 2);
}

static pausable void leave_behind(struct job *jobs)
{
    co4_spawn(given_up(jobs));
    let_run(100);
}

int main(void)
{
    long long pool = co4_test_pool_live(), blocks = co4_test_alloc_live();
    co4_run(strategies());
    co4_run(kinds());
    co4_run(limits());
    co4_run(shut_down());
    co4_run(tree());
    co4_run(actors());
    co4_run(failures());
    no_memory();
    struct job jobs[3];
    three(jobs);
    jobs[1].acts[0] = WAIT;
    printf("given up:");
    co4_run(leave_behind(jobs));
    puts("");
    free_three(jobs);
    if (co4_test_pool_live() == pool && co4_test_alloc_live() == blocks)
        puts("nothing is left");
    return 0;
}
