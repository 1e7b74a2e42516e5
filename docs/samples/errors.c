/* errors.c - codes, not surprises.
 * modes: woven forced
 * expect: send to a closed mailbox: CO4_ECLOSED (closed, and nothing is left to take)
 * expect: a mailbox for nothing: NULL
 * expect: a runtime with a task: CO4_EBUSY, then CO4_OK
 * expect: SHOP_SOLD_OUT: nothing is left */
#include <co4.h>
#include <stdio.h>

pausable void task(void) {}

static const co4_error_text texts[] = { { -3000, "SHOP_CLOSED", "the shop is closed" },
                                        { -3001, "SHOP_SOLD_OUT", "nothing is left" } };
static co4_error_texts mine = { texts, 2, { NULL } };

static void own_codes(void)
{
    co4_error_add(&mine);
    printf("%s: %s\n", co4_errname(-3001), co4_strerror(-3001));
}

int main(void)
{
    int value = 1;
    co4_mailbox *mb = co4_mailbox_create(sizeof value, 1), *bad;
    co4_mailbox_close(mb);
    int code = co4_mailbox_send_until(mb, &value, CO4_NOW);
    printf("send to a closed mailbox: %s (%s)\n", co4_errname(code), co4_strerror(code));
    co4_mailbox_destroy(mb);

    bad = co4_mailbox_create(0, 10);
    printf("a mailbox for nothing: %s\n", bad ? "made" : "NULL");

    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = CO4_RUNTIME_EMBEDDED });
    co4_runtime_start(rt);
    co4_runtime_spawn(rt, task());
    printf("a runtime with a task: %s", co4_errname(co4_runtime_destroy(rt)));
    co4_runtime_join(rt);
    printf(", then %s\n", co4_errname(co4_runtime_destroy(rt)));
    own_codes();
}
