/* run_jumps - runs that a longjmp leaves are found and released: their numbers, their tasks, the
 * places where these waited.
 * needs: threads
 * modes: woven
 * expect: 70000 jumps, in none of them a run was lost
 * expect: 105000 jumps out of three places in one function, none was lost
 * expect: outside: no task, a thread may block: no message for nobody 5
 * expect: ended: 0 ready, 0 sleeping, 0 selecting
 * expect: joiner elsewhere: the task was cancelled
 * expect: nested: 2 jumps over 3 runs, then 42
 * expect: in a task: itself, it goes on
 * expect: a call that blocks has ended before its run is given back: yes, in test mode: yes
 * expect: a thread that ended
 * expect: nothing is left: 0 */
#include <co4.h>
#include <co4/sanitizer.h>
#include <co4/test.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Here it cannot fail. */
static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

#if CO4_ADDRESS_SANITIZER /* frames that the jump skips are lost, with their memory */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}
#endif

static jmp_buf back;
static atomic_int ready_ran, slept, selected;

static int jump(int n)
{
    longjmp(back, n);
}

static pausable int jumps(int n)
{
    if (n % 2)
        co4_yield();
    return jump(1);
}

static pausable int jumps_too(int n)
{
    return jumps(n);
}

static pausable int jumps_as_well(int n)
{
    co4_yield();
    return jump(n);
}

static pausable void ready(void)
{
    co4_yield();
    ready_ran++;
}

static pausable void sleeps(void)
{
    if (co4_sleep(3600 * CO4_SEC) == CO4_OK)
        slept++;
}

static pausable void selects(co4_mailbox *mb)
{
    int n;
    co4_case cases[] = { CO4_CASE(co4_mailbox_source(mb), &n) };
    if (co4_select(cases, 1) == 0)
        selected++;
}

static pausable int with_tasks(co4_mailbox *mb, co4_task **kept)
{
    co4_spawn(sleeps());
    co4_spawn(selects(mb));
    *kept = co4_task_create(sleeps());
    co4_runtime_schedule(NULL, *kept);
    co4_yield();
    co4_yield();
    co4_spawn(ready());
    return jump(1);
}

static pausable int inside(int depth);

static int plain(int depth)
{
    return co4_run(inside(depth));
}

static pausable int inside(int depth)
{
    co4_yield();
    return depth > 0 ? plain(depth - 1) : jump(1);
}

static int try_nested(int depth)
{
    return setjmp(back) == 0 ? plain(depth) : -1;
}

static pausable int forty_two(void)
{
    co4_yield();
    return 42;
}

static int guarded(void)
{
    return setjmp(back) == 0 ? plain(1) : 0;
}

/* The jump is caught inside a task, which has waits of its own afterwards. */
static pausable int catches(co4_mailbox *mb)
{
    co4_task *before = co4_self();
    int n, one = 1;
    co4_case cases[] = { CO4_CASE(co4_mailbox_source(mb), &n) };
    guarded();
    must(co4_mailbox_send_until(mb, &one, CO4_NOW));
    if (co4_self() != before || co4_select(cases, 1) != 0)
        return 0;
    guarded();
    co4_yield();
    return co4_self() == before;
}

static atomic_int naps_begun, naps_over;

static int naps(void)
{
    naps_begun++;
    usleep(30000);
    naps_over++;
    return 0;
}

static pausable void waits_for_nap(void)
{
    int err = co4_blocking(naps());
    (void)err; /* no task gets it */
}

static pausable int with_call(void)
{
    int before = naps_begun;
    co4_spawn(waits_for_nap());
    while (naps_begun == before)
        co4_yield();
    return jump(1);
}

static void leave_a_call(void)
{
    if (setjmp(back) == 0)
        co4_run(with_call());
}

static void *thread(void *arg)
{
    if (setjmp(*(jmp_buf *)arg) == 0)
        co4_run(jumps(1));
    return NULL;
}

static pausable int nothing(void)
{
    return 0;
}

int main(void)
{
    long long pool;
    volatile int left = 0;
    co4_task *kept;
    volatile int jumps_caught = 0;
    int n = 5;
    co4_mailbox *mb = co4_mailbox_create(sizeof n, 1);
    for (volatile int i = 0; i < 70000; i++)
        if (setjmp(back) == 0)
            left += co4_run(jumps(i)) == CO4_ENOMEM;
    if (left == 0 && co4_run(nothing()) == 0)
        puts("70000 jumps, in none of them a run was lost");
    for (volatile int i = 0; i < 35000; i++) {
        if (setjmp(back) == 0)
            left += co4_run(jumps(i)) == CO4_ENOMEM;
        if (setjmp(back) == 0)
            left += co4_run(jumps_too(i)) == CO4_ENOMEM;
        if (setjmp(back) == 0)
            left += co4_run(jumps_as_well(i + 1)) == CO4_ENOMEM;
    }
    if (left == 0)
        puts("105000 jumps out of three places in one function, none was lost");
    co4_run(nothing());
    pool = co4_test_pool_live();

    if (setjmp(back) == 0)
        co4_run(with_tasks(mb, &kept));
    printf("outside: %s, ", co4_self() ? "a task" : "no task");
    co4_run(nothing()); /* releases the rest */
    must(co4_mailbox_send_until(mb, &n, CO4_NOW));
    n = 0;
    int err = co4_block(co4_mailbox_receive(mb, &n));
    printf("%s: no message for nobody %d\n", err == CO4_OK ? "a thread may block" : "?", n);
    printf("ended: %d ready, %d sleeping, %d selecting\n", ready_ran, slept, selected);
    printf("joiner elsewhere: %s\n", co4_strerror(co4_block(co4_task_join(kept))));
    co4_task_release(kept);

    for (int i = 0; i < 2; i++)
        jumps_caught += try_nested(2) == -1;
    printf("nested: %d jumps over 3 runs, then %d\n", jumps_caught, co4_run(forty_two()));
    printf("in a task: %s\n", co4_run(catches(mb)) ? "itself, it goes on" : "another");

    leave_a_call();
    co4_run(nothing()); /* gives it back */
    printf("a call that blocks has ended before its run is given back: %s",
           naps_over == 1 ? "yes" : "no");
    must(co4_test_begin(NULL));
    leave_a_call();
    co4_run(nothing());
    printf(", in test mode: %s\n", naps_over == 2 ? "yes" : "no");
    must(co4_test_end(NULL));

    pthread_t t;
    pthread_create(&t, NULL, thread, &back);
    pthread_join(t, NULL);
    puts("a thread that ended");
    co4_run(nothing());
    co4_mailbox_destroy(mb);
    long long now = co4_test_pool_live();
    printf("nothing is left: %d\n", now > pool + 30); /* but frames of the functions that jumped */
    return 0;
}
