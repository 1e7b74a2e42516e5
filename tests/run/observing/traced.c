/* traced.c - traces of a program in test mode: the same for the same seed, bounded, and whole.
 * modes: woven forced
 * expect: twice the same
 * expect: steps: as many as were made
 * expect: as many arrows begin as end, and as many waits
 * expect: names: left-handed "quoted" here
 * expect: names of lanes: 4 of processes, 4 of threads
 * expect: bounded: the oldest are overwritten
 * expect: codes: CO4_ESTATE CO4_EINVAL CO4_ECLOSED CO4_EINVAL CO4_ECLOSED */
#include <co4.h>
#include <co4/test.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text {
    char *at;
    size_t n;
};

static int keep(void *data, const char *piece, size_t n)
{
    struct text *t = data;
    t->at = realloc(t->at, t->n + n + 1);
    memcpy(t->at + t->n, piece, n);
    t->n += n;
    t->at[t->n] = '\0';
    return CO4_OK;
}

static int refuse(void *data, const char *piece, size_t n)
{
    (void)data, (void)piece, (void)n;
    return CO4_ECLOSED;
}

static int count(const struct text *t, const char *what)
{
    int n = 0;
    for (const char *at = t->at; (at = strstr(at, what)) != NULL; at++)
        n++;
    return n;
}

static pausable int giver(co4_mailbox *mb)
{
    co4_task_set_name(co4_self(), "left-handed \"quoted\"");
    for (int i = 0; i < 20; i++) {
        co4_sleep(CO4_US * (i % 3));
        co4_mailbox_send(mb, &i);
    }
    return CO4_OK;
}

static pausable int taker(co4_mailbox *mb)
{
    for (int i, k = 0; k < 20; k++) {
        co4_yield();
        co4_mailbox_receive(mb, &i);
    }
    return CO4_OK;
}

static co4_test_result run(struct text *t, size_t events)
{
    co4_test_result result;
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 2);
    co4_trace_begin(events);
    co4_test_begin(&(co4_test_options){ .seed = 5, .step_ns = 1000, .late = 6, .late_steps = 9 });
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 3 });
    co4_runtime_start(rt);
    for (int i = 0; i < 3; i++) {
        co4_runtime_spawn(rt, giver(mb));
        co4_runtime_spawn(rt, taker(mb));
    }
    co4_runtime_join(rt);
    co4_runtime_destroy(rt);
    co4_test_end(&result);
    co4_trace_end();
    co4_mailbox_destroy(mb);
    co4_trace_write(keep, t);
    return result;
}

int main(void)
{
    struct text first = { NULL, 0 }, second = first, little = first;
    if (co4_trace_write(keep, &first) != CO4_ESTATE)
        puts("wrong: there is no trace");
    co4_test_result result = run(&first, 100000);
    run(&second, 100000);
    puts(first.n == second.n && memcmp(first.at, second.at, first.n) == 0 ? "twice the same"
                                                                          : "they differ");
    int steps = count(&first, "\"then\":");
    puts(steps > 100 && (unsigned)steps <= result.steps ? "steps: as many as were made"
                                                        : "steps are missing");
    int begun = count(&first, "{\"ph\":\"s\""), ended = count(&first, "{\"ph\":\"f\"");
    int waits = count(&first, "{\"ph\":\"b\""), over = count(&first, "{\"ph\":\"e\"");
    if (begun == ended && waits == over && begun > 40)
        puts("as many arrows begin as end, and as many waits");
    else
        printf("arrows: %d, %d; waits: %d, %d\n", begun, ended, waits, over);
    printf("names: %s\n", count(&first, "\"name\":\"left-handed \\\"quoted\\\"\"")
                              ? "left-handed \"quoted\" here"
                              : "?");
    printf("names of lanes: %d of processes, %d of threads\n",
           count(&first, "{\"ph\":\"M\",\"name\":\"process_name\""),
           count(&first, "{\"ph\":\"M\",\"name\":\"thread_name\""));
    run(&little, 50);
    puts(count(&little, "{\"ph\":\"X\"") <= 50 && !count(&little, "\"overwritten\":0,") &&
                 little.n < first.n / 2
             ? "bounded: the oldest are overwritten"
             : "not bounded");
    printf("codes: %s", co4_errname(co4_trace_end()));
    printf(" %s", co4_errname(co4_trace_write(NULL, NULL)));
    printf(" %s", co4_errname(co4_trace_write(refuse, NULL)));
    printf(" %s", co4_errname(co4_trace_save(NULL)));
    printf(" %s\n", co4_errname(co4_trace_save("/nowhere/trace.json")));
    free(first.at);
    free(second.at);
    free(little.at);
    return 0;
}
