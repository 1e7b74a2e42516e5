/* cancelled_turns - a task whose calls all fail at once, because it is cancelled or its arguments
 * are wrong, yields like any other: after a step's budget of calls, and at each yield.
 * needs: threads
 * modes: woven
 * expect: cancelled: all yield
 * expect: wrong: all yield
 * expect: well: all yield
 * expect: each yield is a turn: 10
 * expect: two workers: the timer came */
#include <co4.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

/* Here it cannot fail. */
static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

#define PLENTY 100000 /* calls in a row: far more than any budget */

static co4_mailbox *full, *empty;
static co4_inbox *full_inbox;
static co4_task *stopped;
static co4_mutex mine = CO4_MUTEX_INIT, unheld = CO4_MUTEX_INIT;
static co4_rwlock rw = CO4_RWLOCK_INIT;
static co4_sem permits = CO4_SEM_INIT(1);
static co4_cond cond = CO4_COND_INIT;
static co4_waitgroup none = CO4_WAITGROUP_INIT;
static co4_barrier alone = CO4_BARRIER_INIT(1);
static co4_once once = CO4_ONCE_INIT;
static co4_future *done;
static co4_mailbox *closed;
static co4_stream *ended;
static co4_actor *gone;

static pausable int body(void *arg)
{
    return arg != NULL;
}

static pausable int scope_body(void *arg)
{
    return arg != NULL;
}

static pausable int attempt(void *arg, int n)
{
    return arg != NULL ? n : 0;
}

typedef pausable int call(void);

static pausable int yield(void)
{
    return co4_yield();
}
static pausable int sleep_for(void)
{
    return co4_sleep(CO4_SEC);
}
static pausable int sleep_past(void)
{
    return co4_sleep_until(co4_now() + CO4_SEC);
}
static pausable int sleep_never(void)
{
    return co4_sleep_until(CO4_NEVER);
}
static pausable int get(void)
{
    int n;
    return co4_mailbox_receive(empty, &n);
}
static pausable int get_nowhere(void)
{
    int n;
    return co4_mailbox_receive(NULL, &n);
}
static pausable int get_until(void)
{
    int n;
    return co4_mailbox_receive_until(empty, &n, co4_now() + CO4_SEC);
}
static pausable int get_until_nowhere(void)
{
    int n;
    return co4_mailbox_receive_until(NULL, &n, 0);
}
static pausable int get_late(void)
{
    int n;
    return co4_mailbox_receive_until(empty, &n, 0);
}
static pausable int put(void)
{
    int n = 1;
    return co4_mailbox_send(full, &n);
}
static pausable int put_nothing(void)
{
    return co4_mailbox_send(full, NULL);
}
static pausable int put_until(void)
{
    int n = 1;
    return co4_mailbox_send_until(full, &n, co4_now() + CO4_SEC);
}
static pausable int put_urgent(void)
{
    int n = 1;
    return co4_inbox_send_urgent(full_inbox, &n);
}
static pausable int urgent_nowhere(void)
{
    int n = 1;
    return co4_inbox_send_urgent(NULL, &n);
}
static pausable int get_many(void)
{
    int n;
    size_t got;
    return co4_mailbox_receive_many(empty, &n, 1, &got);
}
static pausable int many_nowhere(void)
{
    size_t got;
    return co4_mailbox_receive_many(empty, NULL, 1, &got);
}
static pausable int wait_for_two(void)
{
    return co4_inbox_wait(full_inbox, 2);
}
static pausable int wait_nowhere(void)
{
    return co4_inbox_wait(NULL, 1);
}
static pausable int join(void)
{
    return co4_task_join(stopped);
}
static pausable int join_until(void)
{
    return co4_task_join_until(stopped, co4_now() + CO4_SEC);
}
static pausable int join_nobody(void)
{
    return co4_task_join(NULL);
}
static pausable int join_oneself(void)
{
    return co4_task_join(co4_self());
}
static pausable int lock(void)
{
    int err = co4_mutex_lock(&unheld);
    co4_mutex_unlock(&unheld);
    return err;
}
static pausable int lock_mine(void)
{
    return co4_mutex_lock(&mine);
}
static pausable int lock_nothing(void)
{
    return co4_mutex_lock(NULL);
}
static pausable int read_lock(void)
{
    int err = co4_rwlock_read(&rw);
    co4_rwlock_unlock(&rw);
    return err;
}
static pausable int write_lock(void)
{
    int err = co4_rwlock_write(&rw);
    co4_rwlock_unlock(&rw);
    return err;
}
static pausable int read_nothing(void)
{
    return co4_rwlock_read(NULL);
}
static pausable int acquire(void)
{
    int err = co4_sem_acquire(&permits);
    if (err == CO4_OK)
        co4_sem_release(&permits);
    return err;
}
static pausable int acquire_nothing(void)
{
    return co4_sem_acquire(NULL);
}
static pausable int wait_unheld(void)
{
    return co4_cond_wait(&cond, &unheld);
}
static pausable int wait_for_no_cond(void)
{
    return co4_cond_wait(NULL, &unheld);
}
static pausable int wait_for_none(void)
{
    return co4_waitgroup_wait(&none);
}
static pausable int wait_for_no_group(void)
{
    return co4_waitgroup_wait(NULL);
}
static pausable int meet(void)
{
    return co4_barrier_wait(&alone);
}
static pausable int meet_nowhere(void)
{
    return co4_barrier_wait(NULL);
}
static pausable int run_once(void)
{
    return co4_once_run(&once, body(NULL));
}
static pausable int once_nothing(void)
{
    return co4_once_run(NULL, body(NULL));
}
static pausable int await(void)
{
    return co4_future_await(done, NULL);
}
static pausable int await_nothing(void)
{
    return co4_await(NULL, NULL);
}
static pausable int select_done(void)
{
    co4_case cases[] = { CO4_CASE(co4_future_source(done), NULL) };
    return co4_select(cases, 1);
}
static pausable int select_none(void)
{
    return co4_select(NULL, 0);
}
static pausable int receive(void)
{
    int n;
    return co4_mailbox_receive(closed, &n);
}
static pausable int scope(void)
{
    return co4_scope_run(0, scope_body(NULL));
}
static pausable int no_scope(void)
{
    return co4_scope_run(8, scope_body(NULL));
}
static pausable int retry(void)
{
    return co4_retry_run(NULL, attempt(NULL, co4_attempt));
}
static pausable int no_retry(void)
{
    return co4_retry_run(&(co4_retry){ .attempts = -1 }, attempt(NULL, co4_attempt));
}
static pausable int next_of_ended(void)
{
    int n;
    return co4_stream_next(ended, &n);
}
static pausable int next_of_none(void)
{
    return co4_stream_next(NULL, NULL);
}
static pausable int join_actor(void)
{
    return co4_actor_join(gone);
}
static pausable int join_no_actor(void)
{
    return co4_actor_join(NULL);
}
static int plain(void)
{
    return 0;
}
static pausable int blocking(void)
{
    return co4_blocking(plain());
}
static pausable int no_supervision(void)
{
    return co4_supervise(NULL, NULL, 0);
}

