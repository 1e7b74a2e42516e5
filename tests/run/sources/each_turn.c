/* each_turn.c - a host's turn is a step for each task that is ready then, also for those that
 * yield, whatever is woken meanwhile.
 * modes: woven
 * expect: 50 turns: 50 steps of each that yields, heard more than 10: 1 */
#include <co4.h>
#include <stdio.h>

enum { TURNS = 50, COUNTERS = 3 };

static int steps[COUNTERS], heard;
static bool over;

static pausable void counts(int *mine)
{
    while (!over) {
        ++*mine;
        co4_yield();
    }
}

static pausable void answers(co4_mailbox *there, co4_mailbox *back)
{
    int word;
    while (co4_mailbox_receive(there, &word) == CO4_OK)
        co4_mailbox_send(back, &word);
}

static pausable void asks(co4_mailbox *there, co4_mailbox *back)
{
    int word = 0;
    while (!over && co4_mailbox_send(there, &word) == CO4_OK) {
        co4_mailbox_receive(back, &word);
        heard++;
    }
    co4_mailbox_close(there);
}

int main(void)
{
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = CO4_RUNTIME_EMBEDDED });
    co4_mailbox *there = co4_mailbox_create(sizeof(int), 1);
    co4_mailbox *back = co4_mailbox_create(sizeof(int), 1);
    for (int i = 0; i < COUNTERS; i++)
        co4_runtime_spawn(rt, counts(&steps[i]));
    co4_runtime_spawn(rt, answers(there, back));
    co4_runtime_spawn(rt, asks(there, back));
    co4_runtime_start(rt);
    for (int i = 0; i < TURNS; i++)
        co4_runtime_run_once(rt);
    int least = TURNS, most = 0;
    for (int i = 0; i < COUNTERS; i++) {
        least = steps[i] < least ? steps[i] : least;
        most = steps[i] > most ? steps[i] : most;
    }
    printf("%d turns: %d%s steps of each that yields, heard more than 10: %d\n", TURNS, least,
           most > least ? " or more" : "", heard > 10);
    over = true;
    while (co4_runtime_tasks(rt) > 0)
        co4_runtime_run_once(rt);
    co4_runtime_destroy(rt);
    co4_mailbox_destroy(there);
    co4_mailbox_destroy(back);
    return 0;
}
