/* library_calls.c - scopes, retries, once and streams take a call: its arguments have their types,
 * and any expression of the call's type does where the call is evaluated in place.
 * expect: scope: 3 children of two, inner, outer: 5
 * expect: here: the body, the inner one, none
 * expect: by a pointer: 7, in a spawned task: 8, in an expression: 30
 * expect: a scope in a scope: 11
 * expect: once: evaluated 1 time, 0 0 0; fails -7, then 0
 * expect: retry: attempts 1 2 3, then 3; in brackets: 4
 * expect: a retry in a scope: 2; once in a retry: 1
 * expect: stream: 0 1 4 9 */
#include <co4.h>
#include <stdio.h>
#include <string.h>

struct pair {
    int a, b;
};

static int children;

static pausable void child(void)
{
    co4_yield();
    children++;
}

static pausable int helper(void)
{
    return co4_scope_spawn(co4_scope_here(), child());
}

static pausable int inner(const char *name, struct pair p)
{
    co4_scope *here = co4_scope_here();
    co4_yield();
    helper();
    return here == co4_scope_here() ? (int)strlen(name) + p.a * p.b - 6 : -1;
}

static pausable int outer(struct pair *p, double factor)
{
    co4_scope *here = co4_scope_here();
    helper();
    helper();
    int n = co4_scope_run(0, inner("two", (struct pair){ p->a, 4 }));
    return here == co4_scope_here() ? (int)(n * factor) : -1;
}

static pausable int which(const char **text, co4_scope *expected)
{
    *text = co4_scope_here() == expected ? "the body" : "another";
    return CO4_OK;
}

static pausable int body(const char **first, const char **second)
{
    co4_scope *mine = co4_scope_here();
    *first = mine ? "the body" : "none";
    const char *text;
    co4_scope_run(0, which(&text, mine));
    *second = strcmp(text, "another") == 0 ? "the inner one" : text;
    return co4_scope_here() == mine ? CO4_OK : -1;
}

static pausable int number(int n)
{
    co4_yield();
    return n;
}

typedef pausable int numbers_fn(int n);

static int evaluated;

static int once_more(int n)
{
    evaluated++;
    return n;
}

static pausable int tries(int *log, int attempt, int good)
{
    log[attempt - 1] = attempt;
    co4_yield();
    return attempt < good ? CO4_EAGAIN : attempt;
}

static pausable int loads(co4_once *once)
{
    return co4_once_run(once, number(once_more(1)));
}

static const co4_retry at_once = { .attempts = 5 };

static pausable int retries(int good)
{
    int log[5];
    return co4_retry_run(&at_once, tries(log, co4_attempt, good));
}

static pausable void squares(int n)
{
    for (int i = 0; i < n; i++)
        co4_gen_yield(&(int){ i * i });
}

static pausable void work(void)
{
    struct pair p = { 2, 0 };
    int n = co4_scope_run(0, outer(&p, 1.0));
    printf("scope: %d children of two, inner, outer: %d\n", children, n);

    const char *first, *second;
    n = co4_scope_run(CO4_SCOPE_KEEP_GOING, body(&first, &second));
    printf("here: %s, %s, %s\n", first, n == CO4_OK ? second : "?",
           co4_scope_here() ? "a scope" : "none");

    numbers_fn *f = number;
    int by_pointer = co4_scope_run(0, f(7)), spawned = 0;
    (void)!co4_join(co4_spawn(co4_scope_run(0, number(8))), &spawned);
    n = co4_scope_run(0, number(10)) * 2 +
        (co4_scope_run(0, number(1)) ? co4_scope_run(0, f(10)) : 0);
    printf("by a pointer: %d, in a spawned task: %d, in an expression: %d\n", by_pointer, spawned,
           n);
    printf("a scope in a scope: %d\n", co4_scope_run(0, co4_scope_run(0, number(11))));

    co4_once once = CO4_ONCE_INIT, failing = CO4_ONCE_INIT;
    int a = loads(&once), b = co4_once_run(&once, number(once_more(1))), c = loads(&once);
    int fails = co4_once_run(&failing, number(-7)), then = co4_once_run(&failing, number(0));
    printf("once: evaluated %d time, %d %d %d; fails %d, then %d\n", evaluated, a, b, c, fails,
           then);

    int log[5] = { 0 };
    n = co4_retry_run(&at_once, tries(log, co4_attempt, 3));
    printf("retry: attempts %d %d %d, then %d; in brackets: %d\n", log[0], log[1], log[2], n,
           co4_retry_run((&(co4_retry){ .attempts = 9, .delay = 1 }), tries(log, co4_attempt, 4)));
    n = co4_scope_run(0, retries(2));
    co4_once inside = CO4_ONCE_INIT;
    int counted = 0;
    (void)!co4_retry_run(&at_once, co4_once_run(&inside, number(counted++ ? 0 : -1)));
    printf("a retry in a scope: %d; once in a retry: %d\n", n, counted - 1);

    co4_stream *s = co4_stream_of(sizeof(int), squares(4));
    printf("stream:");
    while (co4_stream_next(s, &n) == CO4_OK)
        printf(" %d", n);
    printf("\n");
    co4_stream_destroy(s);
}

int main(void)
{
    co4_run(work());
    return 0;
}