#define FORM(f)                                                                                    \
    {                                                                                              \
#f, f                                                                                      \
    }
static const struct form {
    const char *name;
    call *call;
} cancelled[] = { FORM(yield),     FORM(sleep_for),     FORM(sleep_past),    FORM(get),
                  FORM(get_until), FORM(put),           FORM(put_until),     FORM(put_urgent),
                  FORM(get_many),  FORM(wait_for_two),  FORM(join),          FORM(join_until),
                  FORM(lock),      FORM(lock_mine),     FORM(read_lock),     FORM(write_lock),
                  FORM(acquire),   FORM(wait_unheld),   FORM(wait_for_none), FORM(meet),
                  FORM(run_once),  FORM(await),         FORM(select_done),   FORM(receive),
                  FORM(scope),     FORM(next_of_ended), FORM(join_actor),    FORM(blocking) },
  wrong[] = { FORM(sleep_never),      FORM(get_nowhere),       FORM(get_until_nowhere),
              FORM(put_nothing),      FORM(urgent_nowhere),    FORM(many_nowhere),
              FORM(wait_nowhere),     FORM(join_nobody),       FORM(join_oneself),
              FORM(lock_nothing),     FORM(read_nothing),      FORM(acquire_nothing),
              FORM(wait_for_no_cond), FORM(wait_for_no_group), FORM(meet_nowhere),
              FORM(once_nothing),     FORM(await_nothing),     FORM(select_none),
              FORM(no_scope),         FORM(no_retry),          FORM(next_of_none),
              FORM(join_no_actor),    FORM(no_supervision) },
  well[] = { FORM(yield),    FORM(get_late),      FORM(join),          FORM(join_until),
             FORM(lock),     FORM(lock_mine),     FORM(read_lock),     FORM(write_lock),
             FORM(acquire),  FORM(wait_unheld),   FORM(wait_for_none), FORM(meet),
             FORM(run_once), FORM(await),         FORM(select_done),   FORM(receive),
             FORM(scope),    FORM(next_of_ended), FORM(retry) };

