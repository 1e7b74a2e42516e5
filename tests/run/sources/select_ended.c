/* select_ended - a select names a case by its index only when that gave a value. A case that has
 * ended without one is CO4_ENDED(i), which a switch without such a label sends to its default.
 * modes: plain woven forced
 * needs: threads workers
 * expect: closed while it waits: CO4_ENDED(1), codes CO4_EEMPTY CO4_ECLOSED
 * expect: failed while it waits: CO4_ENDED(1), codes CO4_EEMPTY CO4_ENOMEM
 * expect: a value: 0, codes CO4_OK CO4_EEMPTY, 7
 * expect: failed before: CO4_ENDED(1), codes CO4_EEMPTY -5
 * expect: its own deadline: CO4_ETIMEDOUT, codes CO4_EEMPTY CO4_EEMPTY
 * expect: a source's deadline: CO4_ENDED(0), codes CO4_ETIMEDOUT CO4_EEMPTY
 * expect: a send to a closed mailbox: CO4_ENDED(1), codes CO4_EEMPTY CO4_ECLOSED
 * expect: a send of another size: CO4_EINVAL, codes CO4_EEMPTY CO4_EEMPTY
 * expect: unknown flags: CO4_EINVAL, codes CO4_EEMPTY CO4_EEMPTY
 * expect: all closed, in order: CO4_ENDED(0) CO4_ENDED(1) CO4_ENDED(2) CO4_EINVAL
 * expect: all closed, at random: each once
 * expect: try, closed: CO4_ENDED(1), codes CO4_EEMPTY CO4_ECLOSED
 * expect: try, empty: CO4_EEMPTY, codes CO4_EEMPTY CO4_EEMPTY
 * expect: without the label: default
 * expect: with the label: case 0 has ended
 * expect: on a thread: CO4_ENDED(1), codes CO4_EEMPTY CO4_ECLOSED
 * expect: await: CO4_ECLOSED CO4_ECLOSED CO4_ECLOSED CO4_ECLOSED CO4_ECLOSED
 * expect: in words: a case of the select has ended, CO4_ENDED */
#include <co4.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

_Static_assert(CO4_ENDED(0) < CO4_ERROR_LAST_, "no code of co4");
_Static_assert(CO4_ENDED(CO4_ENDED(3)) == 3, "its own inverse");

#define OTHERS 3

static co4_mailbox *never, *closed;

static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

static void say(const char *what, int chosen, const co4_case *cases)
{
    printf("%s: ", what);
    if (chosen <= CO4_ENDED(0))
        printf("CO4_ENDED(%d)", CO4_ENDED(chosen));
    else if (chosen < 0)
        printf("%s", co4_errname(chosen));
    else
        printf("%d", chosen);
    printf(", codes");
    for (int i = 0; i < 2; i++)
        if (cases[i].code == -5)
            printf(" -5");
        else
            printf(" %s", co4_errname(cases[i].code));
}

/* ---- a source whose add tells another thread that the select waits ---- */

static atomic_int waits;

static int nothing(co4_source *source, co4_listener *l)
{
    (void)source, (void)l;
    return 0;
}

static int tells(co4_source *source, co4_listener *l)
{
    atomic_store(&waits, 1);
    return nothing(source, l);
}

static void drop(co4_source *source, co4_listener *l)
{
    (void)source, (void)l;
}

static const co4_source_ops tell_ops = { nothing, tells, drop, NULL };
static co4_source tell = { &tell_ops };

static void *closes(void *mb)
{
    while (!atomic_load(&waits))
        sched_yield();
    co4_mailbox_close(mb);
    return NULL;
}

static void *fails(void *future)
{
    while (!atomic_load(&waits))
        sched_yield();
    must(co4_future_fail(future, CO4_ENOMEM));
    return NULL;
}

static pausable int at_three(co4_case *cases)
{
    return co4_select_until(cases, 3, CO4_SELECT_IN_ORDER, CO4_NEVER);
}

/* Waits for the source. The function `ends` ends it on another thread once the select waits. */
static void while_it_waits(const char *what, co4_source *source, void *(*ends)(void *), void *arg)
{
    pthread_t thread;
    int n;
    co4_case cases[] = { CO4_CASE(co4_mailbox_source(never), &n), CO4_CASE(source, NULL),
                         CO4_CASE(&tell, NULL) };
    atomic_store(&waits, 0);
    must(pthread_create(&thread, NULL, ends, arg));
    int chosen = co4_run(at_three(cases));
    pthread_join(thread, NULL);
    say(what, chosen, cases);
    puts("");
}

static void waiting(void)
{
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 1);
    while_it_waits("closed while it waits", co4_mailbox_source(mb), closes, mb);
    co4_mailbox_destroy(mb);
    co4_future *future = co4_future_create(0);
    while_it_waits("failed while it waits", co4_future_source(future), fails, future);
    co4_future_release(future);
}

/* ---- ready, or never ---- */

