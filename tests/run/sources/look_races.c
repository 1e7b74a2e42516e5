/* look_races - tasks that look and tasks that do not, and a thread, put and get at one mailbox and
 * meet at a channel; some stop waiting at a deadline, some are cancelled. Each message comes once,
 * and none that waits is forgotten.
 * modes: woven forced
 * needs: threads workers
 * expect: a mailbox: all came once, with the sum 1279200
 * expect: a channel: all came once, with the sum 179700
 * expect: two look at it, one wants it: 7, no error; the other: there is no message */
#include <co4.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PUTTERS = 4, MOST = 1600, MEET = 600 };

static co4_mailbox *mb, *never;
static atomic_int came[MOST], putting, wrong;
static atomic_long sum;

static int any(void *arg, const void *value)
{
    (void)arg;
    (void)value;
    return 1;
}

static int is_kind(void *arg, const void *value)
{
    return *(const int *)value % 2 == *(const int *)arg;
}

static int plus_one(void *arg, const void *in, void *out)
{
    (void)arg;
    *(int *)out = *(const int *)in + 1;
    return CO4_OK;
}

static int nothing(void *arg, const void *in, void *out)
{
    (void)arg;
    (void)in;
    (void)out;
    return CO4_OK;
}

static void took(int n)
{
    if (atomic_fetch_add(&came[n], 1) != 0)
        atomic_fetch_add(&wrong, 1);
    atomic_fetch_add(&sum, n);
}

/* ---- putting ---- */

static pausable int put_looking(int n)
{
    co4_sending p;
    co4_filtering f;
    co4_mapping m;
    co4_source *s = co4_source_filter(&f, co4_mailbox_sending(&p, mb, &n), any, NULL);
    return co4_await(co4_source_map(&m, s, 0, NULL, nothing, NULL), NULL);
}

/* As one of a race, of which the other cannot happen. */
static pausable int put_in_race(int n)
{
    co4_sending p;
    co4_racing race;
    co4_mapping m;
    co4_racer racers[] = { { .source = co4_mailbox_sending(&p, mb, &n) },
                           { .source = co4_mailbox_source(never) } };
    co4_source *s = co4_source_race(&race, racers, 2);
    return co4_await(co4_source_map(&m, s, 0, NULL, nothing, NULL), NULL);
}

/* Tries until a deadline lets it. */
static pausable int put_in_time(int n)
{
    int err;
    do {
        co4_sending p;
        co4_mapping m;
        co4_source *s = co4_source_map(&m, co4_mailbox_sending(&p, mb, &n), 0, NULL, nothing, NULL);
        err = co4_await_until(s, NULL, co4_now() + 20 * CO4_US);
    } while (err == CO4_ETIMEDOUT);
    return err;
}

static pausable void putter(int self, int each)
{
    for (int i = 0; i < each; i++) {
        int n = i * PUTTERS + self;
        int err = self % 2 == 0        ? co4_mailbox_send(mb, &n)
                  : self == 1 && i % 2 ? put_looking(n)
                  : self == 1          ? put_in_race(n)
                                       : put_in_time(n);
        if (err != CO4_OK)
            atomic_fetch_add(&wrong, 1);
    }
    if (atomic_fetch_sub(&putting, 1) == 1)
        co4_mailbox_close(mb);
}

/* ---- getting ---- */

static pausable void get_plain(void)
{
    int n;
    while (co4_mailbox_receive(mb, &n) == CO4_OK)
        took(n);
}

static pausable void get_kind(int kind, int64_t patience)
{
    for (;;) {
        int n, other, buffer;
        co4_filtering f;
        co4_mapping m;
        co4_source *s = co4_source_filter(&f, co4_mailbox_source(mb), is_kind, &kind);
        co4_case cases[] = { CO4_CASE(co4_mailbox_source(never), &other),
                             CO4_CASE(co4_source_map(&m, s, sizeof n, &buffer, plus_one, NULL),
                                      &n) };
        int64_t deadline = patience ? co4_now() + patience : CO4_NEVER;
        int chosen = co4_select_until(cases, 2, 0, deadline);
        if (chosen == CO4_ETIMEDOUT)
            continue;
        if (chosen != 1)
            return;
        took(n - 1);
    }
}

/* Gets through filters until it is cancelled; another goes on then. */
static pausable void get_until_cancelled(void)
{
    get_kind(0, 0);
}

static pausable void canceller(void)
{
    while (atomic_load(&putting) > 0) {
        co4_task *t = co4_task_create(get_until_cancelled());
        co4_runtime_schedule(NULL, t);
        co4_sleep(50 * CO4_US);
        co4_task_cancel(t, 0);
        co4_task_join(t);
        co4_task_release(t);
    }
}

static void check(const char *what, int all)
{
    int once = 0;
    for (int i = 0; i < all; i++)
        once += atomic_load(&came[i]) == 1;
    if (once == all && atomic_load(&wrong) == 0)
        printf("%s: all came once, with the sum %ld\n", what, atomic_load(&sum));
    else
        printf("%s: %d of %d came once, %d wrong\n", what, once, all, atomic_load(&wrong));
    for (int i = 0; i < MOST; i++)
        atomic_store(&came[i], 0);
    atomic_store(&sum, 0);
}

