/* combine - sources made of sources: map, filter, race, either, timeout; alone, nested, at once
 * ready or waited for, in a select, by tasks and by threads. Exactly one thing happens.
 * modes: woven forced
 * expect: map: no error 7x, waited: no error 8x, its own code: there is no room, an error passes: closed, and nothing is left to take
 * expect: map of no value: no error 1
 * expect: filter: no error 4, waited: no error 6; left for others: 3 5
 * expect: the next in turn: odd 1, even 2
 * expect: filter, closed: even 4, closed, and nothing is left to take; left: 5
 * expect: race: no error 20 of 1, waited: no error 10 of 0, not touched: there is no message
 * expect: race of sizes that differ: refused, nobody won: -1
 * expect: either: 1 no error 2.5, waited: 0 no error 3, closed: 1 closed, and nothing is left to take
 * expect: its side goes with the error: through a timeout 1, a race 1, a filter 1
 * expect: timeout: no error 5, the deadline has passed, late but there: no error 6, none: no error 7
 * expect: nested: the deadline has passed, no error 12 of 1
 * expect: one wait at a time: not possible in this state, then no error 2
 * expect: in a select: case 1, no error 8x, the other is still there: 9
 * expect: both sides select, once: 3 passed, 3 got
 * expect: a select does not talk to itself: the deadline has passed
 * expect: cancelled: the task was cancelled, message kept: 4
 * expect: put that fails, mapped: closed, and nothing is left to take
 * expect: arguments: refused
 * expect: future refused: the deadline has passed
 * expect: blocked: no error 6, the deadline has passed */
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

struct text {
    char s[8];
};

static int to_text(void *arg, const void *in, void *out)
{
    if (*(const int *)in < 0)
        return CO4_EFULL;
    snprintf(((struct text *)out)->s, sizeof(struct text), "%d%s", *(const int *)in % 1000,
             (const char *)arg);
    return CO4_OK;
}

static int one(void *arg, const void *in, void *out)
{
    (void)arg;
    *(int *)out = in == NULL;
    return CO4_OK;
}

static int is_multiple(void *arg, const void *value)
{
    return *(const int *)value % *(int *)arg == 0;
}

static int two = 2, three = 3;

static int take_any(co4_mailbox *mb)
{
    int n = -1;
    must(co4_mailbox_receive_until(mb, &n, CO4_NOW));
    return n;
}

static void put(co4_mailbox *mb, int n)
{
    must(co4_mailbox_send_until(mb, &n, CO4_NOW));
}

static pausable void put_later(co4_mailbox *mb, int from, int to)
{
    co4_sleep(CO4_MS);
    for (int n = from; n <= to; n++)
        co4_mailbox_send(mb, &n);
}

static pausable void close_later(co4_mailbox *mb)
{
    co4_sleep(CO4_MS);
    co4_mailbox_close(mb);
}

static pausable void mapping(void)
{
    struct text t = { "" }, buffer;
    co4_mapping mapping;
    co4_timer timer;
    int n = 0, err;
    char suffix[] = "x";
    co4_mailbox *mb = co4_mailbox_create(sizeof n, 2);
    co4_source *s = co4_source_map(&mapping, co4_mailbox_source(mb), sizeof t, &buffer, to_text,
                                   suffix);
    put(mb, 7);
    err = co4_await(s, &t);
    printf("map: %s %s, ", co4_strerror(err), t.s);
    co4_spawn(put_later(mb, 8, 8));
    err = co4_await(s, &t);
    printf("waited: %s %s, ", co4_strerror(err), t.s);
    put(mb, -1);
    err = co4_await(s, &t);
    printf("its own code: %s, ", co4_strerror(err));
    co4_spawn(close_later(mb));
    err = co4_await(s, &t);
    printf("an error passes: %s\n", co4_strerror(err));
    co4_mailbox_destroy(mb);

    co4_timer_init(&timer);
    co4_timer_start(&timer, co4_now());
    err = co4_await(co4_source_map(&mapping, co4_timer_source(&timer), sizeof n, &n, one, NULL),
                    &n);
    printf("map of no value: %s %d\n", co4_strerror(err), n);
}

static pausable void get_multiple(co4_mailbox *mb, int *of, const char *word)
{
    co4_filtering f;
    int n = 0;
    int err = co4_await(co4_source_filter(&f, co4_mailbox_source(mb), is_multiple, of), &n);
    if (err == CO4_OK)
        printf("%s %d", word, n);
    else
        printf("%s", co4_strerror(err));
}

