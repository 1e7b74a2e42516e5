/* own_source.c - a source that is not the library's: poll, add, drop, size, to be awaited and
 * chosen among others.
 * modes: woven forced
 * needs: threads
 * expect: there: 1 2, then nothing: CO4_EEMPTY
 * expect: not in time: CO4_ETIMEDOUT, listeners left: 0, dropped: 1
 * expect: waited for: 3
 * expect: chosen: 1, with 4; the mailbox has 0
 * expect: raced: 5 of 0, mapped: 60
 * expect: cancelled: CO4_ECANCELED, listeners left: 0
 * expect: at its end: CO4_ECLOSED CO4_ECLOSED
 * expect: 4 tasks: 4000 values, sum 8002000
 * expect: nothing is left */
#include <co4.h>
#include <co4/test.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

/* Here it cannot fail. */
static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

/* Numbers, one after the other, each for one asker; waiters are linked by way of the listeners'
 * data. */
struct numbers {
    co4_source source; /* first */
    pthread_mutex_t lock;
    int next, end, closed;
    co4_listener *waiting;
    int dropped;
};

static co4_listener *next_of(co4_listener *l)
{
    return l->data;
}

/* Under the lock. */
static int give(struct numbers *n, co4_listener *l)
{
    if (n->next < n->end && co4_listener_offer(l, CO4_OK, &n->next)) {
        n->next++;
        return 1;
    }
    return n->next >= n->end && n->closed && co4_listener_offer(l, CO4_ECLOSED, NULL);
}

static int poll_or_add(co4_source *source, co4_listener *l, bool add)
{
    struct numbers *n = (struct numbers *)source;
    pthread_mutex_lock(&n->lock);
    int given = give(n, l);
    if (!given && add) {
        l->data = n->waiting;
        n->waiting = l;
    }
    pthread_mutex_unlock(&n->lock);
    if (given)
        l->ops->wake(l);
    return given;
}

static int numbers_poll(co4_source *source, co4_listener *l)
{
    return poll_or_add(source, l, false);
}

static int numbers_add(co4_source *source, co4_listener *l)
{
    return poll_or_add(source, l, true);
}

static void numbers_drop(co4_source *source, co4_listener *l)
{
    struct numbers *n = (struct numbers *)source;
    pthread_mutex_lock(&n->lock);
    co4_listener *before = NULL, *at = n->waiting;
    for (; at && at != l; at = next_of(at))
        before = at;
    if (at) {
        if (before)
            before->data = l->data;
        else
            n->waiting = next_of(l);
        n->dropped++;
    }
    pthread_mutex_unlock(&n->lock);
}

static size_t numbers_size(const co4_source *source)
{
    (void)source;
    return sizeof(int);
}

static const co4_source_ops numbers_ops = { numbers_poll, numbers_add, numbers_drop, numbers_size };

static struct numbers numbers = {
    .source = { &numbers_ops }, .lock = PTHREAD_MUTEX_INITIALIZER, .next = 1, .end = 1
};

/* So many more, or the end: offered to the waiters, each of which is done with, or wants nothing
 * any more. */
static void feed(struct numbers *n, int more)
{
    pthread_mutex_lock(&n->lock);
    n->end += more;
    n->closed |= more == 0;
    pthread_mutex_unlock(&n->lock);
    bool fed = true;
    while (fed) {
        pthread_mutex_lock(&n->lock);
        co4_listener *l = n->next < n->end || n->closed ? n->waiting : NULL;
        fed = l != NULL;
        if (fed)
            n->waiting = next_of(l);
        int given = fed && give(n, l);
        pthread_mutex_unlock(&n->lock);
        if (given)
            l->ops->wake(l);
    }
}

static int left(void)
{
    int count = 0;
    for (co4_listener *l = numbers.waiting; l; l = next_of(l))
        count++;
    return count;
}

static pausable void feed_later(int more)
{
    co4_sleep(CO4_MS);
    feed(&numbers, more);
}

