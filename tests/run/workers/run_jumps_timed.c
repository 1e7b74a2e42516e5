/* run_jumps_timed - a task that a longjmp has brought out of a run waits with a time limit.
 * needs: threads
 * modes: woven
 * expect: slept
 * expect: nothing came: CO4_ETIMEDOUT
 * expect: from two runs: slept
 * expect: came: 7 */
#include <co4.h>
#include <co4/sanitizer.h>
#include <setjmp.h>
#include <stdio.h>

#if CO4_ADDRESS_SANITIZER /* frames that the jump skips are lost, with their memory */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}
#endif

static jmp_buf back;

static void jump(void)
{
    longjmp(back, 1);
}

static pausable void jumps(int paused)
{
    if (paused)
        co4_yield();
    jump();
}

static void leave(int paused)
{
    if (setjmp(back) == 0)
        co4_run(jumps(paused));
}

static void leave_inner(void)
{
    co4_run(jumps(1));
}

static pausable void inner(void)
{
    co4_yield();
    leave_inner();
}

static void leave_two(void)
{
    if (setjmp(back) == 0)
        co4_run(inner());
}

static pausable void send(co4_mailbox *to)
{
    int n = 7;
    co4_sleep(2 * CO4_MS);
    co4_mailbox_send(to, &n);
}

static pausable void all(void)
{
    int n = 0;
    co4_mailbox *m = co4_mailbox_create(sizeof(int), 1);
    leave(1);
    co4_sleep(CO4_MS);
    puts("slept");
    leave(0);
    int err = co4_mailbox_receive_until(m, &n, co4_now() + CO4_MS);
    printf("nothing came: %s\n", co4_errname(err));
    leave_two();
    co4_sleep(CO4_MS);
    puts("from two runs: slept");
    co4_spawn(send(m));
    leave(1);
    co4_mailbox_receive_until(m, &n, co4_now() + 10 * CO4_SEC);
    printf("came: %d\n", n);
    co4_mailbox_destroy(m);
}

int main(void)
{
    co4_run(all());
    return 0;
}
