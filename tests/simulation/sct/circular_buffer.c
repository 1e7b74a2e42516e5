/* circular_buffer.c - a ring of numbers between a writer and a reader, which look at two flags.
 *
 * The mistake: the writer says that there is something to read before it has put the number there,
 * in a turn of the lock of its own. The reader takes what was in that place before. */
#include <sched.h>

#include "sct.h"

enum { PLACES = 3, NUMBERS = 5 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ring[PLACES], may_read, may_write = 1;

static void write_ring(void)
{
    for (int i = 0; i < NUMBERS;) {
        pthread_mutex_lock(&lock);
        int mine = may_write;
        if (mine) {
            may_write = 0;
            may_read = !RIGHT_FORM;
        }
        pthread_mutex_unlock(&lock);
        if (!mine) {
            sched_yield();
            continue;
        }
        pthread_mutex_lock(&lock);
        ring[i % PLACES] = 100 + i;
        may_read |= RIGHT_FORM;
        pthread_mutex_unlock(&lock);
        i++;
    }
}

static void read_ring(void)
{
    for (int i = 0; i < NUMBERS;) {
        pthread_mutex_lock(&lock);
        int mine = may_read;
        if (mine) {
            assert(ring[i % PLACES] == 100 + i);
            may_read = 0;
            may_write = 1;
            i++;
        }
        pthread_mutex_unlock(&lock);
        if (!mine)
            sched_yield();
    }
}

static void *end_of_ring(void *arg)
{
    if (number_of_thread(arg) == 0)
        write_ring();
    else
        read_ring();
    return NULL;
}

int main(void)
{
    together(2, end_of_ring);
    return 0;
}