static pausable void filtering(void)
{
    co4_filtering f;
    int n = 0, err;
    co4_mailbox *mb = co4_mailbox_create(sizeof n, 8);
    co4_source *even = co4_source_filter(&f, co4_mailbox_source(mb), is_multiple, &two);
    put(mb, 4);
    err = co4_await(even, &n);
    printf("filter: %s %d, ", co4_strerror(err), n);
    put(mb, 3);
    co4_spawn(put_later(mb, 5, 6));
    co4_task *t = co4_task_create(get_multiple(mb, &two, "waited: no error"));
    co4_runtime_schedule(NULL, t);
    co4_sleep(3 * CO4_MS);
    int left[] = { take_any(mb), take_any(mb) };
    co4_task_join(t);
    co4_task_release(t);
    printf("; left for others: %d %d\n", left[0], left[1]);

    printf("the next in turn: odd ");
    t = co4_task_create(get_multiple(mb, &two, ", even"));
    co4_runtime_schedule(NULL, t);
    co4_yield();
    put(mb, 1);
    put(mb, 2);
    printf("%d", take_any(mb));
    co4_task_join(t);
    co4_task_release(t);
    puts("");

    co4_task *both[2];
    for (int i = 0; i < 2; i++) {
        both[i] = co4_task_create(get_multiple(mb, &two, i == 0 ? "even" : "too many"));
        co4_runtime_schedule(NULL, both[i]);
    }
    co4_yield();
    put(mb, 3);
    put(mb, 4);
    put(mb, 5);
    co4_mailbox_close(mb);
    printf("filter, closed: ");
    take_any(mb);
    co4_task_join(both[0]);
    printf(", ");
    int last = take_any(mb);
    co4_task_join(both[1]);
    printf("; left: %d\n", last);
    for (int i = 0; i < 2; i++)
        co4_task_release(both[i]);
    co4_mailbox_destroy(mb);
}

static pausable void racing(void)
{
    int n = 0, err;
    char c;
    co4_mailbox *a = co4_mailbox_create(sizeof n, 2), *b = co4_mailbox_create(sizeof n, 2),
                *other = co4_mailbox_create(sizeof c, 2);
    co4_racing race;
    co4_racer racers[] = { { .source = co4_mailbox_source(a) },
                           { .source = co4_mailbox_source(b) },
                           { .source = NULL } };
    co4_source *s = co4_source_race(&race, racers, 3);
    put(b, 20);
    err = co4_await(s, &n);
    printf("race: %s %d of %d, ", co4_strerror(err), n, co4_source_race_winner(&race));
    co4_spawn(put_later(a, 10, 10));
    err = co4_await(s, &n);
    printf("waited: %s %d of %d, not touched: %s\n", co4_strerror(err), n,
           co4_source_race_winner(&race), co4_strerror(co4_mailbox_receive_until(b, &n, CO4_NOW)));
    racers[2].source = co4_mailbox_source(other);
    s = co4_source_race(&race, racers, 3);
    co4_racing nobody;
    racers[2].source = NULL;
    co4_source_race(&nobody, racers, 2);
    printf("race of sizes that differ: %s, nobody won: %d\n", s ? "taken" : "refused",
           co4_source_race_winner(&nobody));
    co4_mailbox_destroy(a);
    co4_mailbox_destroy(b);
    co4_mailbox_destroy(other);
}

static int any(void *arg, const void *value)
{
    (void)arg;
    (void)value;
    return 1;
}

static pausable void eithers(void)
{
    int n = 0, which = -1, err;
    double d = 0;
    co4_either e;
    co4_mailbox *a = co4_mailbox_create(sizeof n, 2), *b = co4_mailbox_create(sizeof d, 2);
    co4_source *s = co4_source_either(&e, co4_mailbox_source(a), &n, co4_mailbox_source(b), &d);
    must(co4_mailbox_send_until(b, &(double){ 2.5 }, CO4_NOW));
    err = co4_await(s, &which);
    printf("either: %d %s %.1f, ", which, co4_strerror(err), d);
    co4_spawn(put_later(a, 3, 3));
    err = co4_await(s, &which);
    printf("waited: %d %s %d, ", which, co4_strerror(err), n);
    co4_spawn(close_later(b));
    err = co4_await(s, &which);
    printf("closed: %d %s\n", which, co4_strerror(err));
    co4_timed timed;
    co4_racing racing;
    co4_racer racer = { .source = s };
    co4_filtering filtering;
    which = -1;
    co4_await(co4_source_until(&timed, s, co4_now() + 60 * CO4_SEC), &which);
    printf("its side goes with the error: through a timeout %d, ", which);
    which = -1;
    co4_await(co4_source_race(&racing, &racer, 1), &which);
    printf("a race %d, ", which);
    which = -1;
    co4_await(co4_source_filter(&filtering, s, any, NULL), &which);
    printf("a filter %d\n", which);
    co4_mailbox_destroy(a);
    co4_mailbox_destroy(b);
}

