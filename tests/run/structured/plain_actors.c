/* plain_actors.c - an actor of a plain build has ended when it is spawned: it gets only the
 * messages that were sent before.
 * expect: took 1, took 2, then closed, and nothing is left to take
 * expect: joined 0, sends closed, and nothing is left to take, end 7 */
#include <co4.h>
#include <stdio.h>

static pausable int takes_two(co4_actor *self)
{
    for (int i = 0, n = 0; i < 2; i++) {
        if (co4_actor_receive(self, &n) != CO4_OK)
            return -1;
        printf("took %d, ", n);
    }
    return 7;
}

static pausable int tries(void)
{
    co4_actor *a = co4_actor_create(sizeof(int), 4, 0);
    if (!a || co4_actor_send(a, &(int){ 1 }) != CO4_OK || co4_actor_send(a, &(int){ 2 }) != CO4_OK)
        return -1;
    if (co4_actor_spawn(a, takes_two(a)) != CO4_OK)
        return -1;
    int err = co4_actor_join(a), n;
    printf("then %s\n", co4_strerror(co4_actor_receive_until(a, &n, CO4_NOW)));
    co4_future *end = co4_actor_end(a);
    int code = 0, sent = co4_actor_send(a, &(int){ 3 });
    int got = co4_future_await(end, &code);
    printf("joined %d, sends %s, end %d\n", err, co4_strerror(sent), got == CO4_OK ? code : got);
    co4_future_release(end);
    co4_actor_release(a);
    return 0;
}

int main(void)
{
    return co4_run(tries()) == 0 ? 0 : 1;
}
