/* watched.c - dumps, traces and watches begin and end while tasks run on three workers; nothing is
 * lost by it.
 * modes: woven forced
 * expect: 4000 messages, sum 7998000
 * expect: dumps: good
 * expect: traces: good
 * expect: nothing is left */
#include <co4.h>
#include <co4/test.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define PAIRS 8
#define EACH  500

static atomic_llong sum, got;
static atomic_int over;

static pausable int giver(co4_mailbox *mb, int from)
{
    for (int i = 0; i < EACH; i++) {
        int n = from + i;
        if (i % 50 == 0)
            co4_sleep(CO4_MS / 4);
        co4_mailbox_send(mb, &n);
    }
    return CO4_OK;
}

static pausable int taker(co4_mailbox *mb, co4_mailbox *never)
{
    for (int i = 0; i < EACH; i++) {
        int n = 0;
        co4_case cases[] = { CO4_CASE(co4_mailbox_source(mb), &n),
                             CO4_CASE(co4_mailbox_source(never), &n) };
        int chosen = i % 3 ? co4_mailbox_receive(mb, &n)
                           : co4_select_until(cases, 2, 0, co4_now() + 60 * CO4_SEC);
        atomic_fetch_add(&got, chosen == 0);
        atomic_fetch_add(&sum, n);
    }
    return CO4_OK;
}

static pausable int canceled(co4_mailbox *never)
{
    int n;
    co4_task_set_name(co4_self(), "canceled");
    return co4_mailbox_receive_until(never, &n, co4_now() + 3600 * CO4_SEC);
}

static pausable int all(void *never)
{
    co4_mailbox *boxes[PAIRS];
    co4_task *tasks[2 * PAIRS];
    for (int i = 0; i < PAIRS; i++) {
        boxes[i] = co4_mailbox_create(sizeof(int), 1 + (size_t)i);
        tasks[2 * i] = co4_task_create(giver(boxes[i], i * EACH));
        tasks[2 * i + 1] = co4_task_create(taker(boxes[i], never));
    }
    for (int i = 0; i < 2 * PAIRS; i++)
        co4_runtime_schedule(NULL, tasks[i]);
    for (int i = 0; i < 20; i++) {
        co4_task *t = co4_task_create(canceled(never));
        co4_runtime_schedule(NULL, t);
        co4_sleep(CO4_MS / 4);
        co4_task_cancel(t, 0);
        co4_task_join(t);
        co4_task_release(t);
    }
    for (int i = 0; i < 2 * PAIRS; i++) {
        co4_task_join(tasks[i]);
        co4_task_release(tasks[i]);
    }
    for (int i = 0; i < PAIRS; i++)
        co4_mailbox_destroy(boxes[i]);
    atomic_store(&over, 1);
    return CO4_OK;
}

static int count(void *data, const char *text, size_t n)
{
    (void)text;
    *(size_t *)data += n;
    return CO4_OK;
}

int main(void)
{
    long long pool = co4_test_pool_live(), alloc = co4_test_alloc_live();
    co4_mailbox *never = co4_mailbox_create(sizeof(int), 1);
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 3 });
    co4_runtime_start(rt);
    co4_runtime_spawn(rt, co4_scope_run(0, all(never)));
    size_t dumped = 0, traced = 0;
    int bad_dumps = 0, bad_traces = 0, rounds = 0;
    do {
        size_t before = dumped;
        co4_watch(rounds % 2);
        bad_dumps += co4_dump(rounds % 3 ? rt : NULL, count, &dumped) != CO4_OK || dumped == before;
        bad_traces += co4_trace_begin(100) != CO4_OK || co4_trace_begin(0) != CO4_ESTATE;
        co4_block(co4_mailbox_receive_until(never, &(int){ 0 }, co4_now() + CO4_MS));
        before = traced;
        bad_traces += co4_trace_write(count, &traced) != CO4_OK || traced == before;
        bad_traces += co4_trace_end() != CO4_OK || co4_trace_end() != CO4_ESTATE;
        rounds++;
    } while (!atomic_load(&over));
    co4_watch(0);
    co4_runtime_join(rt);
    co4_runtime_destroy(rt);
    co4_mailbox_destroy(never);
    printf("%lld messages, sum %lld\n", atomic_load(&got), atomic_load(&sum));
    printf("dumps: %s\n", bad_dumps ? "bad" : "good");
    printf("traces: %s\n", bad_traces ? "bad" : "good");
    if (co4_test_pool_live() == pool && co4_test_alloc_live() == alloc)
        puts("nothing is left");
    return 0;
}
