/* ferret.c - two stages with a queue between them; the first stage ends when all its inputs are
 * read, and says so to the second one.
 *
 * The mistake: the count of those that still work is lowered before the last piece is in the queue.
 * The second stage finds none at work and an empty queue, and ends without that piece. */
#include "sct.h"

enum { READERS = 2, EACH = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int queued, working = READERS, written;

static void change(int more_queued, int fewer_working)
{
    pthread_mutex_lock(&lock);
    queued += more_queued;
    working -= fewer_working;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void *read_pieces(void *arg)
{
    for (int i = 0; i < EACH - 1; i++)
        change(1, 0);
    if (RIGHT_FORM) {
        change(1, 0);
        change(0, 1);
    } else {
        change(0, 1);
        change(1, 0);
    }
    return arg;
}

static void *write_pieces(void *arg)
{
    pthread_mutex_lock(&lock);
    for (;;) {
        while (queued == 0 && working > 0)
            pthread_cond_wait(&changed, &lock);
        if (queued == 0)
            break;
        queued--;
        written++;
    }
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *stage(void *arg)
{
    return number_of_thread(arg) < READERS ? read_pieces(arg) : write_pieces(arg);
}

int main(void)
{
    together(READERS + 1, stage);
    assert(written == READERS * EACH);
    return 0;
}
