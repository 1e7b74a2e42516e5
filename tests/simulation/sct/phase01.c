/* phase01.c - work in two phases, each under a lock.
 *
 * The mistake: a thread that finds the first phase done goes on to the second one without handing
 * back the first lock; then it asks for the lock of the report, which another one has that asks
 * for the first lock. */
#include "sct.h"

static pthread_mutex_t phase = PTHREAD_MUTEX_INITIALIZER, report = PTHREAD_MUTEX_INITIALIZER;
static int phase_done, lines;

static void do_phase(void)
{
    pthread_mutex_lock(&phase);
    int was_done = phase_done;
    phase_done = 1;
    if (RIGHT_FORM || !was_done)
        pthread_mutex_unlock(&phase);
    pthread_mutex_lock(&report);
    lines++;
    pthread_mutex_unlock(&report);
    if (!RIGHT_FORM && was_done)
        pthread_mutex_unlock(&phase);
}

static void look_at_phase(void)
{
    pthread_mutex_lock(&report);
    pthread_mutex_lock(&phase);
    lines += phase_done;
    pthread_mutex_unlock(&phase);
    pthread_mutex_unlock(&report);
}

static void *work(void *arg)
{
    if (number_of_thread(arg) < 2)
        do_phase();
    else
        look_at_phase();
    return NULL;
}

int main(void)
{
    together(3, work);
    return 0;
}
