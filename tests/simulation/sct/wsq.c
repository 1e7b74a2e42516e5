/* wsq.c - a queue for work stealing: its owner pushes and takes at one end, a thief takes at the
 * other. Head and tail are plain numbers, thieves have a lock among themselves.
 *
 * The mistake: the owner lowers the tail and takes the last item without that lock, though a thief
 * that read the tail before may be about to take the same. */
#include "sct.h"

enum { ITEMS = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int items[ITEMS], head, tail, taken[ITEMS + 1];

static int take_last(void)
{
    if (tail <= head)
        return 0;
    tail--;
    return items[tail];
}

static int take(void)
{
    int item;
    if (RIGHT_FORM) {
        pthread_mutex_lock(&lock);
        item = take_last();
        pthread_mutex_unlock(&lock);
    } else {
        item = take_last();
    }
    return item;
}

static int steal(void)
{
    int item = 0;
    pthread_mutex_lock(&lock);
    if (head < tail) {
        item = items[head];
        head++;
    }
    pthread_mutex_unlock(&lock);
    return item;
}

static void *own(void *arg)
{
    for (int i = 0; i < ITEMS / 2; i++)
        taken[take()]++;
    return arg;
}

static void *rob(void *arg)
{
    int item = steal();
    if (item != 0) {
        pthread_mutex_lock(&lock);
        taken[item] += 10;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t owner, thief, other;
    for (int i = 0; i < ITEMS - 1; i++)
        items[tail++] = i + 1;
    begin_thread(&owner, own, 0);
    begin_thread(&thief, rob, 0);
    begin_thread(&other, rob, 0);
    end_thread(owner);
    end_thread(thief);
    end_thread(other);
    for (int i = 1; i <= ITEMS; i++)
        assert(taken[i] == 0 || taken[i] == 1 || taken[i] == 10);
    assert(head <= tail);
    return 0;
}
