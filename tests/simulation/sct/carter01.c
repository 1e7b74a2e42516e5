/* carter01.c - two groups share a resource: the first one of a group takes it, the last one hands
 * it back.
 *
 * The mistake: a member of one group takes the resource while it keeps the lock of the counts, the
 * other group takes that lock while it keeps the resource. Each has what the other waits for. */
#include "sct.h"

static pthread_mutex_t counts = PTHREAD_MUTEX_INITIALIZER, resource = PTHREAD_MUTEX_INITIALIZER;
static int members, uses;

static void in_first_group(void)
{
    pthread_mutex_lock(&counts);
    if (++members == 1)
        pthread_mutex_lock(&resource);
    uses++;
    if (--members == 0)
        pthread_mutex_unlock(&resource);
    pthread_mutex_unlock(&counts);
}

static void in_second_group(void)
{
    if (RIGHT_FORM)
        pthread_mutex_lock(&counts);
    pthread_mutex_lock(&resource);
    if (!RIGHT_FORM)
        pthread_mutex_lock(&counts);
    uses++;
    pthread_mutex_unlock(&counts);
    pthread_mutex_unlock(&resource);
}

static void *member(void *arg)
{
    if (number_of_thread(arg) % 2 == 0)
        in_first_group();
    else
        in_second_group();
    return NULL;
}

int main(void)
{
    together(4, member);
    assert(uses == 4);
    return 0;
}
