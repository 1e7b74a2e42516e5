/* jumps_scopes.c - a jump over cleanup handlers, computed arrays, scopes with children, a select;
 * in tasks of several workers; a task that is cancelled behind a setjmp.
 * needs: setjmp threads
 * modes: woven forced
 * expect: cleanups 0 1
 * expect: arrays 45 45
 * expect: scope 4, children 3 of 3
 * expect: cancelled 1
 * expect: tasks 4950 */
#include <co4.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

struct guard {
    jmp_buf buf;
};

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static int cleaned;

static void clean(int *n)
{
    cleaned += *n;
}

static pausable int raise_in(struct guard *g, int code, bool pauses)
{
    int held __attribute__((cleanup(clean))) = 1;
    if (pauses)
        wait_for(1);
    if (code != 0)
        longjmp(g->buf, code);
    wait_for(1);
    return held;
}

/* as in C, a jump runs no cleanup handlers */
static pausable int cleanups(void)
{
    struct guard g;
    if (setjmp(g.buf) == 0)
        raise_in(&g, 1, false);
    if (setjmp(g.buf) == 0)
        raise_in(&g, 1, true);
    int before = cleaned;
    raise_in(&g, 0, true);
    printf("cleanups %d %d\n", before, cleaned);
    return 0;
}

static pausable int fill(struct guard *g, int n, bool pauses)
{
    int sum = 0, cells[n];
    for (int i = 0; i < n; i++)
        cells[i] = i;
    if (pauses)
        wait_for(1);
    for (int i = 0; i < n; i++)
        sum += cells[i];
    longjmp(g->buf, sum);
}

static pausable int arrays(bool pauses)
{
    struct guard g;
    int code = setjmp(g.buf);
    return code != 0 ? code : fill(&g, 10, pauses);
}

/* ---- a scope ---- */

static int ended;

static pausable int child(const int *shared)
{
    for (int i = 0; i < 5; i++)
        wait_for(1);
    ended += *shared; /* of a frame that the jump gives up */
    return 0;
}

static pausable int body(struct guard *g, const int *shared)
{
    for (int i = 0; i < 3; i++)
        co4_scope_spawn(co4_scope_here(), child(shared));
    wait_for(1);
    longjmp(g->buf, 4);
}

static pausable int in_scope(struct guard *g)
{
    int shared[2] = { 1, 0 };
    return co4_scope_run(0, body(g, shared));
}

static pausable int scope(void)
{
    struct guard g;
    int code = setjmp(g.buf);
    if (code == 0)
        in_scope(&g);
    printf("scope %d, children %d of 3\n", code, ended);
    return 0;
}

/* ---- cancellation ---- */

static int caught;

static pausable int sleeper(void)
{
    struct guard g;
    if (setjmp(g.buf) == 0 && co4_sleep(1000 * CO4_SEC) != CO4_OK)
        longjmp(g.buf, 1);
    caught++;
    return 0;
}

static pausable int cancelled(void)
{
    co4_task *t = co4_spawn(sleeper());
    co4_sleep(CO4_MS);
    co4_task_cancel(t, 0);
    co4_join(t, NULL);
    printf("cancelled %d\n", caught);
    return 0;
}

/* ---- tasks ---- */

static atomic_int total;

static pausable int deep(struct guard *g, int depth, int code)
{
    if (depth > 0)
        return deep(g, depth - 1, code);
    if (code == 0)
        return 0;
    if (code % 3 == 0)
        wait_for(1);
    longjmp(g->buf, code);
}

static pausable int task(int n)
{
    struct guard g;
    volatile int turns = 0;
    int code = setjmp(g.buf);
    if (turns++ < 20)
        deep(&g, n % 7, n + 1);
    if (code == n + 1)
        atomic_fetch_add(&total, n);
    return 0;
}

static pausable int all(void)
{
    cleanups();
    printf("arrays %d %d\n", arrays(false), arrays(true));
    scope();
    cancelled();
    return 0;
}

int main(void)
{
    co4_run(all());
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 4 });
    co4_runtime_start(rt);
    for (int i = 0; i < 100; i++)
        co4_runtime_spawn(rt, task(i));
    co4_runtime_join(rt);
    co4_runtime_destroy(rt);
    printf("tasks %d\n", atomic_load(&total));
    return 0;
}
