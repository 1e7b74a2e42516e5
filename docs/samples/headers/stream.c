/* stream.c - the lead example of co4/stream.h.
 * modes: woven forced
 * expect: 2 3 5 7 11 13 17 19 23 29 */
#include <co4.h>
#include <stdio.h>

struct entry {
    const char *from;
    int number;
};

static pausable int numbers(int n)
{
    for (int i = 2; i < n; i++)
        co4_gen_yield(&i);
    return n;
}

static pausable int is_prime(void *arg, const void *value)
{
    int n = *(const int *)value;
    (void)arg;
    for (int d = 2; d * d <= n; d++)
        if (n % d == 0)
            return 0;
    return 1;
}

static pausable int look_up(void *db, const void *value, void *out)
{
    *(struct entry *)out = (struct entry){ db, *(const int *)value };
    return CO4_OK;
}

static pausable void work(void *db)
{
    struct entry entry;
    int err;
    co4_stream *s = co4_stream_of(sizeof(int), numbers(100));
    s = co4_stream_filter(s, is_prime, NULL);
    s = co4_stream_map(s, sizeof(struct entry), look_up, db);
    s = co4_stream_take(s, 10);
    while ((err = co4_stream_next(s, &entry)) == CO4_OK)
        printf(entry.number < 29 ? "%d " : "%d\n", entry.number);
    co4_stream_destroy(s);
    if (err != CO4_ECLOSED)
        puts(co4_strerror(err));
}

int main(void)
{
    char db[] = "primes";
    co4_run(work(db));
    return 0;
}
