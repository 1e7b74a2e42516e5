/* errors.c - codes, not surprises.
 * modes: woven forced
 * expect: send to a closed mailbox: CO4_ECLOSED (closed, and nothing is left to take)
 * expect: a mailbox for nothing: CO4_EINVAL
 * expect: a runtime with a task: CO4_EBUSY, then CO4_OK */
#include <co4.h>
#include <stdio.h>

pausable void task(void) {}

int main(void)
{
    int value = 1;
    co4_mailbox *mb = co4_mailbox_create(sizeof value, 1), *bad;
    co4_mailbox_close(mb);
    int code = co4_mailbox_send_until(mb, &value, CO4_NOW);
    printf("send to a closed mailbox: %s (%s)\n", co4_errname(code), co4_strerror(code));
    co4_mailbox_destroy(mb);

    printf("a mailbox for nothing: %s\n", co4_errname(co4_mailbox_make(&bad, 0, 10)));

    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = CO4_RUNTIME_EMBEDDED });
    co4_runtime_start(rt);
    co4_runtime_spawn(rt, task());
    printf("a runtime with a task: %s", co4_errname(co4_runtime_destroy(rt)));
    co4_runtime_join(rt);
    printf(", then %s\n", co4_errname(co4_runtime_destroy(rt)));
}
