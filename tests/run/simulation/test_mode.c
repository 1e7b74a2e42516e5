/* test_mode.c - a program of every kind of wait, simulated: the same seed makes the same run, byte
 * for byte.
 * modes: woven forced
 * expect: the same seed: the same
 * expect: other seeds: all others, each as good
 * expect: late wakes and stalls: the same seed the same, others differ
 * expect: without a seed: first come, first served
 * expect: a runtime of four: the same, then another
 * expect: two hours pass
 * expect: nothing can come: CO4_EDEADLK, CO4_EDEADLK
 * expect: codes: CO4_ESTATE CO4_ESTATE CO4_EINVAL CO4_ESTATE
 * expect: nothing is left */
#include <co4.h>
#include <co4/test.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Here it cannot fail. */
static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

#define PEOPLE 6
#define ROUNDS 5

/* ---- the program ---- */

struct town {
    co4_mailbox *letters, *parcels;
    co4_mailbox *meeting;
    co4_mutex lock;
    co4_sem seats;
    co4_cond bell;
    co4_barrier gate;
    int rings, sum, late;
    unsigned met, cases;
};

static pausable int person(struct town *town, int self)
{
    for (int i = 0; i < ROUNDS; i++) {
        int n = self * 100 + i;
        if (i % 2)
            co4_sleep((self % 3 + 1) * CO4_MS);
        co4_mailbox_send(self % 2 ? town->letters : town->parcels, &n);
        must(co4_mutex_lock(&town->lock));
        int rings = town->rings;
        co4_yield();
        town->rings = rings + 1;
        co4_cond_broadcast(&town->bell);
        co4_mutex_unlock(&town->lock);
        if (co4_sem_acquire_until(&town->seats, co4_now() + CO4_MS) == CO4_OK) {
            co4_yield();
            co4_sem_release(&town->seats);
        } else {
            town->late++;
        }
    }
    co4_barrier_wait(&town->gate);
    co4_mailbox_send(town->meeting, &self);
    return CO4_OK;
}

static pausable int postman(struct town *town)
{
    for (int n, i = 0; i < PEOPLE * ROUNDS;) {
        co4_case cases[] = { CO4_CASE(co4_mailbox_source(town->letters), &n),
                             CO4_CASE(co4_mailbox_source(town->parcels), &n) };
        int chosen = co4_select_until(cases, 2, 0, co4_now() + CO4_MS / 2);
        if (chosen < 0)
            continue;
        town->cases = town->cases * 3 + (unsigned)chosen;
        town->sum += n;
        i++;
    }
    return CO4_OK;
}

static pausable int listener(struct town *town)
{
    must(co4_mutex_lock(&town->lock));
    while (town->rings < PEOPLE * ROUNDS)
        must(co4_cond_wait(&town->bell, &town->lock));
    co4_mutex_unlock(&town->lock);
    return CO4_OK;
}

static pausable int host(struct town *town)
{
    for (int i = 0, who; i < PEOPLE; i++) {
        co4_mailbox_receive(town->meeting, &who);
        town->met = town->met * 7 + (unsigned)who;
    }
    return CO4_OK;
}

static pausable int live(struct town *town)
{
    co4_scope *scope = co4_scope_here();
    co4_scope_spawn(scope, postman(town));
    co4_scope_spawn(scope, listener(town));
    co4_scope_spawn(scope, host(town));
    for (int i = 0; i < PEOPLE; i++)
        co4_scope_spawn(scope, person(town, i));
    return CO4_OK;
}

static pausable int day(struct town *town)
{
    co4_future *all = co4_async(co4_scope_run(0, live(town)));
    int outcome = -1;
    co4_future_await(all, &outcome);
    co4_future_release(all);
    return outcome;
}

static int town_begin(struct town *town)
{
    *town = (struct town){ co4_mailbox_create(sizeof(int), 2),
                           co4_mailbox_create(sizeof(int), 1),
                           co4_mailbox_create(sizeof(int), 0),
                           CO4_MUTEX_INIT,
                           CO4_SEM_INIT(2),
                           CO4_COND_INIT,
                           CO4_BARRIER_INIT(PEOPLE),
                           0,
                           0,
                           0,
                           0,
                           0 };
    return town->letters && town->parcels && town->meeting;
}

/* Has to be true in any order. */
static void town_end(struct town *town)
{
    int sum = 0;
    for (int i = 0; i < PEOPLE; i++)
        for (int k = 0; k < ROUNDS; k++)
            sum += i * 100 + k;
    if (town->sum != sum || town->rings != PEOPLE * ROUNDS)
        printf("wrong: sum %d, rings %d\n", town->sum, town->rings);
    co4_mailbox_destroy(town->letters);
    co4_mailbox_destroy(town->parcels);
    co4_mailbox_destroy(town->meeting);
}

/* ---- runs of it ---- */

struct run {
    char *text;
    size_t n, room;
    co4_test_result result;
};

static int keep(void *data, const char *text, size_t n)
{
    struct run *r = data;
    if (r->n + n + 1 > r->room) {
        r->room = 2 * (r->n + n + 1);
        r->text = realloc(r->text, r->room);
    }
    memcpy(r->text + r->n, text, n);
    r->n += n;
    r->text[r->n] = '\0';
    return CO4_OK;
}

