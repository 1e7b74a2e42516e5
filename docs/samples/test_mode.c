/* test_mode.c - a race that one order in some shows, found by its seed and had again.
 * modes: woven forced
 * expect: the money was right in every order
 * expect: an hour later: 3 payments */
#include <co4.h>
#include <co4/test.h>
#include <stdio.h>

struct account {
    co4_mutex lock;
    int balance, payments;
};

static pausable int pay(struct account *a, int amount)
{
    int err = co4_mutex_lock(&a->lock);
    if (err != CO4_OK)
        return err;
    int balance = a->balance;
    co4_sleep(20 * 60 * CO4_SEC); /* represents a bank that takes its time */
    a->balance = balance + amount;
    a->payments++;
    co4_mutex_unlock(&a->lock);
    return CO4_OK;
}

static pausable int all_pay(struct account *a)
{
    for (int i = 1; i <= 3; i++)
        co4_scope_spawn(co4_scope_here(), pay(a, i * 10));
    return CO4_OK;
}

static unsigned long long find_a_wrong_order(unsigned long long seeds)
{
    for (unsigned long long seed = 1; seed <= seeds; seed++) {
        struct account a = { .lock = CO4_MUTEX_INIT };
        co4_test_begin(&(co4_test_options){ .seed = seed, .late = 5, .late_steps = 10 });
        co4_run(co4_scope_run(0, all_pay(&a)));
        co4_test_end(NULL);
        if (a.balance != 60)
            return seed;
    }
    return 0;
}

int main(void)
{
    unsigned long long seed = find_a_wrong_order(200);
    if (seed == 0)
        puts("the money was right in every order");
    else
        printf("seed %llu loses money\n", seed);

    struct account a = { .lock = CO4_MUTEX_INIT };
    co4_test_begin(NULL);
    int64_t began = co4_now();
    co4_run(co4_scope_run(0, all_pay(&a)));
    printf("%s later: %d payments\n", co4_now() - began == 3600 * CO4_SEC ? "an hour" : "?",
           a.payments);
    co4_test_end(NULL);
    return 0;
}
