/* group.c - the examples of co4/group.h.
 * modes: woven forced
 * expect: both parts: an argument is not acceptable
 * expect: both parts: no error
 * expect: in time: no error
 * expect: the search has enough: no error */
#include <co4.h>
#include <stdbool.h>
#include <stdio.h>

struct job {
    int left, right;
};

static pausable int fetch(int part)
{
    co4_sleep(CO4_MS);
    return part < 0 ? CO4_EINVAL : CO4_OK;
}

static pausable int look_at(struct job *job)
{
    return job->left == job->right ? CO4_EINVAL : CO4_OK;
}

static pausable int fetch_both(struct job *job)
{
    co4_scope_spawn(co4_scope_here(), fetch(job->left));
    co4_scope_spawn(co4_scope_here(), fetch(job->right));
    return look_at(job);
}

static pausable void work(int left, int right)
{
    struct job job = { left, right };
    int err = co4_scope_run(0, fetch_both(&job));
    printf("both parts: %s\n",
           err == CO4_EINVAL ? "an argument is not acceptable" : co4_strerror(err));
}

static pausable void limited(void)
{
    struct job job = { 1, 2 };
    int err = co4_timeout(2 * CO4_SEC, fetch_both(&job));
    printf("in time: %s\n", co4_strerror(err));
}

struct search {
    bool enough;
};

static pausable int look_for_ever(void)
{
    return co4_sleep(CO4_NEVER);
}

static pausable int search(struct search *p)
{
    co4_scope *scope = co4_scope_here();
    if (co4_scope_spawn(scope, look_for_ever()) != CO4_OK)
        return CO4_ENOMEM;
    co4_yield();
    p->enough = true;
    co4_scope_cancel(scope, 0);
    return CO4_OK;
}

static pausable void find(void)
{
    struct search p = { false };
    int err = co4_scope_run(0, search(&p));
    if (err == CO4_ECANCELED && p.enough)
        err = CO4_OK;
    printf("the search has enough: %s\n", co4_strerror(err));
}

int main(void)
{
    co4_run(work(1, -1));
    co4_run(work(1, 2));
    co4_run(limited());
    co4_run(find());
    return 0;
}
