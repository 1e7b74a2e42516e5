/* barber.c - a sleeping barber, a waiting room with few chairs, customers that come back when it is
 * full.
 *
 *     barber [CUSTOMERS [CHAIRS]]      5000 and 100 when absent */
#include "savina.h"

struct shop {
    long customers;
    co4_mailbox *room; /* of futures: completed when the hair is cut */
};

static atomic_long cut, came_back;

static pausable int barber(const struct shop *s)
{
    for (co4_future *customer; co4_mailbox_receive(s->room, &customer) == CO4_OK;) {
        co4_yield();
        cut++;
        TRY(co4_future_complete(customer, NULL));
        co4_future_release(customer);
    }
    return CO4_OK;
}

static pausable int customer(const struct shop *s)
{
    co4_future *done = co4_future_create(0);
    if (!done)
        return CO4_ENOMEM;
    co4_future_retain(done); /* the barber's */
    int err;
    while ((err = co4_mailbox_send_until(s->room, &done, CO4_NOW)) == CO4_EFULL) {
        came_back++;
        if ((err = co4_sleep(CO4_MS)) != CO4_OK)
            break;
    }
    if (err == CO4_OK)
        err = co4_future_await(done, NULL);
    else
        co4_future_release(done); /* it has not come to him */
    co4_future_release(done);
    return err;
}

static pausable int come(const struct shop *s)
{
    for (long i = 0; i < s->customers; i++)
        TRY(co4_scope_spawn(co4_scope_here(), customer(s)));
    return CO4_OK;
}

static pausable int day(struct shop *s)
{
    TRY(co4_scope_spawn(co4_scope_here(), barber(s)));
    TRY(co4_scope_run(0, come(s)));
    return co4_mailbox_close(s->room);
}

static pausable int all(struct shop *s)
{
    return co4_scope_run(0, day(s));
}

int main(int argc, char **argv)
{
    struct shop s = { argument(argc, argv, 1, 5000, 0, 1000000),
                      made(co4_mailbox_create(sizeof(co4_future *),
                                              (size_t)argument(argc, argv, 2, 100, 1, 100000))) };
    ON_ALL_PROCESSORS(all(&s));
    co4_mailbox_destroy(s.room);
    printf("%ld haircuts\n", cut);
    fprintf(stderr, "the room was full %ld times\n", came_back);
    return cut != s.customers;
}
