/* chameneos.c - creatures of three colours meet in a mall, two at a time; both change to the colour
 * that neither has.
 *
 *     chameneos [CREATURES [MEETINGS]]      100 and 100000 when absent */
#include "savina.h"

enum { COLOURS = 3 };

struct creature {
    long id, colour;
    co4_future *other; /* gets the other creature; an error: the mall has closed */
};

struct met {
    long id, colour;
};

static atomic_long meetings, alone;

/* The reference to `other` goes along with a message. */
static int answer(const struct creature *to, const struct creature *met)
{
    int err = met ? co4_future_complete(to->other, &(struct met){ met->id, met->colour })
                  : co4_future_fail(to->other, CO4_ECLOSED);
    co4_future_release(to->other);
    return err;
}

/* Lets creatures in pairs. */
static pausable int mall(co4_mailbox *in, long left)
{
    struct creature first, second;
    for (; left > 0; left--) {
        TRY(co4_mailbox_receive(in, &first));
        int err = co4_mailbox_receive(in, &second);
        if (err != CO4_OK) {
            answer(&first, NULL);
            return err;
        }
        TRY(answer(&first, &second));
        TRY(answer(&second, &first));
    }
    co4_mailbox_close(in);
    while (co4_mailbox_receive_until(in, &first, CO4_NOW) == CO4_OK)
        TRY(answer(&first, NULL));
    return CO4_OK;
}

static pausable int creature(long id, co4_mailbox *to_mall)
{
    struct creature me = { id, id % COLOURS, NULL };
    for (;;) {
        struct met met;
        me.other = co4_future_create(sizeof met);
        if (!me.other)
            return CO4_ENOMEM;
        co4_future *mine = co4_future_retain(me.other);
        int err = co4_mailbox_send(to_mall, &me);
        if (err == CO4_OK)
            err = co4_future_await(mine, &met);
        else
            co4_future_release(me.other); /* it has not gone along */
        co4_future_release(mine);
        if (err != CO4_OK)
            return err == CO4_ECLOSED ? CO4_OK : err;
        meetings++;
        alone += met.id == id;
        if (met.colour != me.colour)
            me.colour = COLOURS - me.colour - met.colour;
    }
}

struct world {
    co4_mailbox *to_mall;
    long creatures, meetings;
};

static pausable int live(const struct world *w)
{
    co4_scope *scope = co4_scope_here();
    TRY(co4_scope_spawn(scope, mall(w->to_mall, w->meetings)));
    for (long i = 0; i < w->creatures; i++)
        TRY(co4_scope_spawn(scope, creature(i, w->to_mall)));
    return CO4_OK;
}

static pausable int all(struct world *w)
{
    return co4_scope_run(0, live(w));
}

int main(int argc, char **argv)
{
    struct world w = { made(co4_mailbox_create(sizeof(struct creature), 300)),
                       argument(argc, argv, 1, 100, 2, 100000),
                       argument(argc, argv, 2, 100000, 0, 10000000) };
    ON_ALL_PROCESSORS(all(&w));
    co4_mailbox_destroy(w.to_mall);
    printf("%ld creatures were in %ld meetings, %ld alone\n", w.creatures, meetings, alone);
    return meetings != 2 * w.meetings || alone != 0;
}
