/* actor - an account that is asked, and one question that it refuses.
 * modes: woven forced
 * expect: 70 left
 * expect: there is no room
 * expect: closed, with 70 left */
#include <co4.h>
#include <stdio.h>

struct withdrawal {
    int amount;
    co4_reply reply;
};

static pausable int account(co4_actor *self, int balance)
{
    struct withdrawal w;
    while (co4_actor_receive(self, &w) == CO4_OK) {
        if (w.amount > balance) {
            co4_actor_reply_error(self, w.reply, CO4_EFULL);
        } else {
            balance -= w.amount;
            co4_actor_reply(self, w.reply, &balance);
        }
    }
    printf("closed, with %d left\n", balance);
    return CO4_OK;
}

static pausable void withdraw(co4_actor *from, int amount)
{
    struct withdrawal w = { .amount = amount };
    int left, err = co4_actor_ask_until(from, &w, &w.reply, &left, co4_now() + 60 * CO4_SEC);
    if (err == CO4_OK)
        printf("%d left\n", left);
    else
        puts(co4_strerror(err));
}

static pausable int work(void)
{
    co4_actor *a = co4_actor_create(sizeof(struct withdrawal), 10, 0);
    int err = co4_actor_spawn(a, account(a, 100));
    withdraw(a, 30);
    withdraw(a, 80);
    co4_actor_stop(a);
    co4_actor_join(a);
    co4_actor_release(a);
    return err;
}

int main(void)
{
    return co4_run(work()) != CO4_OK;
}