static pausable void timeouts(void)
{
    int n = 0, err;
    co4_timed timed;
    co4_mailbox *mb = co4_mailbox_create(sizeof n, 2);
    co4_spawn(put_later(mb, 5, 5));
    err = co4_await(co4_source_until(&timed, co4_mailbox_source(mb), co4_now() + 60 * CO4_SEC), &n);
    printf("timeout: %s %d, ", co4_strerror(err), n);
    err = co4_await(co4_source_until(&timed, co4_mailbox_source(mb), co4_now() + CO4_MS), &n);
    printf("%s, ", co4_strerror(err));
    put(mb, 6);
    err = co4_await(co4_source_until(&timed, co4_mailbox_source(mb), co4_now() - CO4_MS), &n);
    printf("late but there: %s %d, ", co4_strerror(err), n);
    co4_spawn(put_later(mb, 7, 7));
    err = co4_await(co4_source_until(&timed, co4_mailbox_source(mb), CO4_NEVER), &n);
    printf("none: %s %d\n", co4_strerror(err), n);

    /* a race of two filters on one mailbox, under a deadline */
    co4_filtering f2, f3;
    co4_racing race;
    co4_racer racers[] = {
        { .source = co4_source_filter(&f2, co4_mailbox_source(mb), is_multiple, &two) },
        { .source = co4_source_filter(&f3, co4_mailbox_source(mb), is_multiple, &three) }
    };
    co4_source *s = co4_source_race(&race, racers, 2);
    put(mb, 5);
    err = co4_await(co4_source_until(&timed, s, co4_now() + CO4_MS), &n);
    take_any(mb);
    put(mb, 9);
    int again = co4_await(co4_source_until(&timed, s, co4_now() + 60 * CO4_SEC), &n);
    printf("nested: %s, %s %d of %d\n", co4_strerror(err), co4_strerror(again), n + 3,
           co4_source_race_winner(&race));
    co4_mailbox_destroy(mb);
}

static pausable void wait_at(co4_source *s)
{
    int n = 0;
    int err = co4_await(s, &n);
    printf("then %s %d\n", co4_strerror(err), n);
}

static pausable void one_at_a_time(void)
{
    co4_filtering f;
    int n = 0;
    co4_mailbox *mb = co4_mailbox_create(sizeof n, 2);
    co4_source *s = co4_source_filter(&f, co4_mailbox_source(mb), is_multiple, &two);
    co4_task *t = co4_task_create(wait_at(s));
    co4_runtime_schedule(NULL, t);
    co4_yield();
    co4_yield();
    while (co4_task_state_of(t) != CO4_TASK_PAUSED)
        co4_yield();
    printf("one wait at a time: %s, ", co4_strerror(co4_await(s, &n)));
    put(mb, 2);
    co4_task_join(t);
    co4_task_release(t);
    co4_mailbox_destroy(mb);
}

static pausable void in_a_select(void)
{
    int n = 0;
    struct text t = { "" }, buffer;
    char suffix[] = "x";
    co4_mapping mapping;
    co4_filtering f;
    co4_mailbox *a = co4_mailbox_create(sizeof n, 2), *b = co4_mailbox_create(sizeof n, 2);
    co4_case cases[] = {
        CO4_CASE(co4_source_filter(&f, co4_mailbox_source(a), is_multiple, &two), &n),
        CO4_CASE(
            co4_source_map(&mapping, co4_mailbox_source(b), sizeof t, &buffer, to_text, suffix), &t)
    };
    put(a, 9);
    co4_spawn(put_later(b, 8, 8));
    int which = co4_select(cases, 2);
    printf("in a select: case %d, %s %s, the other is still there: %d\n", which,
           co4_strerror(cases[1].code), t.s, take_any(a));
    co4_mailbox_destroy(a);
    co4_mailbox_destroy(b);
}

/* Both ends of rendezvous channels, each inside a race inside a select. */
static pausable void side(co4_mailbox *in, co4_mailbox *out, int message, int *passed, int *got)
{
    for (int i = 0; i < 3; i++) {
        int n = 0;
        co4_sending putting;
        co4_racing race;
        co4_racer racers[] = { { .source = co4_mailbox_source(in) },
                               { .source = co4_mailbox_sending(&putting, out, &message) } };
        co4_case one = CO4_CASE(co4_source_race(&race, racers, 2), &n);
        if (co4_select_until(&one, 1, 0, co4_now() + 60 * CO4_SEC) != 0)
            continue;
        if (co4_source_race_winner(&race) == 0)
            *got += 1;
        else
            *passed += 1;
    }
}

