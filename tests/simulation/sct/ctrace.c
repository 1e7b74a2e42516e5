/* ctrace.c - a library that writes down what threads do; it has a table of them, which each enters
 * at its first line.
 *
 * The mistake: a thread looks for a free row of the table, and enters it later. Two threads may
 * enter one row, and the lines of one count as the other's. */
#include "sct.h"

enum { THREADS = 3, LINES = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int owner_of[THREADS], lines_of[THREADS];

static int find_row(int owner)
{
    int row = 0;
    pthread_mutex_lock(&lock);
    while (owner_of[row] != owner && owner_of[row] != 0)
        row++;
    if (RIGHT_FORM)
        owner_of[row] = owner;
    pthread_mutex_unlock(&lock);
    return row;
}

static void trace(int owner)
{
    int row = find_row(owner);
    pthread_mutex_lock(&lock);
    owner_of[row] = owner;
    lines_of[row]++;
    pthread_mutex_unlock(&lock);
}

static void *work(void *arg)
{
    for (int i = 0; i < LINES; i++)
        trace(number_of_thread(arg) + 1);
    return NULL;
}

int main(void)
{
    together(THREADS, work);
    for (int i = 0; i < THREADS; i++)
        assert(owner_of[i] != 0 && lines_of[i] == LINES);
    return 0;
}
