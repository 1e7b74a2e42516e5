/* scope_given_up.c - a task that is abandoned in the middle of a scope or of a supervisor keeps the
 * data that its children may use until they have ended: when any allocation fails, at the end of a
 * co4_run, when nothing can come any more.
 * modes: woven forced
 * expect: a scope: given up or refused, all children saw it
 * expect: scopes in scopes: given up or refused, all children saw it
 * expect: children that are shielded: given up or refused, all children saw it
 * expect: a supervisor: given up or refused, all children saw it
 * expect: a task, on two workers: given up or refused, all children saw it
 * expect: left over: 8 began, all children saw it
 * expect: stuck: CO4_EDEADLK, 4 began, all children saw it
 * expect: nothing is left */
#include <co4.h>
#include <co4/test.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

#define AT_END(handler) __attribute__((cleanup(handler)))

/* Children look at it, in a frame of the scope's owner. */
struct shared {
    atomic_bool there;
    bool shield;        /* children cannot be cancelled */
    int64_t patience;   /* how long the scope waits */
    co4_mailbox *never; /* nothing comes */
};

static atomic_int began, saw;

static void shared_ends(struct shared *s)
{
    s->there = false;
}

static void child_ends(struct shared **s)
{
    saw += *s && (*s)->there;
}

static pausable int wait_in_vain(const struct shared *s, int times)
{
    int message;
    int64_t now = co4_now(),
            patience = s->patience == CO4_NEVER ? CO4_NEVER - now : s->patience * times;
    return co4_mailbox_receive_until(s->never, &message, now + patience);
}

static pausable void child(struct shared *s)
{
    AT_END(child_ends) struct shared *at_end = s;
    began++;
    if (s->shield)
        co4_shield_begin();
    wait_in_vain(s, 2);
    if (s->shield)
        co4_shield_end();
    if (!at_end->there)
        at_end = NULL;
}

static pausable int waits(struct shared *s)
{
    co4_scope *scope = co4_scope_here();
    co4_scope_spawn(scope, child(s));
    co4_scope_spawn(scope, child(s));
    return wait_in_vain(s, 1);
}

typedef pausable int in_a_scope(struct shared *s);

static pausable int in_scope(in_a_scope *body, const struct shared *as)
{
    AT_END(shared_ends) struct shared s = { true, as->shield, as->patience, as->never };
    return co4_scope_run(0, body(&s));
}

static pausable int waits_inside(struct shared *s)
{
    co4_scope *scope = co4_scope_here();
    co4_scope_spawn(scope, child(s));
    int err = in_scope(waits, s);
    co4_scope_spawn(scope, child(s));
    return err;
}

static pausable int one(const struct shared *as)
{
    return in_scope(waits, as);
}

static pausable int nested(const struct shared *as)
{
    return in_scope(waits_inside, as);
}

static int start(co4_child *c, void *arg)
{
    return co4_child_spawn(c, child(arg));
}

static pausable int supervises(const struct shared *as)
{
    AT_END(shared_ends) struct shared s = { true, as->shield, as->patience, as->never };
    co4_child_spec specs[2] = { { .start = start, .arg = &s, .restart = CO4_TEMPORARY },
                                { .start = start, .arg = &s, .restart = CO4_TEMPORARY } };
    co4_supervision how = { .restarts = 0 };
    return co4_supervise(&how, specs, 2);
}

/* ---- each allocation fails in turn ---- */

typedef pausable int work(const struct shared *as);

static pausable int call(work *f, const struct shared *as)
{
    return f(as);
}

static void tell(const char *what, const char *how)
{
    printf("%s: %s, %s\n", what, how, began == saw ? "all children saw it" : "some did not");
    began = saw = 0;
}

static void each_failing(const char *what, work *f, bool shield)
{
    struct shared as = { true, shield, CO4_MS, co4_mailbox_create(sizeof(int), 1) };
    bool other = false;
    for (long n = 1;; n++) {
        co4_test_fail_alloc(n);
        int err = co4_run(call(f, &as));
        other |= co4_run_error() != CO4_OK && co4_run_error() != CO4_ENOMEM;
        if (co4_test_fail_alloc(0) > 0)
            break;
        (void)err;
    }
    co4_mailbox_destroy(as.never);
    tell(what, other ? "something else" : "given up or refused");
}

static void on_two_workers(void)
{
    struct shared as = { true, false, CO4_MS, co4_mailbox_create(sizeof(int), 1) };
    co4_runtime_options options = { .workers = 2 };
    co4_runtime *rt = co4_runtime_create(&options);
    co4_runtime_start(rt);
    bool other = false;
    for (long n = 1, left = 0; left <= 0; n++) {
        co4_task *t = co4_task_create(nested(&as));
        co4_test_fail_alloc(n);
        co4_runtime_schedule(rt, t);
        co4_block(co4_task_join(t));
        left = co4_test_fail_alloc(0);
        other |= co4_task_error(t) != CO4_ETIMEDOUT && co4_task_error(t) != CO4_ENOMEM;
        co4_task_release(t);
    }
    co4_runtime_join(rt);
    co4_runtime_destroy(rt);
    co4_mailbox_destroy(as.never);
    tell("a task, on two workers", other ? "something else" : "given up or refused");
}

/* ---- nothing can come ---- */

static pausable void leave_behind(const struct shared *as)
{
    co4_spawn(nested(as));
    co4_spawn(supervises(as));
    co4_spawn(nested(as));
    for (int i = 0; i < 100; i++)
        co4_yield();
}

static void left_over(void)
{
    struct shared as = { true, false, CO4_NEVER, co4_mailbox_create(sizeof(int), 1) };
    co4_run(leave_behind(&as));
    char how[40];
    snprintf(how, sizeof how, "%d began", began);
    co4_mailbox_destroy(as.never);
    tell("left over", how);
}

/* Its children do not hear that they are cancelled. */
static pausable int both(const struct shared *as)
{
    co4_spawn(supervises(as));
    return one(as);
}

static void stuck(void)
{
    struct shared as = { true, true, CO4_NEVER, co4_mailbox_create(sizeof(int), 1) };
    co4_test_begin(NULL);
    co4_run(both(&as));
    int err = co4_run_error();
    co4_test_end(NULL);
    char how[60];
    snprintf(how, sizeof how, "%s, %d began",
             err == CO4_EDEADLK ? "CO4_EDEADLK" : co4_strerror(err), began);
    co4_mailbox_destroy(as.never);
    tell("stuck", how);
}

int main(void)
{
    long long pool = co4_test_pool_live(), blocks = co4_test_alloc_live();
    each_failing("a scope", one, false);
    each_failing("scopes in scopes", nested, false);
    each_failing("children that are shielded", nested, true);
    each_failing("a supervisor", supervises, false);
    on_two_workers();
    left_over();
    stuck();
    if (co4_test_pool_live() == pool && co4_test_alloc_live() == blocks)
        puts("nothing is left");
    return 0;
}
