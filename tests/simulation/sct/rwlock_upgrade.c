/* rwlock_upgrade.c - readers of a table, of which each may become its writer without leaving.
 *
 * The mistake: a reader that becomes a writer waits until it is the only reader. Two that do it
 * wait for each other. In the right form the second one is refused, leaves, and begins anew. */
#include "sct.h"

enum { USERS = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int readers, upgrading, entries;

static void begin_read(void)
{
    pthread_mutex_lock(&lock);
    while (upgrading)
        pthread_cond_wait(&changed, &lock);
    readers++;
    pthread_mutex_unlock(&lock);
}

static void end_read(void)
{
    pthread_mutex_lock(&lock);
    readers--;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

/* Returns whether the caller, a reader, is the only one now. */
static int upgrade(void)
{
    pthread_mutex_lock(&lock);
    int refused = RIGHT_FORM && upgrading;
    if (!refused) {
        upgrading++;
        while (readers > 1)
            pthread_cond_wait(&changed, &lock);
        upgrading--;
        pthread_cond_broadcast(&changed);
    }
    pthread_mutex_unlock(&lock);
    return !refused;
}

static void *add_entry(void *arg)
{
    begin_read();
    while (!upgrade()) {
        end_read();
        begin_read();
    }
    entries++;
    end_read();
    return arg;
}

int main(void)
{
    together(USERS, add_entry);
    assert(entries == USERS);
    return 0;
}
