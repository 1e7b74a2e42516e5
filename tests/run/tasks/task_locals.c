/* task_locals - values that each task has for itself, through calls and pauses, and what becomes of
 * them at its end.
 * modes: woven forced
 * expect: outside: -2010 (nil)
 * expect: wrong: -2002
 * expect: a1 a2 b1 b2: own
 * expect: c: set again, nobody destroyed
 * expect: destroyed: 5 */
#include <co4.h>
#include <stdio.h>
#include <stdlib.h>

/* Here it cannot fail. */
static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

static int destroyed;

static void destroy(void *value)
{
    destroyed++;
    free(value);
}

static const co4_task_local name = CO4_TASK_LOCAL(destroy), count = CO4_TASK_LOCAL(NULL),
                            more = CO4_TASK_LOCAL(destroy);

static char *text(const char *from)
{
    char *to = malloc(3);
    to[0] = from[0];
    to[1] = from[0] ? from[1] : 0;
    to[2] = 0;
    return to;
}

static pausable bool deeper(const char *mine, int n)
{
    co4_yield();
    const char *got = co4_task_local_get(&name);
    if (!got || got[0] != mine[0] || got[1] != mine[1])
        return false;
    return n == 0 || deeper(mine, n - 1);
}

static pausable void one(const char *mine, int *own)
{
    if (co4_task_local_get(&name) != NULL)
        return;
    must(co4_task_local_set(&name, text(mine)));
    must(co4_task_local_set(&count, own));
    *own += deeper(mine, 4) && co4_task_local_get(&count) == own &&
            co4_task_local_get(&more) == NULL;
}

static pausable int two(void)
{
    int own = 0;
    one("a1", &own);
    co4_spawn(one("b1", &own));
    co4_spawn(one("b2", &own));
    for (int i = 0; i < 50; i++)
        co4_yield();
    return own;
}

static pausable void again(void)
{
    char *old = text("c1");
    must(co4_task_local_set(&more, old));
    co4_yield();
    must(co4_task_local_set(&more, text("c2")));
    printf("c: set again, %s destroyed\n", destroyed == 3 ? "nobody" : "somebody");
    free(old);
    must(co4_task_local_set(&name, text("c3")));
    must(co4_task_local_set(&count, NULL));
}

int main(void)
{
    printf("outside: %d %s\n", co4_task_local_set(&name, NULL),
           co4_task_local_get(&name) ? "something" : "(nil)");
    printf("wrong: %d\n", co4_task_local_set(NULL, NULL));
    printf("a1 a2 b1 b2: %s\n", co4_run(two()) == 3 ? "own" : "not own");
    co4_run(again());
    printf("destroyed: %d\n", destroyed);
    return 0;
}
