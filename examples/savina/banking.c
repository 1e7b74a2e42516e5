/* banking.c - tellers move money between accounts; an account is a task, and answers each request
 * before the next one.
 *
 *     banking [ACCOUNTS [TRANSFERS]]      1000 and 50000 when absent */
#include "savina.h"

enum { TELLERS = 20, DEPOSIT = 1000, REFUSED = -100 };

struct request {
    long amount;      /* to add; negative: to take, if there is that much. 0: only ask */
    co4_future *done; /* gets the balance; an error: refused */
};

static pausable int account(co4_mailbox *in)
{
    long balance = DEPOSIT;
    for (struct request r; co4_mailbox_receive(in, &r) == CO4_OK;) {
        if (balance + r.amount < 0) {
            co4_future_fail(r.done, REFUSED);
        } else {
            balance += r.amount;
            co4_future_complete(r.done, &balance);
        }
        co4_future_release(r.done);
    }
    return CO4_OK;
}

static pausable int ask(co4_mailbox *of, long amount, long *balance)
{
    struct request r = { amount, co4_future_create(sizeof(long)) };
    if (!r.done)
        return CO4_ENOMEM;
    co4_future *answer = co4_future_retain(r.done);
    int err = co4_mailbox_send(of, &r);
    if (err == CO4_OK)
        err = co4_future_await(answer, balance);
    else
        co4_future_release(r.done); /* it is still ours */
    co4_future_release(answer);
    return err;
}

struct bank {
    long accounts, transfers;
    co4_mailbox **to;
    long sum;
};

static atomic_long moved, refused;

static pausable int teller(const struct bank *b, unsigned seed, long transfers)
{
    for (long i = 0, balance; i < transfers; i++) {
        long from = random_next(&seed) % b->accounts, to = random_next(&seed) % b->accounts,
             amount = 1 + random_next(&seed) % (DEPOSIT / 2);
        int err = ask(b->to[from], -amount, &balance);
        if (err == REFUSED) {
            refused++;
            continue;
        }
        TRY(err);
        TRY(ask(b->to[to], amount, &balance));
        moved++;
    }
    return CO4_OK;
}

static pausable int business(const struct bank *b)
{
    for (int i = 0; i < TELLERS; i++)
        TRY(co4_scope_spawn(
            co4_scope_here(),
            teller(b, (unsigned)i + 1, b->transfers / TELLERS + (i < b->transfers % TELLERS))));
    return CO4_OK;
}

static pausable int live(struct bank *b)
{
    for (long i = 0; i < b->accounts; i++)
        TRY(co4_scope_spawn(co4_scope_here(), account(b->to[i])));
    TRY(co4_scope_run(0, business(b)));
    for (long i = 0, balance; i < b->accounts; i++) {
        TRY(ask(b->to[i], 0, &balance));
        b->sum += balance;
        co4_mailbox_close(b->to[i]);
    }
    return CO4_OK;
}

static pausable int all(struct bank *b)
{
    return co4_scope_run(0, live(b));
}

int main(int argc, char **argv)
{
    struct bank b = { argument(argc, argv, 1, 1000, 1, 100000),
                      argument(argc, argv, 2, 50000, 0, 10000000), NULL, 0 };
    b.to = made(calloc((size_t)b.accounts, sizeof *b.to));
    for (long i = 0; i < b.accounts; i++)
        b.to[i] = made(co4_mailbox_create(sizeof(struct request), 10));
    ON_ALL_PROCESSORS(all(&b));
    for (long i = 0; i < b.accounts; i++)
        co4_mailbox_destroy(b.to[i]);
    free(b.to);
    printf("%ld transfers, made or refused; %ld in all accounts\n", moved + refused, b.sum);
    return moved + refused != b.transfers || b.sum != b.accounts * DEPOSIT;
}
