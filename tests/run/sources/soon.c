/* soon.c - what is ready gets its turn in bounded time, however long the others' steps are: counted
 * in their steps.
 * modes: woven
 * expect: heard 100; turns of the third: 13; steps of the others in between: 16
 * expect: of 1000 tasks 1000 have begun; too early: 0 times */
#include <co4.h>
#include <stdio.h>

/* ---- in a co4_run: the order does not depend on time ---- */

enum { TALKS = 100 };

struct talk {
    co4_mailbox *there, *back;
    int said, most, heard, yielded;
    bool over;
};

static pausable void answers(struct talk *t)
{
    int word;
    while (co4_mailbox_receive(t->there, &word) == CO4_OK) {
        t->said++;
        co4_mailbox_send(t->back, &word);
    }
}

static pausable void asks(struct talk *t)
{
    for (int word = 0, got; word < TALKS; word++) {
        t->said++;
        co4_mailbox_send(t->there, &word);
        co4_mailbox_receive(t->back, &got);
        t->heard += got == word;
    }
    t->over = true;
    co4_mailbox_close(t->there);
}

/* Counts what the talkers say between two turns of its own. */
static pausable void yields(struct talk *t)
{
    while (!t->over) {
        int before = t->said;
        co4_yield();
        t->yielded++;
        if (t->said - before > t->most)
            t->most = t->said - before;
    }
}

static pausable void two_talk(void)
{
    struct talk t = { .there = co4_mailbox_create(sizeof(int), 1),
                      .back = co4_mailbox_create(sizeof(int), 1) };
    /* The small library, which has one queue, has no futures: this program is not for it. */
    co4_future_release(co4_async(answers(&t)));
    co4_spawn(asks(&t));
    yields(&t);
    printf("heard %d; turns of the third: %d; steps of the others in between: %d\n", t.heard,
           t.yielded, t.most);
    co4_mailbox_destroy(t.there);
    co4_mailbox_destroy(t.back);
}

/* ---- a task that yields runs behind all that were ready before ---- */

enum { MANY = 1000, AT_ONCE = 100 };

static int begun, waiting;

static pausable void begins(void)
{
    begun++;
}

static pausable void spawns(void)
{
    for (int i = 1; i <= MANY; i++) {
        co4_spawn(begins());
        if (i % AT_ONCE != 0)
            continue;
        co4_yield();
        if (begun < i)
            waiting++; /* one that was spawned before has not begun */
    }
    printf("of %d tasks %d have begun; too early: %d times\n", MANY, begun, waiting);
}

int main(void)
{
    co4_run(two_talk());
    co4_run(spawns());
    return 0;
}