static struct run run_once(co4_test_options o, int workers)
{
    struct run r = { 0 };
    struct town town;
    o.trace = keep;
    o.trace_data = &r;
    if (co4_test_begin(&o) != CO4_OK || !town_begin(&town))
        exit(1);
    if (workers == 0) {
        if (co4_run(day(&town)) != CO4_OK)
            puts("wrong: the day");
    } else {
        co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = workers });
        co4_runtime_start(rt);
        co4_runtime_spawn(rt, day(&town));
        if (co4_runtime_join(rt) != CO4_OK || co4_runtime_destroy(rt) != CO4_OK)
            puts("wrong: the runtime");
    }
    town_end(&town);
    if (co4_test_end(&r.result) != CO4_OK)
        puts("wrong: the end");
    return r;
}

static int same(struct run a, struct run b)
{
    int text = a.n == b.n && memcmp(a.text, b.text, a.n) == 0;
    if (text != (a.result.digest == b.result.digest))
        puts("wrong: digest");
    if (a.n == 0)
        puts("wrong: no trace");
    free(a.text);
    free(b.text);
    return text;
}

static void repeat(void)
{
    co4_test_options o = { .seed = 7 };
    printf("the same seed: %s\n", same(run_once(o, 0), run_once(o, 0)) ? "the same" : "differs");
    int different = 0;
    for (unsigned seed = 1; seed <= 20; seed++)
        different += !same(run_once((co4_test_options){ .seed = seed }, 0),
                           run_once((co4_test_options){ .seed = seed + 1 }, 0));
    printf("other seeds: %s\n", different == 20 ? "all others, each as good" : "?");
}

/* Returns whether each worker is stalled for at most so many steps. */
static int stalls_are_short(const char *trace, unsigned most)
{
    static const char what[] = "stalled ";
    int good = 1, longer = 0;
    for (const char *at = trace; (at = strstr(at, what)) != NULL; at++) {
        unsigned long long steps = strtoull(at + sizeof what - 1, NULL, 10);
        good &= steps >= 1 && steps <= most;
        longer |= steps > 1;
    }
    return good && longer;
}

static void faults(void)
{
    co4_test_options o = {
        .seed = 3, .late = 4, .late_steps = 12, .stall = 9, .stall_steps = 30, .step_ns = 1000
    };
    struct run a = run_once(o, 3);
    int hit = a.result.late > 0 && a.result.stalls > 0 && stalls_are_short(a.text, o.stall_steps);
    int again = same(a, run_once(o, 3)) && hit;
    o.seed = 4;
    struct run b = run_once(o, 3);
    o.seed = 5;
    printf("late wakes and stalls: the same seed %s, others %s\n", again ? "the same" : "differs",
           same(b, run_once(o, 3)) ? "do not differ" : "differ");
    o = (co4_test_options){ 0 };
    printf("without a seed: %s\n",
           same(run_once(o, 0), run_once(o, 0)) ? "first come, first served" : "differs");
    o.seed = 11;
    again = same(run_once(o, 4), run_once(o, 4));
    a = run_once(o, 4);
    o.seed = 12;
    printf("a runtime of four: %s\n",
           again && !same(a, run_once(o, 4)) ? "the same, then another" : "?");
}

/* ---- the clock, and what cannot be ---- */

static pausable void two_hours(void)
{
    int64_t began = co4_now();
    co4_sleep(3600 * CO4_SEC);
    co4_sleep(3600 * CO4_SEC);
    puts(co4_now() - began == 7200 * CO4_SEC && began == 5 ? "two hours pass" : "time is wrong");
}

static pausable int wait_for_nothing(co4_mailbox *mb)
{
    int n;
    return co4_mailbox_receive(mb, &n);
}

int main(void)
{
    long long pool = co4_test_pool_live(), alloc = co4_test_alloc_live();
    repeat();
    faults();

    co4_test_options from_five = { .start = 5 };
    co4_test_begin(&from_five);
    co4_run(two_hours());

    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 1);
    int n;
    co4_run(wait_for_nothing(mb));
    printf("nothing can come: %s, ", co4_errname(co4_run_error()));
    printf("%s\n", co4_errname(co4_block(co4_mailbox_receive(mb, &n))));
    if (co4_block(co4_mailbox_receive_until(mb, &n, co4_now() + 3600 * CO4_SEC)) != CO4_ETIMEDOUT)
        puts("wrong: no end of it");
    co4_mailbox_destroy(mb);

    printf("codes: %s", co4_errname(co4_test_begin(NULL)));
    co4_test_end(NULL);
    printf(" %s", co4_errname(co4_test_end(NULL)));
    printf(" %s", co4_errname(co4_test_begin(&(co4_test_options){ .start = -1 })));
    printf(" %s\n", co4_errname(co4_test_result_of(NULL, &(co4_test_result){ 0 })));
    if (co4_test_pool_live() == pool && co4_test_alloc_live() == alloc)
        puts("nothing is left");
}
