/* cleanups_given_up.c - cleanup handlers of activations that end while they are paused: a generator
 * closed, a task that waits for ever, no memory; innermost first, each once, also when a handler
 * uses the library.
 * modes: woven forced
 * flags: -Wno-unused-variable
 * expect: 1 10 2 11
 * expect: closed: (in 2)(in 1)(out)
 * expect: ended by itself: 1 2 (end)
 * expect: waiting: (level 3)(level 2)(level 1)(mailbox) done
 * expect: held 0
 * expect: failing: every one that was made was ended, some failed */
#include <co4.h>
#include <co4/test.h>
#include <stdio.h>

#define AT_END(handler) __attribute__((cleanup(handler)))

static void say(const char **text)
{
    printf("(%s)", *text);
}

static void say_number(int *n)
{
    printf("(in %d)", *n);
}

static pausable void inner(int n)
{
    AT_END(say_number) int a = n;
    int sent = n * 10;
    co4_gen_yield(&a);
    {
        AT_END(say_number) int b = n + 1;
        co4_gen_yield(&sent);
        co4_gen_yield(&b);
        sent++;
        co4_gen_yield(&sent);
    }
    co4_gen_yield(&a);
}

static pausable void outer(void)
{
    AT_END(say) const char *text = "out";
    inner(1);
}

static pausable void twice(void)
{
    AT_END(say) const char *text = "end";
    for (int i = 1; i < 3; i++)
        co4_gen_yield(&i);
}

static void level_ends(int *n)
{
    printf("(level %d)", *n);
}

static void mailbox_ends(co4_mailbox **mb)
{
    int code = co4_mailbox_destroy(*mb);
    printf(code == CO4_OK ? "(mailbox)" : "(mailbox %d)", code);
}

static pausable int level(int n, co4_mailbox *mb)
{
    AT_END(level_ends) int here = n;
    int value = 0;
    if (n < 3)
        return level(n + 1, mb);
    return co4_mailbox_receive(mb, &value);
}

static pausable void waiter(void)
{
    AT_END(mailbox_ends) co4_mailbox *own = co4_mailbox_create(sizeof(int), 1);
    level(1, own);
    printf("never\n");
}

static pausable int start(void)
{
    co4_spawn(waiter());
    co4_yield();
    return 0;
}

static int held;

static void release(int *n)
{
    held -= *n;
}

static pausable int hold(int n)
{
    AT_END(release) int one = 1;
    held++;
    co4_yield();
    {
        AT_END(release) int two = 2;
        held += 2;
        if (n > 0 && hold(n - 1) < 0)
            return -1;
        co4_yield();
    }
    return n;
}

static void failing(void)
{
    int failed = 0, wrong = 0;
    for (long n = 1, left = 0; left == 0; n++) {
        long long frames = co4_test_pool_live();
        co4_test_fail_alloc(n);
        int result = co4_run(hold(4));
        left = co4_test_fail_alloc(0);
        failed += co4_run_error() != CO4_OK;
        wrong += held != 0 || co4_test_pool_live() != frames ||
                 (co4_run_error() == CO4_OK && result != 4);
    }
    printf("failing: %s one that was made was ended, %s failed\n",
           wrong == 0 ? "every" : "not every", failed > 1 ? "some" : "none");
}

int main(void)
{
    int n;
    co4_gen *g = co4_generate(outer());
    for (int i = 0; i < 4 && co4_gen_next(g, &n) == CO4_OK; i++)
        printf(i == 0 ? "%d" : " %d", n);
    printf("\nclosed: ");
    co4_gen_destroy(g);
    printf("\nended by itself: ");
    g = co4_generate(twice());
    while (co4_gen_next(g, &n) == CO4_OK)
        printf("%d ", n);
    co4_gen_destroy(g);
    printf("\nwaiting: ");
    co4_run(start());
    printf(" done\n");
    co4_run(hold(3));
    printf("held %d\n", held);
    failing();
    return 0;
}
