/* iwsq.c - a queue for work stealing without a lock: a thief takes an item by an exchange of the
 * head, if that is still what it was.
 *
 * The mistake: the owner takes the last item as it takes others. A thief that has read the tail
 * before that takes the item as well. In the right form the owner, too, has to win the head. */
#include <stdatomic.h>

#include "sct.h"

enum { ITEMS = 3, THIEVES = 2 };

static atomic_int head, tail, taken[ITEMS];

static int steal(void)
{
    int at = atomic_load(&head);
    if (at >= atomic_load(&tail))
        return -1;
    return atomic_compare_exchange_strong(&head, &at, at + 1) ? at : -1;
}

static int take(void)
{
    int at = atomic_fetch_sub(&tail, 1) - 1, first = atomic_load(&head);
    if (at > first || (!RIGHT_FORM && at == first))
        return at;
    int won = at == first && atomic_compare_exchange_strong(&head, &first, first + 1);
    atomic_store(&tail, at + 1);
    return won ? at : -1;
}

static void *use(void *arg)
{
    int owns = number_of_thread(arg) == THIEVES;
    for (int i = 0; i < (owns ? ITEMS : 1); i++) {
        int item = owns ? take() : steal();
        if (item >= 0)
            atomic_fetch_add(&taken[item], 1);
    }
    return NULL;
}

int main(void)
{
    atomic_store(&tail, ITEMS);
    together(THIEVES + 1, use);
    for (int i = 0; i < ITEMS; i++)
        assert(atomic_load(&taken[i]) <= 1);
    return 0;
}
