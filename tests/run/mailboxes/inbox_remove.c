/* inbox_remove - the function that says which message is wanted may use the inbox: nothing is
 * lost or got twice, and one that is there all the time is found.
 * modes: woven
 * expect: 1 taken meanwhile, found 7
 * expect: taken by itself, nothing else: there is no message
 * expect: others in front: found 9, left 3
 * expect: by two threads' worth: 1000 each once
 * expect: whatever happens meanwhile: all that stay are looked at */
#include <co4.h>
#include <stdio.h>
#include <stdlib.h>

/* Here it cannot fail. */
static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

static co4_inbox *mb;

static int common(co4_inbox *to, const void *msg, size_t size)
{
    co4_inbox_wait_at at;
    return co4_await_until((co4_inbox_sending)(&at, to, msg, size), NULL, CO4_NOW);
}

static int urgent(co4_inbox *to, const void *msg, size_t size)
{
    co4_inbox_wait_at at;
    return co4_await_until((co4_inbox_sending_urgent)(&at, to, msg, size), NULL, CO4_NOW);
}

static int take(int *out)
{
    return co4_await_until(co4_inbox_source(mb), out, CO4_NOW);
}

static int meanwhile;

static int is_7(void *arg, const void *msg)
{
    int n;
    if ((*(int *)arg)++ == 2) /* two in front go */
        for (int i = 0; i < 2; i++)
            meanwhile += take(&n) == CO4_OK && n == 1;
    return *(const int *)msg == 7;
}

static int takes_it(void *arg, const void *msg)
{
    int n;
    (void)arg;
    if (*(const int *)msg != 7)
        return 0;
    co4_inbox_drain(mb, NULL);
    (void)n;
    return 1;
}

static int urgent_first(void *arg, const void *msg)
{
    int n = 3;
    if ((*(int *)arg)++ == 0)
        for (int i = 0; i < 3; i++)
            must(urgent(mb, &n, sizeof n));
    return *(const int *)msg == 9;
}

static int odd(void *arg, const void *msg)
{
    int n;
    if (*(const int *)msg % 5 == 0 && take(&n) == CO4_OK)
        ((int *)arg)[n]++;
    return *(const int *)msg % 2;
}

static void put(int from, int to)
{
    for (int i = from; i <= to; i++)
        must(common(mb, &i, sizeof i));
}

/* ---- at random: each message has a number of its own ---- */

enum { MOST = 400 };

static enum { GONE, THERE, LOOKED_AT } state[MOST];
static int numbers;
static unsigned lots = 1;

static int below(int n)
{
    lots = lots * 1103515245 + 12345;
    return (int)((lots >> 16) % (unsigned)n);
}

static void come(int (*how)(co4_inbox *to, const void *msg, size_t size))
{
    if (numbers < MOST && how(mb, &numbers, sizeof numbers) == CO4_OK)
        state[numbers++] = THERE;
}

static int is_it(void *arg, const void *msg)
{
    return *(const int *)msg == *(const int *)arg;
}

static void goes(void)
{
    int it = below(numbers + 1), out;
    int there = it < numbers && state[it] != GONE;
    if (co4_inbox_remove(mb, is_it, &it, &out) != (there ? CO4_OK : CO4_EEMPTY))
        abort();
    if (it < numbers)
        state[it] = GONE;
}

static int looks_on(void *arg, const void *msg)
{
    int n = *(const int *)msg, out;
    (void)arg;
    if (state[n] == GONE)
        abort();
    state[n] = LOOKED_AT;
    for (int times = below(4); times > 0; times--)
        switch (below(5)) {
        case 0:
            come(common);
            break;
        case 1:
            come(urgent);
            break;
        case 2:
            if (take(&out) == CO4_OK)
                state[out] = GONE;
            break;
        default:
            goes();
            break;
        }
    return 0;
}

static int at_random(void)
{
    int missed = 0;
    for (int round = 0; round < 2000; round++) {
        mb = co4_inbox_create(sizeof(int), MOST);
        numbers = 0;
        int first = below(round % 50 == 0 ? 200 : 12);
        for (int i = 0; i < first; i++)
            come(below(2) ? common : urgent);
        first = numbers;
        if (co4_inbox_remove(mb, looks_on, NULL, NULL) != CO4_EEMPTY)
            abort();
        for (int i = 0; i < first; i++)
            missed += state[i] == THERE;
        co4_inbox_destroy(mb);
    }
    return missed;
}

int main(void)
{
    static int seen[1001];
    int calls = 0, out = 0, err, all = 0;
    mb = co4_inbox_create(sizeof(int), 1000);
    put(1, 8);
    err = co4_inbox_remove(mb, is_7, &calls, &out);
    printf("%d taken meanwhile, found %d\n", meanwhile, err == CO4_OK ? out : err);
    co4_inbox_drain(mb, NULL);
    put(5, 8);
    printf("taken by itself, nothing else: %s\n",
           co4_inbox_remove(mb, takes_it, NULL, NULL) == CO4_EEMPTY ? "there is no message" : "?");
    put(8, 9);
    calls = 0;
    err = co4_inbox_remove(mb, urgent_first, &calls, &out);
    printf("others in front: found %d, left %d\n", err == CO4_OK ? out : err,
           (int)co4_inbox_len(mb) - 1);
    co4_inbox_drain(mb, NULL);
    put(1, 1000);
    while (co4_inbox_remove(mb, odd, seen, &out) == CO4_OK)
        seen[out]++;
    while (take(&out) == CO4_OK)
        seen[out]++;
    for (int i = 1; i <= 1000; i++)
        all += seen[i] == 1;
    printf("by two threads' worth: %d each once\n", all);
    co4_inbox_destroy(mb);
    int missed = at_random();
    printf("whatever happens meanwhile: %s that stay are looked at\n", missed ? "not all" : "all");
    return 0;
}
