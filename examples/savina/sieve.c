/* sieve.c - the primes below N: a chain of tasks, each of which lets pass what its primes do not
 * divide.
 *
 *     sieve [N]      50000 when absent */
#include "savina.h"

enum { PRIMES = 100 }; /* of one task; then the next one is started */

static atomic_long primes, last;

/* Numbers that no prime of its own divides go on. */
static pausable int pass(co4_mailbox *in, const long *mine, co4_mailbox *out)
{
    for (long n; co4_mailbox_receive(in, &n) == CO4_OK;) {
        bool divided = false;
        for (long i = 0; i < PRIMES && !divided && mine[i] * mine[i] <= n; i++)
            divided = n % mine[i] == 0;
        if (!divided)
            TRY(co4_mailbox_send(out, &n));
    }
    return co4_mailbox_close(out);
}

struct stage {
    co4_mailbox *in, *out;
    long mine[PRIMES];
};

static pausable int stage(co4_mailbox *in);

static pausable int go_on(const struct stage *s)
{
    TRY(co4_scope_spawn(co4_scope_here(), stage(s->out)));
    return pass(s->in, s->mine, s->out);
}

/* Finds its own primes, then starts the next one and sifts for it. */
static pausable int stage(co4_mailbox *in)
{
    struct stage s = { .in = in };
    long n;
    for (long known = 0; known < PRIMES;) {
        if (co4_mailbox_receive(in, &n) != CO4_OK)
            return CO4_OK;
        bool divided = false;
        for (long i = 0; i < known && !divided && s.mine[i] * s.mine[i] <= n; i++)
            divided = n % s.mine[i] == 0;
        if (divided)
            continue;
        s.mine[known++] = n;
        primes++;
        last = n;
    }
    s.out = co4_mailbox_create(sizeof n, 100);
    if (!s.out)
        return CO4_ENOMEM;
    int err = co4_scope_run(0, go_on(&s));
    co4_mailbox_destroy(s.out);
    return err;
}

struct world {
    long below;
    co4_mailbox *first;
};

static pausable int feed(struct world *w)
{
    TRY(co4_scope_spawn(co4_scope_here(), stage(w->first)));
    for (long n = 2; n < w->below; n++)
        TRY(co4_mailbox_send(w->first, &n));
    return co4_mailbox_close(w->first);
}

static pausable int all(struct world *w)
{
    return co4_scope_run(0, feed(w));
}

static bool is_prime(long n)
{
    for (long i = 2; i * i <= n; i++)
        if (n % i == 0)
            return false;
    return n > 1;
}

int main(int argc, char **argv)
{
    struct world w = { argument(argc, argv, 1, 50000, 3, 2000000),
                       made(co4_mailbox_create(sizeof(long), 100)) };
    long expected = 0, greatest = 0;
    ON_ALL_PROCESSORS(all(&w));
    co4_mailbox_destroy(w.first);
    for (long n = 2; n < w.below; n++)
        if (is_prime(n)) {
            expected++;
            greatest = n;
        }
    printf("%ld primes below %ld, the last is %ld\n", primes, w.below, last);
    return primes != expected || last != greatest;
}