static int ten_times(void *arg, const void *in, void *out)
{
    (void)arg;
    *(int *)out = *(const int *)in * 10;
    return CO4_OK;
}

static pausable int wait_in_vain(int *code)
{
    int n;
    *code = co4_await(&numbers.source, &n);
    return CO4_OK;
}

static pausable void one_after_the_other(void)
{
    int a = 0, b = 0, code;
    feed(&numbers, 2);
    co4_await(&numbers.source, &a);
    must(co4_await_until(&numbers.source, &b, CO4_NOW));
    printf("there: %d %d, then nothing: ", a, b);
    printf("%s\n", co4_errname(co4_await_until(&numbers.source, &b, CO4_NOW)));
    code = co4_await_until(&numbers.source, &a, co4_now() + CO4_MS);
    printf("not in time: %s, listeners left: %d, dropped: %d\n", co4_errname(code), left(),
           numbers.dropped);
    co4_spawn(feed_later(1));
    co4_await(&numbers.source, &a);
    printf("waited for: %d\n", a);

    co4_mailbox *mailbox = co4_mailbox_create(sizeof(int), 1);
    co4_case cases[] = { CO4_CASE(co4_mailbox_source(mailbox), &b), CO4_CASE(&numbers.source, &a) };
    co4_spawn(feed_later(1));
    int chosen = co4_select(cases, 2);
    printf("chosen: %d, with %d; the mailbox has %zu\n", chosen, a, co4_mailbox_len(mailbox));

    co4_racing racing;
    co4_racer racers[] = { { .source = &numbers.source },
                           { .source = co4_mailbox_source(mailbox) } };
    co4_spawn(feed_later(1));
    co4_await(co4_source_race(&racing, racers, 2), &a);
    printf("raced: %d of %d,", a, co4_source_race_winner(&racing));
    co4_mapping mapping;
    co4_spawn(feed_later(1));
    co4_await(co4_source_map(&mapping, &numbers.source, sizeof a, &b, ten_times, NULL), &a);
    printf(" mapped: %d\n", a);
    co4_mailbox_destroy(mailbox);

    co4_task *t = co4_task_create(wait_in_vain(&code));
    co4_runtime_schedule(NULL, t);
    co4_yield();
    co4_task_cancel(t, 0);
    co4_task_join(t);
    co4_task_release(t);
    printf("cancelled: %s, listeners left: %d\n", co4_errname(code), left());
    co4_spawn(feed_later(0));
    code = co4_await(&numbers.source, &a);
    printf("at its end: %s %s\n", co4_errname(code), co4_errname(co4_await(&numbers.source, &a)));
}

/* ---- by several tasks at once, on threads ---- */

static struct numbers many = {
    .source = { &numbers_ops }, .lock = PTHREAD_MUTEX_INITIALIZER, .next = 1, .end = 1
};
static atomic_int count;
static atomic_llong sum;

static pausable int take(void)
{
    int n, err;
    while ((err = co4_await(&many.source, &n)) == CO4_OK) {
        count++;
        sum += n;
    }
    return err;
}

static pausable void feed_many(void)
{
    for (int i = 0; i < 400; i++) {
        feed(&many, 10);
        co4_yield();
    }
    feed(&many, 0);
}

int main(void)
{
    long long live = co4_test_pool_live(), blocks = co4_test_alloc_live();
    co4_run(one_after_the_other());
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 3 });
    co4_runtime_start(rt);
    for (int i = 0; i < 4; i++)
        co4_runtime_spawn(rt, take());
    co4_runtime_spawn(rt, feed_many());
    co4_runtime_join(rt);
    co4_runtime_destroy(rt);
    printf("4 tasks: %d values, sum %lld\n", count, sum);
    if (co4_test_pool_live() == live && co4_test_alloc_live() == blocks)
        printf("nothing is left\n");
    return 0;
}
