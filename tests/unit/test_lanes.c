/* test_lanes.c - the order of a worker's ready tasks: each once, each list a FIFO, and each task
 * within a bounded number of steps, on 1 to 1,024 simulated workers. */
#include "woven.h"

#include "sched/lanes.h"

enum { TURN = CO4__TURN + CO4__TURN / 2 + 1, CUT = 3, TASKS = 64, MOST_WORKERS = 1024 };

static uint32_t random_state;

static uint32_t below(uint32_t n)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % n;
}

static co4_task item[64];

static void append(struct co4__lanes *l, int from, int to)
{
    for (int i = from; i < to; i++)
        co4__lanes_append(l, &item[i]);
}

static void arrive(struct co4__lanes *l, int from, int to)
{
    for (int i = from; i < to; i++)
        co4__lanes_arrive(l, &item[i], &item[i], 1);
}

static void expect(struct co4__lanes *l, int from, int to)
{
    for (int i = from; i < to; i++)
        assert_ptr_equal(co4__lanes_next(l), &item[i]);
}

static void first_come_first_served(void **state)
{
    (void)state;
    struct co4__lanes l = { 0 };
    assert_null(co4__lanes_next(&l));
    append(&l, 0, 40);
    assert_true(co4__lanes_any(&l));
    expect(&l, 0, 40);
    assert_null(co4__lanes_next(&l));
    arrive(&l, 0, 40);
    assert_true(co4__lanes_any(&l));
    expect(&l, 0, 40);
    for (int i = 0; i < 40; i++)
        co4__lanes_yield(&l, &item[i]);
    assert_true(co4__lanes_any(&l));
    expect(&l, 0, 40);
    assert_null(co4__lanes_next(&l));
    assert_false(co4__lanes_any(&l));
}

static void arrived_tasks_go_first_for_half_a_turn(void **state)
{
    (void)state;
    struct co4__lanes l = { 0 };
    append(&l, 0, 1);
    expect(&l, 0, 1); /* a turn has begun */
    append(&l, 20, 50);
    arrive(&l, 0, 12);
    expect(&l, 0, 8);
    expect(&l, 20, 35); /* with the first one a whole turn */
    expect(&l, 8, 12);  /* the next turn */
    expect(&l, 35, 50);
    assert_null(co4__lanes_next(&l));
}

static void a_yielding_task_waits_for_those_before_it(void **state)
{
    (void)state;
    struct co4__lanes l = { 0 };
    append(&l, 0, 30);
    co4__lanes_yield(&l, &item[60]);
    append(&l, 30, 60);
    expect(&l, 0, 32); /* 30 were there; and the turn ends */
    expect(&l, 60, 61);
    expect(&l, 32, 48); /* a turn of its own follows */
    co4__lanes_yield(&l, &item[61]);
    expect(&l, 48, 60);
    expect(&l, 61, 62);
    assert_null(co4__lanes_next(&l));
}

static void a_cut_ends_a_turn(void **state)
{
    (void)state;
    struct co4__lanes l = { 0 };
    append(&l, 0, 1);
    expect(&l, 0, 1);
    append(&l, 0, 10);
    co4__lanes_yield(&l, &item[50]);
    co4__lanes_yield(&l, &item[51]);
    append(&l, 10, 20);
    expect(&l, 0, 3);
    co4__lanes_cut(&l);
    expect(&l, 3, 12); /* there is none that has waited long enough, but it begins new turns */
    co4__lanes_cut(&l);
    expect(&l, 50, 51);
    co4__lanes_cut(&l); /* nothing of this turn has run: one may */
    expect(&l, 12, 13);
    expect(&l, 51, 52);
    arrive(&l, 30, 33);
    co4__lanes_cut(&l); /* one of each */
    expect(&l, 30, 31);
    co4__lanes_cut(&l);
    expect(&l, 13, 14);
    co4__lanes_cut(&l);
    expect(&l, 31, 33); /* the next turn */
    expect(&l, 14, 20);
    assert_null(co4__lanes_next(&l));
}

static void woken_tasks_leave_the_first_list(void **state)
{
    (void)state;
    struct co4__lanes l = { 0 };
    append(&l, 0, 3);
    co4__lanes_woken(&l, NULL, 3); /* all */
    append(&l, 3, 6);
    co4_task *last = l.tail;
    co4__lanes_woken(&l, last, 0);
    append(&l, 6, 8);
    co4__lanes_woken(&l, last, 2);
    append(&l, 8, 9);
    expect(&l, 0, 3);
    expect(&l, 6, 8);
    expect(&l, 3, 6);
    expect(&l, 8, 9);
    assert_null(co4__lanes_next(&l));
}

static void tasks_are_given_away_from_all_lists(void **state)
{
    (void)state;
    struct co4__lanes l = { 0 };
    co4_task *newest, *oldest;
    append(&l, 0, 4);
    co4__lanes_yield(&l, &item[4]);
    co4__lanes_yield(&l, &item[5]);
    arrive(&l, 6, 9);
    assert_int_equal(co4__lanes_part(&l, 5, &newest, &oldest), 5);
    assert_ptr_equal(oldest, &item[0]);
    assert_ptr_equal(newest, &item[4]);
    const co4_task *t = newest;
    for (int i = 4; i >= 0; i--, t = t->next)
        assert_ptr_equal(t, &item[i]);
    assert_int_equal(l.yielded.n, 1);
    assert_int_equal(l.arrived.n, 3);
    append(&l, 0, 1); /* the ends of the lists are right */
    co4__lanes_yield(&l, &item[1]);
    arrive(&l, 9, 10);
    co4__lanes_join(&l);
    expect(&l, 0, 1);
    expect(&l, 5, 6);
    expect(&l, 1, 2);
    expect(&l, 6, 10);
    assert_null(co4__lanes_next(&l));
    assert_int_equal(co4__lanes_part(&l, 5, &newest, &oldest), 0);
    assert_null(newest);
}

