/* sieve.c - the primes below N: a chain of tasks, each of which lets pass what its primes do not divide.
 *
 *     sieve [N]      50000 when absent */
#include "savina.h"

enum { PRIMES = 100 }; /* of one task; then the next one is started */

static atomic_long primes, last;

static pausable int filter(co4_mailbox *in)
{
    long mine[PRIMES], n, known = 0;
    co4_mailbox *next = NULL;
    co4_task *after = NULL;
    while (co4_mailbox_get(in, &n) == CO4_OK) {
        bool divided = false;
        for (long i = 0; i < known && !divided && mine[i] * mine[i] <= n; i++)
            divided = n % mine[i] == 0;
        if (divided)
            continue;
        if (known < PRIMES) {
            mine[known++] = n;
            primes++;
            last = n;
            continue;
        }
        if (!next) {
            next = made(co4_mailbox_create(sizeof n, 100));
            after = made(co4_task_create(filter(next)));
            must(co4_runtime_schedule(NULL, after), "schedule");
        }
        must(co4_mailbox_put(next, &n), "put");
    }
    if (next) {
        co4_mailbox_close(next);
        must(co4_task_join(after), "join");
        co4_task_release(after);
        co4_mailbox_destroy(next);
    }
    return CO4_OK;
}

static pausable void all(long below)
{
    co4_mailbox *first = made(co4_mailbox_create(sizeof(long), 100));
    co4_task *t = made(co4_task_create(filter(first)));
    must(co4_runtime_schedule(NULL, t), "schedule");
    for (long n = 2; n < below; n++)
        must(co4_mailbox_put(first, &n), "put");
    co4_mailbox_close(first);
    must(co4_task_join(t), "join");
    co4_task_release(t);
    co4_mailbox_destroy(first);
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
    long below = argument(argc, argv, 1, 50000, 0, 2000000), expected = 0, greatest = 0;
    ON_ALL_PROCESSORS(all(below));
    for (long n = 2; n < below; n++)
        if (is_prime(n)) {
            expected++;
            greatest = n;
        }
    printf("%ld primes below %ld, the last is %ld\n", primes, below, last);
    return primes != expected || last != greatest;
}
