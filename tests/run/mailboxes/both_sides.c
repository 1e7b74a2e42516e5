/* both_sides - a select waits to get and to put at one rendezvous channel; the next comer meets it
 * on the other side, whichever of the two it has queued first, and also where there was no memory
 * for a second list.
 * modes: woven forced
 * expect: get first: a receiver 7, a sender 8, a select to get 7, one to put 8, a filter 7
 * expect: put first: a receiver 7, a sender 8, a select to get 7, one to put 8, a filter 7
 * expect: without memory for once: 80 ended, some for lack of it, the others met
 * expect: without memory from then on: 80 ended, some for lack of it, the others met
 * expect: 3 receivers wait behind a select that is gone: got 1 2 3 */
#include <co4.h>
#include <co4/test.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum partner { RECEIVER, SENDER, SELECT_TO_GET, SELECT_TO_PUT, FILTER, PARTNERS };

static const char *const names[] = { "a receiver", "a sender", "a select to get", "one to put",
                                     "a filter" };

static co4_mailbox *ch;
static int met, fails_at;

static void must(int err)
{
    if (err != CO4_OK)
        abort();
}

/* Notes the 7 that it has put, or what it has got. */
static pausable void either(bool get_first)
{
    int n = 0, seven = 7;
    co4_sending p;
    co4_source *get = co4_mailbox_source(ch), *put = co4_mailbox_sending(&p, ch, &seven);
    co4_case cases[] = { CO4_CASE(get_first ? get : put, get_first ? &n : NULL),
                         CO4_CASE(get_first ? put : get, get_first ? NULL : &n) };
    if (fails_at)
        co4_test_fail_alloc(fails_at);
    int i = co4_select_until(cases, 2, CO4_SELECT_IN_ORDER, CO4_NEVER);
    if (i != CO4_ENOMEM)
        met = (i == 0) == get_first ? n : seven;
}

static int wants(void *arg, const void *value)
{
    (void)arg, (void)value;
    return 1;
}

static pausable int partner(enum partner which)
{
    int n = 0, eight = 8;
    int64_t limit = co4_now() + 100 * CO4_SEC;
    co4_sending p;
    co4_filtering f;
    switch (which) {
    case RECEIVER:
        must(co4_mailbox_receive_until(ch, &n, limit));
        return n;
    case SENDER:
        must(co4_mailbox_send_until(ch, &eight, limit));
        return eight;
    case SELECT_TO_GET:
        must(co4_await_until(co4_mailbox_source(ch), &n, limit));
        return n;
    case SELECT_TO_PUT:
        must(co4_await_until(co4_mailbox_sending(&p, ch, &eight), NULL, limit));
        return eight;
    default:
        must(
            co4_await_until(co4_source_filter(&f, co4_mailbox_source(ch), wants, NULL), &n, limit));
        return n;
    }
}

static pausable void let_others(void)
{
    for (int i = 0; i < 4; i++)
        co4_yield();
}

/* False: there was no memory for the select, or for its task to go on. */
static pausable bool meets(bool get_first, enum partner which)
{
    ch = co4_mailbox_create(sizeof(int), 0);
    met = 0;
    co4_task *t = co4_spawn(either(get_first));
    co4_yield();
    co4_test_fail_alloc(0);
    let_others();
    bool waits = co4_task_state_of(t) != CO4_TASK_STOPPED;
    if (waits && partner(which) != (which == SENDER || which == SELECT_TO_PUT ? 8 : 7))
        abort();
    let_others();
    must(co4_mailbox_destroy(ch));
    if (co4_task_state_of(t) != CO4_TASK_STOPPED || (met != 0) != waits)
        abort();
    co4_task_release(t);
    return waits;
}

static pausable void each(bool get_first)
{
    printf("%s first:", get_first ? "get" : "put");
    for (int i = 0; i < PARTNERS; i++)
        if (meets(get_first, (enum partner)i))
            printf("%s %s %d", i ? "," : "", names[i], met);
    printf("\n");
}

static pausable void without_memory(const char *how, int sign)
{
    int ended = 0, had = 0;
    for (int n = 1; n <= 8; n++)
        for (int i = 0; i < PARTNERS; i++) {
            fails_at = sign * n;
            had += meets(true, (enum partner)i);
            had += meets(false, (enum partner)i);
            ended += 2;
        }
    fails_at = 0;
    printf("without memory %s: %d ended, %s for lack of it, the others met\n", how, ended,
           had < ended ? "some" : "none");
}

static pausable void takes(int *out)
{
    must(co4_mailbox_receive_until(ch, out, co4_now() + 100 * CO4_SEC));
}

static pausable void behind(void)
{
    int out[3] = { 0 };
    ch = co4_mailbox_create(sizeof(int), 0);
    co4_spawn(either(true));
    let_others();
    takes(&out[0]); /* the select is served, and its other wait is not gone yet */
    for (int i = 0; i < 3; i++)
        co4_spawn(takes(&out[i]));
    let_others();
    for (int i = 1; i <= 3; i++)
        must(co4_mailbox_send_until(ch, &i, CO4_NOW));
    let_others();
    printf("3 receivers wait behind a select that is gone: got %d %d %d\n", out[0], out[1], out[2]);
    must(co4_mailbox_destroy(ch));
}

static pausable void all(void)
{
    each(true);
    each(false);
    without_memory("for once", 1);
    without_memory("from then on", -1);
    behind();
}

int main(void)
{
    co4_run(all());
    return 0;
}