static void at_a_mailbox(co4_runtime *rt)
{
    mb = co4_mailbox_create(sizeof(int), 4);
    atomic_store(&putting, PUTTERS);
    for (int i = 0; i < PUTTERS; i++)
        co4_runtime_spawn(rt, putter(i, MOST / PUTTERS));
    co4_runtime_spawn(rt, get_plain());
    co4_runtime_spawn(rt, get_plain());
    co4_runtime_spawn(rt, get_kind(0, 0));
    co4_runtime_spawn(rt, get_kind(1, 0));
    co4_runtime_spawn(rt, get_kind(1, 30 * CO4_US));
    co4_runtime_spawn(rt, canceller());
    for (int err = CO4_OK, n, kind = 1; err != CO4_ECLOSED;) {
        co4_filtering f;
        co4_source *s = co4_source_filter(&f, co4_mailbox_source(mb), is_kind, &kind);
        err = co4_block(co4_await_until(s, &n, co4_now() + CO4_MS));
        if (err == CO4_OK)
            took(n);
    }
    co4_runtime_join(rt);
    check("a mailbox", MOST);
    if (co4_mailbox_destroy(mb) != CO4_OK)
        abort();
}

/* ---- rendezvous ---- */

static pausable void get_any_looking(int each)
{
    for (int i = 0; i < each; i++) {
        int n;
        co4_filtering f;
        if (co4_await(co4_source_filter(&f, co4_mailbox_source(mb), any, NULL), &n) != CO4_OK)
            atomic_fetch_add(&wrong, 1);
        else
            took(n);
    }
}

static pausable void get_directly(int each)
{
    for (int i = 0; i < each; i++) {
        int n;
        if (co4_mailbox_receive(mb, &n) != CO4_OK)
            atomic_fetch_add(&wrong, 1);
        else
            took(n);
    }
}

static void at_a_channel(co4_runtime *rt)
{
    mb = co4_mailbox_create(sizeof(int), 0);
    atomic_store(&putting, PUTTERS + 1); /* no task closes it */
    for (int i = 0; i < PUTTERS; i++)
        co4_runtime_spawn(rt, putter(i, MEET / PUTTERS));
    for (int i = 0; i < 3; i++)
        co4_runtime_spawn(rt, get_any_looking(MEET / 4));
    co4_runtime_spawn(rt, get_directly(MEET / 4));
    co4_runtime_join(rt);
    check("a channel", MEET);
    if (co4_mailbox_destroy(mb) != CO4_OK)
        abort();
}

/* Two threads look at one message at the same time. */

static atomic_int looking;

/* Looks until the other has come, or has gone: `until` of `looking`. */
static int wait_for(int until)
{
    atomic_fetch_add(&looking, 1);
    for (int i = 0; i < 10000 && atomic_load(&looking) < until; i++)
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    return 1;
}

static int with_another(void *arg, const void *value)
{
    (void)arg;
    (void)value;
    return wait_for(2);
}

static int refuses_late(void *arg, const void *value)
{
    (void)arg;
    (void)value;
    return !wait_for(3);
}

static void *refuse(void *arg)
{
    int n;
    co4_filtering f;
    while (atomic_load(&looking) < 1)
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    int err = co4_await_until(co4_source_filter(&f, co4_mailbox_source(mb), refuses_late, NULL), &n,
                              CO4_NOW);
    *(int *)arg = err;
    return NULL;
}

static pausable void put_one(int n)
{
    if (co4_mailbox_send(mb, &n) != CO4_OK)
        atomic_fetch_add(&wrong, 1);
}

static void together(co4_runtime *rt)
{
    int n = 0, err, other = 1;
    pthread_t thread;
    co4_filtering f;
    mb = co4_mailbox_create(sizeof(int), 0);
    co4_runtime_spawn(rt, put_one(7));
    pthread_create(&thread, NULL, refuse, &other);
    do
        err = co4_await_until(co4_source_filter(&f, co4_mailbox_source(mb), with_another, NULL), &n,
                              CO4_NOW);
    while (err == CO4_EEMPTY && atomic_load(&looking) == 0);
    atomic_store(&looking, 3);
    pthread_join(thread, NULL);
    printf("two look at it, one wants it: %d, %s; the other: %s\n", n, co4_strerror(err),
           co4_strerror(other));
    if (err != CO4_OK)
        err = co4_block(co4_mailbox_receive(mb, &n));
    co4_runtime_join(rt);
    co4_mailbox_destroy(mb);
}

int main(void)
{
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 3 });
    co4_runtime_start(rt);
    never = co4_mailbox_create(sizeof(int), 1);
    at_a_mailbox(rt);
    at_a_channel(rt);
    together(rt);
    co4_mailbox_destroy(never);
    return co4_runtime_destroy(rt) != CO4_OK;
}
