/* blocking_pool - calls that block, on several workers: tasks go on meanwhile, at most as many
 * calls at once as the limit says, first come first served; cancelled tasks wait for the end; what
 * a co4_run leaves behind is waited for; inside a generator the call is made in place; threads come
 * and go.
 * modes: woven forced
 * needs: posix
 * expect: others went on meanwhile
 * expect: not more than 3 at once, all 40 were made
 * expect: in their order
 * expect: cancelled: the call was made, and then the task was cancelled
 * expect: left behind: the call was made
 * expect: inside a generator: 9 on this thread
 * expect: nested: 6
 * expect: arguments: refused
 * expect: no thread is left, nothing is left */
#include <co4.h>
#include <co4/test.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static atomic_int under_way, most, made, released;

static void nap(int ms)
{
    nanosleep(&(struct timespec){ 0, ms * 1000000L }, NULL);
}

/* With threads, until it is released; without them nothing could release it. */
static int wait_for_release(void)
{
    for (int i = 0; i < 5000 && !atomic_load(&released) && co4_blocking_threads() > 0; i++)
        nap(1);
    return 1;
}

static pausable void blocked(int *done)
{
    *done = co4_blocking(wait_for_release());
}

static pausable void meanwhile(void)
{
    int done = 0, turns = 0;
    co4_future *f = co4_async(blocked(&done));
    for (; turns < 100; turns++)
        co4_yield();
    atomic_store(&released, 1);
    co4_future_await(f, NULL);
    co4_future_release(f);
    puts(done && turns == 100 ? "others went on meanwhile" : "nobody went on");
}

static int call(int n)
{
    int now = atomic_fetch_add(&under_way, 1) + 1, was = atomic_load(&most);
    while (now > was && !atomic_compare_exchange_weak(&most, &was, now))
        ;
    nap(2);
    atomic_fetch_sub(&under_way, 1);
    atomic_fetch_add(&made, 1);
    return n;
}

static atomic_int wrong;

static pausable void one(int n)
{
    if (co4_blocking(call(n)) != n)
        atomic_fetch_add(&wrong, 1);
}

static int order[8], norder;

static void note(int n)
{
    if (n == 0)
        nap(20); /* the others line up */
    order[norder++] = n;
}

static pausable void note_later(int n)
{
    co4_blocking(note(n));
}

static pausable void in_order(void)
{
    co4_future *f[8];
    co4_blocking_limit(1);
    for (int i = 0; i < 8; i++) {
        f[i] = co4_async(note_later(i));
        co4_yield();
        co4_yield();
    }
    for (int i = 0; i < 8; i++) {
        co4_future_await(f[i], NULL);
        co4_future_release(f[i]);
    }
    int good = norder == 8;
    for (int i = 0; i < 8; i++)
        good = good && order[i] == i;
    puts(good ? "in their order" : "in disorder");
    co4_blocking_limit(CO4_BLOCKING_THREADS);
}

static int finish(char *text, const char *what)
{
    nap(10);
    strcpy(text, what);
    return 1;
}

static pausable int hear(char *text)
{
    co4_blocking(finish(text, "the call was made"));
    return co4_sleep(50 * CO4_MS); /* longer than a step, also on a slow machine */
}

static pausable void cancelled(void)
{
    char text[32] = "";
    int err = CO4_OK;
    co4_future *f = co4_async(hear(text));
    co4_yield();
    co4_future_cancel(f, 0);
    co4_future_await(f, &err);
    printf("cancelled: %s, and then %s\n", text, co4_strerror(err));
    co4_future_release(f);
}

static char left[32];

static pausable void leave(void)
{
    co4_spawn(hear(left));
    co4_yield();
}

static int square(int n)
{
    return n * n;
}

static pausable void generator(int n)
{
    int result = co4_blocking(square(n));
    co4_gen_yield(&result);
}

static pausable int add(int a, int b)
{
    co4_yield();
    return a + b;
}

static int run_nested(int n)
{
    return co4_run(add(n, n)); /* a thread of the pool is outside tasks */
}

static pausable int nested(void)
{
    return co4_blocking(run_nested(3));
}

static pausable int stop(void)
{
    return co4_blocking_stop();
}

/* Made on a thread of the pool, given back here. */
static co4_future *make(void)
{
    return co4_future_create(4);
}

static pausable void one_made(void)
{
    co4_future_release(co4_blocking(make()));
}

static pausable int many_made(void)
{
    for (int i = 0; i < 20; i++)
        co4_scope_spawn(co4_scope_here(), one_made());
    return CO4_OK;
}

static pausable void borrow(void)
{
    co4_scope_run(0, many_made());
}

int main(void)
{
    long long before = co4_test_pool_live();
    co4_run(meanwhile());

    co4_blocking_limit(3);
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 3 });
    co4_runtime_start(rt);
    for (int i = 0; i < 40; i++)
        co4_runtime_spawn(rt, one(i));
    co4_runtime_join(rt);
    co4_runtime_destroy(rt);
    printf("not more than %d at once, all %d were made\n", most <= 3 && wrong == 0 ? 3 : (int)most,
           (int)made);

    co4_run(in_order());
    co4_run(cancelled());
    co4_run(leave());
    printf("left behind: %s\n", left);
    co4_gen *g = co4_generate(generator(3));
    int nine = 0;
    co4_blocking_stop();
    co4_gen_next(g, &nine);
    printf("inside a generator: %d %s\n", nine,
           co4_blocking_threads() == 0 ? "on this thread" : "elsewhere");
    co4_gen_destroy(g);
    printf("nested: %d\n", co4_run(nested()));
    puts(co4_run(stop()) == CO4_EDEADLK && co4_blocking_limit(0) == CO4_EINVAL
             ? "arguments: refused"
             : "arguments: taken");
    co4_blocking_stop();
    int wrongly = 0;
    for (int i = 0; i < 200; i++) { /* a count right after it is exact: its threads have gone */
        co4_run(borrow());
        co4_blocking_stop();
        for (int k = 0; k < 20; k++)
            wrongly += co4_test_pool_live() != before;
    }
    if (wrongly)
        printf("%d wrong counts after a stop\n", wrongly);
    printf("%s thread is left, %s is left\n", co4_blocking_threads() == 0 ? "no" : "a",
           co4_test_pool_live() == before ? "nothing" : "something");
    return 0;
}
