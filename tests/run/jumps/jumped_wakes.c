/* jumped_wakes - a run in test mode that a longjmp leaves while a wake is on its way.
 * needs: setjmp
 * modes: woven
 * expect: given back */
#include <co4.h>
#include <co4/sanitizer.h>
#include <co4/test.h>
#include <setjmp.h>
#include <stdio.h>

static jmp_buf back;

#if CO4_ADDRESS_SANITIZER /* frames that the jump skips are lost */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}
#endif

static void jump(void)
{
    longjmp(back, 1);
}

static pausable void takes(co4_mailbox *mb)
{
    int n;
    if (co4_mailbox_receive(mb, &n) == CO4_OK)
        puts("wrong: it went on");
}

static pausable void jumps(co4_mailbox *mb)
{
    int n = 1;
    co4_spawn(takes(mb));
    co4_sleep(CO4_SEC);
    co4_mailbox_send(mb, &n);
    jump();
}

static void leave(co4_mailbox *mb)
{
    if (setjmp(back) == 0)
        co4_run(jumps(mb));
}

static pausable void nothing(void) {}

int main(void)
{
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 1);
    int err = co4_test_begin(&(co4_test_options){ .seed = 3, .late = 1, .late_steps = 3 });
    if (err != CO4_OK)
        printf("begin: %s\n", co4_errname(err));
    leave(mb);
    co4_run(nothing());
    err = co4_test_end(NULL);
    puts(err == CO4_OK ? "given back" : co4_errname(err));
    co4_mailbox_destroy(mb);
    return 0;
}
