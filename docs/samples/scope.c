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
    co4_scope_spawn(co4_scope_here(), look_up(3, &p->left));
    co4_scope_spawn(co4_scope_here(), look_up(4, &p->right));
    return CO4_OK;
}

static pausable int both(struct pair *p)
{
    return co4_scope_run(0, look_up_both(p));
}

static pausable void work(void)
{
    struct pair p = { 0, 0 };
    co4_future *f = co4_async(both(&p));
    int err, outcome = CO4_OK;
    err = co4_future_await_until(f, &outcome, co4_now() + 60 * CO4_SEC);
    if (err == CO4_ETIMEDOUT)
        co4_future_cancel(f, 0);
    printf("%s: %d %d\n", co4_strerror(err == CO4_OK ? outcome : err), p.left, p.right);
    co4_future_release(f);
}

int main(void)
{
    co4_run(work());
    return 0;
}
