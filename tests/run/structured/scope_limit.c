/* scope_limit.c - a scope with a limit of time, whatever comes first: when it returns, none of its
 * tasks is left that may write into the caller's variables.
 * modes: woven forced
 * expect: 300 runs: in time and late, 0 left */
#include <co4.h>
#include <co4/test.h>
#include <stdio.h>

struct pair {
    int values[2], inside;
};

static int in_time_runs, late_runs, left;

static pausable int look_up(int key, struct pair *p)
{
    p->inside++;
    int err = co4_sleep(key * CO4_MS);
    if (err == CO4_OK)
        p->values[key % 2] = key * key;
    p->inside--;
    return err;
}

static pausable int look_up_both(struct pair *p)
{
    co4_scope *scope = co4_scope_here();
    int err = co4_scope_spawn(scope, look_up(3, p));
    return err == CO4_OK ? co4_scope_spawn(scope, look_up(4, p)) : err;
}

static pausable int end_at(int64_t deadline)
{
    return co4_sleep_until(deadline) == CO4_OK ? CO4_ETIMEDOUT : CO4_OK;
}

static pausable int in_time(struct pair *p, int64_t deadline)
{
    co4_scope *scope = co4_scope_here();
    int err = co4_scope_spawn(scope, end_at(deadline));
    if (err == CO4_OK)
        err = co4_scope_run(0, look_up_both(p));
    co4_scope_cancel(scope, 0);
    return err;
}

static pausable void work(int64_t limit)
{
    struct pair p = { { 0, 0 }, 0 };
    int err = co4_scope_run(0, in_time(&p, co4_now() + limit));
    if (err == CO4_OK && p.values[0] == 16 && p.values[1] == 9)
        in_time_runs++;
    else if (err == CO4_ETIMEDOUT)
        late_runs++;
    left += p.inside;
}

int main(void)
{
    for (unsigned long long seed = 1; seed <= 300; seed++) {
        co4_test_begin(&(co4_test_options){ .seed = seed, .late = 3, .late_steps = 10 });
        co4_run(work((int64_t)(2 + seed % 5) * CO4_MS));
        co4_test_end(NULL);
    }
    printf("%d runs: %s, %d left\n", in_time_runs + late_runs,
           in_time_runs && late_runs ? "in time and late" : "always the same", left);
    return 0;
}