/* Also where tasks have left the first list without a turn. */
static void a_yielding_task_keeps_its_place(void **state)
{
    (void)state;
    struct co4__lanes l = { 0 };
    co4_task *newest, *oldest;
    append(&l, 0, 20);
    co4__lanes_yield(&l, &item[50]);
    append(&l, 20, 40);
    assert_int_equal(co4__lanes_part(&l, 20, &newest, &oldest), 20);
    expect(&l, 50, 51); /* those before it are gone */
    expect(&l, 20, 36);
    append(&l, 40, 44);
    co4_task *last = l.tail;
    append(&l, 44, 48);
    co4__lanes_woken(&l, last, 4);
    co4__lanes_yield(&l, &item[51]);
    expect(&l, 44, 48);
    expect(&l, 36, 44);
    co4__lanes_cut(&l);
    append(&l, 0, 8);
    expect(&l, 51, 52);
    expect(&l, 0, 8);
    assert_null(co4__lanes_next(&l));
}

/* ---- bounds ---- */

enum way { FIRST, ARRIVED, YIELDED, WAYS };

/* Of a ready task: the step of its worker by which it has to run; its number in its list. */
struct ready {
    co4_task task;
    uint32_t by, number;
    uint8_t way;
};

struct simulated {
    struct co4__lanes lanes;
    struct ready ready[TASKS];
    uint32_t steps, pushed[WAYS], ran[WAYS], n;
};

static uint32_t turns(uint32_t tasks, uint32_t each)
{
    return (tasks + each - 1) / each;
}

/* The bound that lanes.c promises. `cut`: each turn is as short as can be. */
static void becomes_ready(struct simulated *s, struct ready *r, enum way way, bool cut)
{
    const struct co4__lanes *l = &s->lanes;
    uint32_t ahead = s->pushed[way] - s->ran[way], all = cut ? CUT : TURN, wait = 0;
    uint32_t first = l->pushed - (l->passed - l->left - l->held); /* in the first list */
    r->way = (uint8_t)way;
    r->number = s->pushed[way]++;
    if (way == FIRST) {
        wait = turns(first + 1, cut ? 1 : CO4__TURN);
        co4__lanes_append(&s->lanes, &r->task);
    } else if (way == ARRIVED) {
        wait = turns(ahead + 1, cut ? 1 : CO4__TURN / 2);
        co4__lanes_arrive(&s->lanes, &r->task, &r->task, 1);
    } else {
        wait = ahead + 1 + turns(first, cut ? 1 : CO4__TURN);
        co4__lanes_yield(&s->lanes, &r->task);
    }
    r->by = s->steps + (wait + 1) * all; /* and the turn that has begun */
    s->n++;
}

static void runs(struct simulated *s, struct ready **out)
{
    struct ready *r = (struct ready *)(void *)co4__lanes_next(&s->lanes);
    assert_non_null(r);
    s->steps++;
    s->n--;
    assert_true(r->by >= s->steps);
    assert_int_equal(r->number, s->ran[r->way]); /* nothing overtakes in its own list */
    s->ran[r->way]++;
    *out = r;
}

/* A task that runs becomes ready again at once, in any way; messages go to other workers, too. */
static void simulate(struct simulated *all, uint32_t workers, bool cut)
{
    static const uint8_t ways[] = { FIRST, FIRST, FIRST, ARRIVED, YIELDED, YIELDED };
    random_state = workers;
    memset(all, 0, workers * sizeof *all);
    for (uint32_t w = 0; w < workers; w++)
        for (uint32_t i = 0; i < TASKS; i++)
            becomes_ready(&all[w], &all[w].ready[i], (enum way)ways[below(sizeof ways)], cut);
    for (uint32_t round = 0; round < 4000000 / MOST_WORKERS; round++)
        for (uint32_t w = 0; w < workers; w++) {
            struct ready *r;
            runs(&all[w], &r);
            /* In some phases all arrive, or yield, or talk. */
            uint32_t phase = round / 300 % 5;
            enum way way = phase < WAYS ? below(20) == 0 ? (enum way)below(WAYS) : (enum way)phase
                                        : (enum way)ways[below(sizeof ways)];
            becomes_ready(&all[w], r, way, cut);
            if (cut)
                co4__lanes_cut(&all[w].lanes);
        }
    for (uint32_t w = 0; w < workers; w++)
        assert_int_equal(all[w].n, TASKS);
}

static void each_task_runs_in_bounded_time(void **state)
{
    (void)state;
    struct simulated *all = malloc(MOST_WORKERS * sizeof *all);
    assert_non_null(all);
    for (uint32_t workers = 1; workers <= MOST_WORKERS; workers *= 4) {
        simulate(all, workers, false);
        simulate(all, workers, true);
    }
    free(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_come_first_served),
        cmocka_unit_test(arrived_tasks_go_first_for_half_a_turn),
        cmocka_unit_test(a_yielding_task_waits_for_those_before_it),
        cmocka_unit_test(a_cut_ends_a_turn),
        cmocka_unit_test(woken_tasks_leave_the_first_list),
        cmocka_unit_test(tasks_are_given_away_from_all_lists),
        cmocka_unit_test(a_yielding_task_keeps_its_place),
        cmocka_unit_test(each_task_runs_in_bounded_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
