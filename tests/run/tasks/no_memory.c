/* no_memory.c - every allocation of a woven program made to fail in turn, once and for good: codes,
 * no crash, no leak.
 *
 * The program has all that needs memory: frames taken at entry (pinned locals) and at a pause, wide
 * results, recursion, spawned tasks, mailboxes, a generator. It must end each time, with the right
 * sum or with a code that says why not, and give everything back.
 *
 * modes: woven forced
 * expect: without a failure: 1235, code 0
 * expect: failing once: every run ended, some failed, the last did not
 * expect: failing for good: every run ended, some failed, the last did not */
#include <co4.h>
#include <co4/test.h>
#include <stdio.h>

struct wide {
    int values[10];
};

pausable struct wide make(int n)
{
    struct wide w = { { n, n + 1 } };
    co4_yield();
    return w;
}

pausable int depth(int n)
{
    if (n == 0)
        return co4_yield() == CO4_OK;
    int local = n, *pinned = &local;
    int below = depth(n - 1);
    return below + *pinned;
}

pausable void sender(co4_mailbox *to, int count)
{
    for (int i = 1; i <= count; i++)
        if (co4_mailbox_send(to, &i) != CO4_OK)
            break;
    co4_mailbox_close(to);
}

pausable void squares(int n)
{
    for (int i = 1; i <= n; i++) {
        int square = i * i;
        co4_gen_yield(&square);
    }
}

/* A sum, or a negative code. */
pausable int work(co4_mailbox *mb)
{
    int sum = make(100).values[1] + depth(5), value;
    if (co4_spawn(sender(mb, 10)) == NULL)
        return CO4_ENOMEM;
    int code; /* a sender that ended out of memory closes nothing: do not wait for ever */
    while ((code = co4_mailbox_receive_until(mb, &value, co4_now() + 3600 * CO4_SEC)) == CO4_OK)
        sum += value;
    if (code != CO4_ECLOSED)
        return code;
    co4_gen *g = co4_generate(squares(14));
    if (g == NULL)
        return CO4_ENOMEM;
    while ((code = co4_gen_next(g, &value)) == CO4_OK)
        sum += value;
    co4_gen_destroy(g);
    return code == CO4_ECLOSED ? sum + make(48).values[0] : code;
}

static int run(int *code)
{
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 2);
    if (mb == NULL) {
        *code = CO4_ENOMEM;
        return 0;
    }
    int sum = co4_run(work(mb));
    *code = sum < 0 ? sum : co4_run_error();
    co4_mailbox_close(mb);
    co4_mailbox_destroy(mb);
    return sum;
}

/* Fails the n-th allocation for every n, until none is left to fail. */
static void sweep(const char *how, int sign, int want)
{
    int failed = 0, code = CO4_ENOMEM, sum = 0;
    long left = 0, n;
    for (n = 1; left == 0 && n < 1000; n++) {
        long long frames = co4_test_pool_live(), blocks = co4_test_alloc_live();
        co4_test_fail_alloc(sign * n);
        sum = run(&code);
        left = co4_test_fail_alloc(0);
        if (sign < 0 && left == -1)
            left = 0;
        failed += code != CO4_OK;
        if (co4_test_pool_live() != frames || co4_test_alloc_live() != blocks)
            printf("allocation %ld: leaked %lld frames, %lld blocks\n", n,
                   co4_test_pool_live() - frames, co4_test_alloc_live() - blocks);
        if (code == CO4_OK && sum > want)
            printf("allocation %ld: the sum is %d\n", n, sum);
    }
    printf("%s: every run ended, %s failed, the last %s\n", how, failed > 0 ? "some" : "none",
           code == CO4_OK && sum == want ? "did not" : "did");
}

int main(void)
{
    co4_test_begin(NULL); /* an hour passes at once */
    int code, sum = run(&code);
    printf("without a failure: %d, code %d\n", sum, code);
    sweep("failing once", 1, sum);
    sweep("failing for good", -1, sum);
    co4_test_end(NULL);
    return 0;
}
