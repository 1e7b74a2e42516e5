/* pingpong.c - two tasks that send a ball to and fro. Each call that may pause is marked. */
#include <co4.h>
#include <stdio.h>

typedef CO4_MAILBOX_OF(int) int_mailbox;

pausable void player(const char *name, int_mailbox mine, int_mailbox other)
{
    int ball;
    while (co4_typed_receive(mine, &ball) == CO4_OK) {
        printf("%s %d\n", name, ball);
        if (ball == 0)
            break;
        co4_sleep(400 * CO4_MS);
        ball--;
        co4_typed_send(other, &ball);
    }
    co4_typed_close(other);
}

pausable int play(int_mailbox left, int_mailbox right)
{
    co4_scope *scope = co4_scope_here();
    int first = 10;
    co4_scope_spawn(scope, player("ping", left, right));
    co4_scope_spawn(scope, player("    pong", right, left));
    return co4_typed_send(left, &first); /* the scope waits for both */
}

/* JavaScript calls main(), and it may wait. */
pausable_or_plain int main(void)
{
    int_mailbox left = co4_typed_create(int_mailbox, 1);
    int_mailbox right = co4_typed_create(int_mailbox, 1);
    co4_scope_run(0, play(left, right));
    puts("the ball is down");
    co4_typed_destroy(left);
    co4_typed_destroy(right);
    return 0;
}
