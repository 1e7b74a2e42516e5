/* scope - two lookups at once, with a time limit for both.
 * modes: woven forced
 * expect: no error: 9 16 */
#include <co4.h>
#include <stdio.h>

struct pair {
    int left, right;
};

static pausable int look_up(int key, int *value)
{
    if (co4_sleep(key * CO4_MS) != CO4_OK) /* represents a request that is on its way */
        return CO4_ECANCELED;
    *value = key * key;
    return CO4_OK;
}

static pausable int look_up_both(struct pair *p)
{
    co4_scope *scope = co4_scope_here();
    int err = co4_scope_spawn(scope, look_up(3, &p->left));
    return err == CO4_OK ? co4_scope_spawn(scope, look_up(4, &p->right)) : err;
}

/* The scope's first failure cancels all that is in it. */
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
    co4_scope_cancel(scope, 0); /* end_at() has nothing to do any more */
    return err;
}

static pausable void work(void)
{
    struct pair p = { 0, 0 };
    int err = co4_scope_run(0, in_time(&p, co4_now() + 60 * CO4_SEC));
    printf("%s: %d %d\n", co4_strerror(err), p.left, p.right);
}

int main(void)
{
    co4_run(work());
    return 0;
}
