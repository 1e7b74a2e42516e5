/* timeouts - a limit for any call, and scopes that the first child ends.
 * needs: threads workers
 * modes: woven forced
 * expect: in time: 7, too late: the deadline has passed, and goes on: CO4_OK
 * expect: at a mailbox: the deadline has passed, at a lock: the deadline has passed
 * expect: got it nevertheless: 5
 * expect: an own error before: -7, after: the deadline has passed
 * expect: the inner one: -3, the outer one: the deadline has passed
 * expect: children: the deadline has passed, 0 left, 3 cancelled
 * expect: cancelled from outside: the task was cancelled
 * expect: past: the deadline has passed, never: 7
 * expect: 2000 in a row: 1000 late
 * expect: first: 4 ended it, CO4_OK, 3 cancelled
 * expect: first, a failure: -9
 * expect: first, the body fails: -8
 * expect: first, no child: 6
 * expect: flags: an argument is not acceptable
 * expect: races: 0 wrong */
#include <co4.h>
#include <stdio.h>
#include <stdlib.h>

static _Atomic int cancelled;

static const char *text(int code)
{
    return code == CO4_OK ? "CO4_OK" : co4_strerror(code);
}

static pausable int nap(int64_t ns, int result)
{
    int err = co4_sleep(ns);
    if (err == CO4_ECANCELED)
        cancelled++;
    return err < 0 ? err : result;
}

static pausable int deaf(int64_t ns, int result)
{
    co4_shield_begin();
    int err = co4_sleep(ns);
    co4_shield_end();
    return err < 0 ? err : result;
}

static pausable int own_error(int64_t ns)
{
    return co4_sleep(ns) < 0 ? -5 : -7;
}

static pausable int take(co4_mailbox *mb)
{
    int n;
    return co4_mailbox_receive(mb, &n);
}

static pausable int twice(co4_mutex *mutex)
{
    return co4_mutex_lock(mutex);
}

static pausable int nested(int64_t inner, int64_t outer_rest)
{
    int err = co4_timeout(inner, nap(CO4_SEC, 1));
    if (err != CO4_ETIMEDOUT)
        return err;
    err = co4_sleep(outer_rest);
    return err < 0 ? err : -3;
}

static pausable int parent(void)
{
    for (int i = 0; i < 3; i++)
        if (co4_scope_spawn(co4_scope_here(), nap(CO4_SEC, 1)) != CO4_OK)
            abort();
    return CO4_OK;
}

static pausable int limited(void)
{
    return co4_timeout(CO4_SEC, nap(CO4_SEC / 2, 1));
}

static int number;

static pausable int child(int64_t ns, int n, int code)
{
    int err = co4_sleep(ns);
    if (err < 0) {
        cancelled++;
        return err;
    }
    number = n;
    return code;
}

static pausable int children(int first, int code)
{
    for (int i = 1; i <= 4; i++)
        if (co4_scope_spawn(co4_scope_here(), child(i == first ? CO4_MS : CO4_SEC, i, code)) !=
            CO4_OK)
            abort();
    return CO4_OK;
}

static pausable int body_fails(void)
{
    if (co4_scope_spawn(co4_scope_here(), child(CO4_SEC, 1, 0)) != CO4_OK)
        abort();
    return -8;
}