static int had_turns; /* of the other task */
static int over;

static pausable void other(void)
{
    while (!over) {
        had_turns++;
        co4_yield();
    }
}

/* Each form in turn, by one task: the other one has to come in between. */
static pausable int all(const struct form *forms, int n, int cancel)
{
    int failed = 0;
    must(co4_mutex_lock(&mine));
    if (cancel)
        co4_task_cancel(co4_self(), 0);
    for (int i = 0; i < n; i++) {
        int calls = 0, turns = had_turns;
        while (had_turns == turns && calls < PLENTY) {
            forms[i].call();
            calls++;
        }
        if (calls == PLENTY) {
            printf("%s does not yield\n", forms[i].name);
            failed++;
        }
    }
    co4_mutex_unlock(&mine);
    over = 1;
    return failed;
}

static pausable int nothing(void)
{
    return 0;
}

static pausable void prepare(void)
{
    int n = 0;
    stopped = co4_task_create(nothing());
    co4_runtime_schedule(NULL, stopped);
    co4_task_join(stopped);
    empty = co4_mailbox_create(sizeof n, 1);
    full = co4_mailbox_create(sizeof n, 1);
    must(co4_mailbox_send_until(full, &n, CO4_NOW));
    co4_inbox_wait_at at;
    full_inbox = co4_inbox_create(sizeof n, 1);
    must(co4_await_until(co4_inbox_sending(&at, full_inbox, &n), NULL, CO4_NOW));
    closed = co4_mailbox_create(sizeof n, 1);
    co4_mailbox_close(closed);
    done = co4_future_create(0);
    co4_future_complete(done, NULL);
    ended = co4_stream_of_mailbox(closed);
    co4_stream_next(ended, &n);
    gone = co4_actor_create(sizeof n, 1, 0);
    co4_actor_spawn(gone, nothing());
    co4_actor_join(gone);
}

static pausable int together(const struct form *forms, int n, int cancel)
{
    over = 0;
    co4_task *t = co4_task_create(all(forms, n, cancel));
    co4_spawn(other());
    co4_runtime_schedule(NULL, t);
    co4_task_join(t);
    co4_task_release(t);
    return 0;
}

static pausable void yields(int *turns)
{
    co4_task_cancel(co4_self(), 0);
    for (int i = 0; i < 10; i++) {
        int before = had_turns;
        co4_yield();
        *turns += had_turns > before;
    }
    over = 1;
}

static pausable int count_yields(void)
{
    int turns = 0;
    over = 0;
    co4_spawn(other());
    co4_yield();
    co4_task *t = co4_task_create(yields(&turns));
    co4_runtime_schedule(NULL, t);
    co4_task_join(t);
    co4_task_release(t);
    return turns;
}

/* ---- two workers ---- */

static atomic_int stop;

static pausable void spin(void)
{
    co4_task_cancel(co4_self(), 0);
    while (!stop)
        co4_yield();
}

static pausable void timer(void)
{
    co4_sleep(CO4_MS);
    stop++;
}

#define COUNT(forms) (int)(sizeof forms / sizeof forms[0])

int main(void)
{
    co4_run(prepare());
    co4_run(together(cancelled, COUNT(cancelled), 1));
    puts("cancelled: all yield");
    co4_run(together(wrong, COUNT(wrong), 0));
    puts("wrong: all yield");
    co4_run(together(well, COUNT(well), 0));
    puts("well: all yield");
    printf("each yield is a turn: %d\n", co4_run(count_yields()));

    co4_runtime *rt = co4_runtime_create(
        &(co4_runtime_options){ .workers = 2, .rescue_after = -1 });
    co4_runtime_start(rt);
    for (int i = 0; i < 2; i++) {
        co4_task *t = co4_task_create(timer());
        co4_task_pin(t, i);
        co4_runtime_schedule(rt, t);
        co4_task_release(t);
        t = co4_task_create(spin());
        co4_task_pin(t, i);
        co4_runtime_schedule(rt, t);
        co4_task_release(t);
    }
    co4_runtime_join(rt);
    co4_runtime_destroy(rt);
    puts("two workers: the timer came");
    co4_stream_destroy(ended);
    co4_mailbox_destroy(closed);
    co4_actor_release(gone);
    co4_future_release(done);
    co4_task_release(stopped);
    co4_mailbox_destroy(empty);
    co4_mailbox_destroy(full);
    co4_inbox_destroy(full_inbox);
    return 0;
}
