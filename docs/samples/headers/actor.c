/* actor.c - the lead example of co4/actor.h.
 * modes: woven forced
 * expect: the sum is 5, no error */
#include <co4.h>
#include <stdio.h>

struct request {
    int add;
    co4_reply reply;
};

static pausable int counter(co4_actor *self)
{
    struct request r;
    int sum = 0, err;
    while ((err = co4_actor_receive(self, &r)) == CO4_OK) {
        sum += r.add;
        co4_actor_reply(self, r.reply, &sum);
    }
    return err == CO4_ECLOSED ? CO4_OK : err;
}

static pausable void work(void)
{
    co4_actor *a = co4_actor_create(sizeof(struct request), 100, 0);
    co4_actor_spawn(a, counter(a));
    struct request r = { .add = 5 };
    int sum, err = co4_actor_ask_until(a, &r, &r.reply, &sum, co4_now() + CO4_SEC);
    printf("the sum is %d, %s\n", err == CO4_OK ? sum : 0, co4_strerror(err));
    co4_actor_stop(a);
    co4_actor_join(a);
    co4_actor_release(a);
}

int main(void)
{
    co4_run(work());
    return 0;
}