static pausable int all(void)
{
    printf("in time: %d, ", co4_timeout(CO4_SEC, nap(CO4_MS, 7)));
    printf("too late: %s, ", text(co4_timeout(CO4_MS, nap(CO4_SEC, 7))));
    printf("and goes on: %s\n", text(co4_sleep(CO4_MS)));

    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 1);
    static co4_mutex mutex;
    if (co4_mutex_lock_until(&mutex, CO4_NOW) != CO4_OK)
        abort();
    printf("at a mailbox: %s, ", text(co4_timeout(CO4_MS, take(mb))));
    co4_task *locker = co4_spawn(limited());
    co4_task_release(locker);
    static co4_rwlock rwlock;
    if (co4_rwlock_write_until(&rwlock, CO4_NOW) != CO4_OK)
        abort();
    int err = co4_timeout(CO4_MS, twice(&mutex));
    if (err != CO4_EDEADLK) /* this task holds it: not a matter of time */
        abort();
    printf("at a lock: %s\n", text(co4_timeout(CO4_MS, co4_rwlock_read(&rwlock))));
    co4_mailbox_destroy(mb);

    printf("got it nevertheless: %d\n", co4_timeout(CO4_MS, deaf(20 * CO4_MS, 5)));
    printf("an own error before: %d, ", co4_timeout(CO4_SEC, own_error(CO4_MS)));
    printf("after: %s\n", text(co4_timeout(CO4_MS, own_error(CO4_SEC))));

    printf("the inner one: %d, ", co4_timeout(CO4_SEC, nested(CO4_MS, CO4_MS)));
    printf("the outer one: %s\n", text(co4_timeout(20 * CO4_MS, nested(CO4_MS, CO4_SEC))));

    cancelled = 0;
    err = co4_timeout(5 * CO4_MS, parent());
    printf("children: %s, %d left, %d cancelled\n", text(err), co4_scope_here() != NULL, cancelled);

    co4_task *t = co4_spawn(limited());
    co4_sleep(CO4_MS);
    co4_task_cancel(t, 1);
    printf("cancelled from outside: %s\n", text(co4_task_join(t)));
    co4_task_release(t);

    printf("past: %s, ", text(co4_scope_run_until(0, nap(CO4_MS, 7), CO4_NOW)));
    printf("never: %d\n", co4_scope_run_until(0, nap(CO4_MS, 7), CO4_NEVER));

    int late = 0;
    for (int i = 0; i < 2000; i++)
        late += co4_timeout(i % 2 ? CO4_US : CO4_SEC, nap(i % 2 ? CO4_SEC : 0, 0)) == CO4_ETIMEDOUT;
    printf("2000 in a row: %d late\n", late);

    cancelled = 0;
    err = co4_scope_run(CO4_SCOPE_FIRST, children(4, CO4_OK));
    printf("first: %d ended it, %s, %d cancelled\n", number, text(err), cancelled);
    printf("first, a failure: %d\n", co4_scope_run(CO4_SCOPE_FIRST, children(2, -9)));
    printf("first, the body fails: %d\n", co4_scope_run(CO4_SCOPE_FIRST, body_fails()));
    printf("first, no child: %d\n", co4_scope_run(CO4_SCOPE_FIRST, nap(0, 6)));
    printf("flags: %s\n",
           text(co4_scope_run(CO4_SCOPE_FIRST | CO4_SCOPE_KEEP_GOING, nap(CO4_MS, 1))));
    return CO4_OK;
}

/* On several workers: the time and the end of the call come at once. */
static pausable int racer(int n)
{
    int wrong = 0;
    for (int i = 0; i < 300; i++) {
        int code = co4_timeout(50 * CO4_US + n * CO4_US, nap(50 * CO4_US + i % 7 * CO4_US, n));
        wrong += code != n && code != CO4_ETIMEDOUT;
        wrong += co4_sleep(0) != CO4_OK; /* the cancellation is gone */
    }
    return wrong;
}

static int races(void)
{
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 4 });
    co4_task *tasks[8];
    int wrong = 0;
    for (int i = 0; i < 8; i++)
        tasks[i] = co4_runtime_spawn(rt, racer(i));
    if (co4_runtime_start(rt) != CO4_OK)
        abort();
    for (int i = 0; i < 8; i++) {
        int one = -1;
        if (co4_block(co4_join(tasks[i], &one)) != CO4_OK)
            abort();
        wrong += one;
    }
    co4_runtime_join(rt);
    co4_runtime_destroy(rt);
    return wrong;
}

int main(void)
{
    int err = co4_run(all());
    if (err != CO4_OK)
        printf("%s\n", co4_strerror(err));
    printf("races: %d wrong\n", races());
    return 0;
}