static pausable void both_sides(void)
{
    int passed = 0, got = 0, n = 1;
    co4_mailbox *x = co4_mailbox_create(sizeof n, 0), *y = co4_mailbox_create(sizeof n, 0);
    co4_task *t[2] = { co4_task_create(side(x, y, 1, &passed, &got)),
                       co4_task_create(side(y, x, 2, &passed, &got)) };
    for (int i = 0; i < 2; i++)
        co4_runtime_schedule(NULL, t[i]);
    for (int i = 0; i < 2; i++) {
        co4_task_join(t[i]);
        co4_task_release(t[i]);
    }
    printf("both sides select, once: %d passed, %d got\n", passed, got);
    co4_sending putting;
    co4_racing race;
    co4_racer racers[] = { { .source = co4_mailbox_source(x) },
                           { .source = co4_mailbox_sending(&putting, x, &n) } };
    printf(
        "a select does not talk to itself: %s\n",
        co4_strerror(co4_await_until(co4_source_race(&race, racers, 2), &n, co4_now() + CO4_MS)));
    co4_mailbox_destroy(x);
    co4_mailbox_destroy(y);
}

static pausable void cancelled(void)
{
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 2);
    co4_task *t = co4_task_create(get_multiple(mb, &two, "?"));
    co4_runtime_schedule(NULL, t);
    printf("cancelled: ");
    while (co4_task_state_of(t) != CO4_TASK_PAUSED)
        co4_yield();
    co4_task_cancel(t, 0);
    put(mb, 4);
    co4_task_join(t);
    co4_task_release(t);
    printf(", message kept: %d\n", take_any(mb));

    int n = 1, made = 0;
    co4_sending putting;
    co4_mapping mapping;
    co4_filtering f;
    co4_mailbox_close(mb);
    co4_source *s = co4_source_map(&mapping, co4_mailbox_sending(&putting, mb, &n), sizeof made,
                                   &made, one, NULL);
    printf("put that fails, mapped: %s\n", co4_strerror(co4_await(s, &n)));
    bool refused = !co4_source_map(NULL, s, 0, NULL, to_text, NULL) &&
                   !co4_source_map(&mapping, NULL, 0, NULL, to_text, NULL) &&
                   !co4_source_map(&mapping, s, 0, NULL, NULL, NULL) &&
                   !co4_source_map(&mapping, s, 4, NULL, to_text, NULL) &&
                   !co4_source_filter(&f, NULL, is_multiple, NULL) &&
                   !co4_source_filter(&f, s, NULL, NULL) && !co4_source_race(NULL, NULL, 0) &&
                   !co4_source_either(NULL, s, NULL, s, NULL) && !co4_source_until(NULL, s, 1) &&
                   co4_source_race_winner(NULL) == -1;
    printf("arguments: %s\n", refused ? "refused" : "taken");
    co4_mailbox_destroy(mb);

    co4_future *future = co4_future_create(sizeof n);
    co4_future_complete(future, &(int){ 3 });
    s = co4_source_filter(&f, co4_future_source(future), is_multiple, &two);
    printf("future refused: %s\n", co4_strerror(co4_await_until(s, &n, co4_now() + CO4_MS)));
    co4_future_release(future);
}

int main(void)
{
    co4_test_begin(NULL); /* deadlines pass in their order, however busy the machine is */
    co4_run(mapping());
    co4_run(filtering());
    co4_run(racing());
    co4_run(eithers());
    co4_run(timeouts());
    co4_run(one_at_a_time());
    co4_run(in_a_select());
    co4_run(both_sides());
    co4_run(cancelled());
    co4_test_end(NULL);

    int n = 0;
    co4_filtering f;
    co4_timed timed;
    co4_mailbox *mb = co4_mailbox_create(sizeof n, 2);
    co4_source *even = co4_source_filter(&f, co4_mailbox_source(mb), is_multiple, &two);
    put(mb, 6);
    int err = co4_block(co4_await(even, &n));
    printf(
        "blocked: %s %d, %s\n", co4_strerror(err), n,
        co4_strerror(co4_block(co4_await(co4_source_until(&timed, even, co4_now() + CO4_MS), &n))));
    co4_mailbox_destroy(mb);
    return 0;
}