static pausable void ready(void)
{
    int n = 0, seven = 7;
    char c = 'x';
    co4_mailbox *mb = co4_mailbox_create(sizeof n, 1);
    co4_future *future = co4_future_create(0);
    must(co4_mailbox_send_until(mb, &seven, CO4_NOW));
    must(co4_future_fail(future, -5));

    co4_case cases[] = { CO4_CASE(co4_mailbox_source(mb), &n),
                         CO4_CASE(co4_mailbox_source(never), NULL) };
    say("a value", co4_select(cases, 2), cases);
    printf(", %d\n", n);

    co4_case failed[] = { CO4_CASE(co4_mailbox_source(never), &n),
                          CO4_CASE(co4_future_source(future), NULL) };
    say("failed before", co4_select(failed, 2), failed);
    puts("");

    cases[1].code = CO4_OK; /* as after a select that has chosen it */
    say("its own deadline", co4_select_until(cases, 2, 0, co4_now() + CO4_MS), cases);
    puts("");

    co4_timed timed;
    co4_case limited[] = {
        CO4_CASE(co4_source_until(&timed, co4_mailbox_source(mb), co4_now() + CO4_MS), &n),
        CO4_CASE(co4_mailbox_source(never), &n)
    };
    say("a source's deadline", co4_select(limited, 2), limited);
    puts("");

    co4_sending sending;
    co4_case sends[] = { CO4_CASE(co4_mailbox_source(never), &n),
                         CO4_CASE(co4_mailbox_sending(&sending, closed, &seven), NULL) };
    say("a send to a closed mailbox", co4_select(sends, 2), sends);
    puts("");
    sends[1].source = co4_mailbox_sending(&sending, mb, &c);
    say("a send of another size", co4_select(sends, 2), sends);
    puts("");
    sends[1].code = CO4_OK;
    say("unknown flags", co4_select_until(sends, 2, 64, CO4_NEVER), sends);
    puts("");
    co4_future_release(future);
    co4_mailbox_destroy(mb);
}

/* ---- several at once ---- */

static pausable void several(void)
{
    int n, seen[OTHERS] = { 0 };
    co4_case cases[OTHERS];
    for (int i = 0; i < OTHERS; i++)
        cases[i] = (co4_case)CO4_CASE(co4_mailbox_source(closed), &n);
    printf("all closed, in order:");
    for (int i = 0; i <= OTHERS; i++) {
        int chosen = co4_select_until(cases, OTHERS, CO4_SELECT_IN_ORDER, CO4_NEVER);
        if (chosen > CO4_ENDED(0)) {
            printf(" %s\n", co4_errname(chosen));
            break;
        }
        printf(" CO4_ENDED(%d)", CO4_ENDED(chosen));
        cases[CO4_ENDED(chosen)].source = NULL;
    }
    for (int i = 0; i < OTHERS; i++)
        cases[i].source = co4_mailbox_source(closed);
    for (int i = 0; i < OTHERS; i++) {
        int chosen = CO4_ENDED(co4_select(cases, OTHERS));
        if (chosen < 0 || chosen >= OTHERS || cases[chosen].code != CO4_ECLOSED)
            break;
        seen[chosen]++;
        cases[chosen].source = NULL;
    }
    printf("all closed, at random: %s\n",
           seen[0] == 1 && seen[1] == 1 && seen[2] == 1 ? "each once" : "not each once");
}

/* ---- a try ---- */

static void tries(void)
{
    int n;
    co4_case cases[] = { CO4_CASE(co4_mailbox_source(never), &n),
                         CO4_CASE(co4_mailbox_source(closed), &n) };
    say("try, closed", co4_select_until(cases, 2, 0, CO4_NOW), cases);
    puts("");
    cases[1].source = co4_mailbox_source(never);
    say("try, empty", co4_select_until(cases, 2, 0, CO4_NOW), cases);
    puts("");
}

/* ---- a switch ---- */

static pausable void switches(void)
{
    int n;
    co4_case cases[] = { CO4_CASE(co4_mailbox_source(closed), &n),
                         CO4_CASE(co4_mailbox_source(never), &n) };
    printf("without the label: ");
    switch (co4_select(cases, 2)) {
    case 0:
        printf("the value %d\n", n);
        break;
    case 1:
    case CO4_ETIMEDOUT:
        puts("something else");
        break;
    default:
        puts("default");
    }
    printf("with the label: ");
    switch (co4_select(cases, 2)) {
    case 0:
        printf("the value %d\n", n);
        break;
    case CO4_ENDED(0):
        puts("case 0 has ended");
        break;
    case CO4_ENDED(1):
        puts("case 1 has ended");
        break;
    default:
        puts("default");
    }
}

/* ---- a thread, and awaits ---- */

static pausable int at_two(co4_case *cases)
{
    return co4_select(cases, 2);
}

static void *on_a_thread(void *arg)
{
    int n;
    co4_case cases[] = { CO4_CASE(co4_mailbox_source(never), &n),
                         CO4_CASE(co4_mailbox_source(closed), &n) };
    say("on a thread", co4_run(at_two(cases)), cases);
    puts("");
    return arg;
}

static pausable void awaits(void)
{
    int n;
    co4_source *s = co4_mailbox_source(closed);
    printf("await: %s %s %s", co4_errname(co4_await(s, &n)),
           co4_errname(co4_await_until(s, &n, CO4_NEVER)),
           co4_errname(co4_await_until(s, &n, CO4_NOW)));
}

static pausable void all(void)
{
    ready();
    several();
    tries();
    switches();
}

int main(void)
{
    int n;
    pthread_t thread;
    never = co4_mailbox_create(sizeof n, 1);
    closed = co4_mailbox_create(sizeof n, 1);
    co4_mailbox_close(closed);
    waiting();
    co4_run(all());
    must(pthread_create(&thread, NULL, on_a_thread, NULL));
    pthread_join(thread, NULL);
    co4_run(awaits());
    co4_source *s = co4_mailbox_source(closed);
    printf(" %s %s\n", co4_errname(co4_block(co4_await(s, &n))),
           co4_errname(co4_block(co4_await_until(s, &n, CO4_NEVER))));
    printf("in words: %s, %s\n", co4_strerror(CO4_ENDED(7)), co4_errname(CO4_ENDED(7)));
    co4_mailbox_destroy(never);
    co4_mailbox_destroy(closed);
    return 0;
}
