/* rwlock_order - readers do not pass a writer that waits, and go on when it has gone, whatever has
 * taken it away: its deadline, a cancellation, the end of its co4_run.
 * needs: threads
 * modes: woven forced
 * expect: past a waiting writer: EBUSY, EBUSY
 * expect: its deadline: let in
 * expect: a cancellation: let in
 * expect: its scope: let in
 * expect: the end of its run: let in
 * expect: free again: no error */
#include <co4.h>
#include <stdio.h>
#include <stdlib.h>

/* Here it cannot fail. */
static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

static co4_rwlock rw = CO4_RWLOCK_INIT;

static pausable void holds(co4_mailbox *release)
{
    int n;
    must(co4_rwlock_read(&rw));
    co4_mailbox_receive(release, &n);
    co4_rwlock_unlock(&rw);
}

static pausable void reads(co4_mailbox *release)
{
    int n = 1;
    if (co4_rwlock_read(&rw) != CO4_OK)
        return;
    co4_mailbox_send(release, &n); /* only with us does the first go on */
    co4_rwlock_unlock(&rw);
}

static pausable int writes(int64_t wait)
{
    return co4_rwlock_write_until(&rw, wait == CO4_NEVER ? wait : co4_now() + wait);
}

enum how { DEADLINE, CANCEL, SCOPE };

static pausable int fails(void)
{
    co4_sleep(CO4_MS);
    return CO4_EINVAL;
}

static pausable int body(void)
{
    co4_scope_spawn(co4_scope_here(), fails());
    return writes(CO4_NEVER); /* the failure of the child ends this wait */
}

static pausable int in_scope(void)
{
    return co4_scope_run(0, body());
}

static pausable const char *let_in(enum how how)
{
    co4_mailbox *release = co4_mailbox_create(sizeof(int), 1);
    co4_task *first = co4_task_create(holds(release)), *last = co4_task_create(reads(release)),
             *writer = how == SCOPE ? co4_task_create(in_scope())
                                    : co4_task_create(writes(how == DEADLINE ? CO4_MS : CO4_NEVER));
    co4_runtime_schedule(NULL, first);
    while (co4_rwlock_write_until(&rw, CO4_NOW) == CO4_OK) {
        co4_rwlock_unlock(&rw);
        co4_yield();
    }
    co4_runtime_schedule(NULL, writer);
    while (co4_rwlock_read_until(&rw, CO4_NOW) == CO4_OK) {
        co4_rwlock_unlock(&rw);
        co4_yield();
    }
    if (how == CANCEL)
        printf("past a waiting writer: %s, %s\n",
               co4_errname(co4_rwlock_read_until(&rw, CO4_NOW)) + 4,
               co4_errname(co4_rwlock_write_until(&rw, CO4_NOW)) + 4);
    co4_runtime_schedule(NULL, last);
    co4_yield();
    if (how == CANCEL)
        co4_task_cancel(writer, 0);
    int err = co4_task_join_until(last, co4_now() + 20 * CO4_SEC);
    if (err == CO4_OK) {
        co4_task_join(first);
        co4_task_join(writer);
        co4_mailbox_destroy(release);
    }
    co4_task_release(first);
    co4_task_release(last);
    co4_task_release(writer);
    return err == CO4_OK ? "let in" : "held up";
}

/* The writer waits in a run that ends; the readers are another runtime's. */
static pausable void leaves_writer(co4_runtime *rt)
{
    co4_spawn(writes(CO4_NEVER));
    while (co4_rwlock_read_until(&rw, CO4_NOW) == CO4_OK) {
        co4_rwlock_unlock(&rw);
        co4_yield();
    }
    for (int i = 0; i < 10; i++)
        co4_runtime_run_once(rt); /* the last reader comes behind it */
}

static const char *at_end_of_run(void)
{
    co4_mailbox *release = co4_mailbox_create(sizeof(int), 1);
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = CO4_RUNTIME_EMBEDDED });
    co4_runtime_start(rt);
    co4_runtime_spawn(rt, holds(release));
    for (int i = 0; i < 10; i++)
        co4_runtime_run_once(rt);
    co4_task *last = co4_task_create(reads(release));
    co4_runtime_schedule(rt, last);
    co4_run(leaves_writer(rt));
    for (int i = 0; i < 100; i++)
        co4_runtime_run_once(rt);
    int ended = co4_task_state_of(last) == CO4_TASK_STOPPED;
    co4_task_release(last);
    if (ended) {
        co4_runtime_join(rt);
        co4_runtime_destroy(rt);
        co4_mailbox_destroy(release);
    }
    return ended ? "let in" : "held up";
}

int main(void)
{
    const char *deadline = "", *cancelled = co4_run(let_in(CANCEL)), *scope = "";
    deadline = co4_run(let_in(DEADLINE));
    scope = co4_run(let_in(SCOPE));
    printf("its deadline: %s\na cancellation: %s\nits scope: %s\n", deadline, cancelled, scope);
    printf("the end of its run: %s\n", at_end_of_run());
    printf("free again: %s\n", co4_strerror(co4_rwlock_write_until(&rw, CO4_NOW)));
    return 0;
}
