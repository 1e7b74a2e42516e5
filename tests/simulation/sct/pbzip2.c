/* pbzip2.c - blocks for workers in a queue; its maker removes the queue when all blocks are taken.
 *
 * The mistake: it does not wait for the workers. One that looks once more whether there is a block
 * uses a queue that is no more. */
#include "sct.h"

enum { WORKERS = 2, BLOCKS = 4 };

static struct queue {
    pthread_mutex_t lock;
    pthread_cond_t emptied;
    int blocks, is_gone;
} queue = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, BLOCKS, 0 };

static void *work(void *arg)
{
    for (int more = 1; more;) {
        pthread_mutex_lock(&queue.lock);
        assert(!queue.is_gone);
        more = queue.blocks > 0;
        queue.blocks -= more;
        if (queue.blocks == 0)
            pthread_cond_signal(&queue.emptied);
        pthread_mutex_unlock(&queue.lock);
    }
    return arg;
}

static void wait_until_empty(void)
{
    pthread_mutex_lock(&queue.lock);
    while (queue.blocks > 0)
        pthread_cond_wait(&queue.emptied, &queue.lock);
    pthread_mutex_unlock(&queue.lock);
}

int main(void)
{
    pthread_t ids[WORKERS];
    for (int i = 0; i < WORKERS; i++)
        begin_thread(&ids[i], work, i);
    wait_until_empty();
    for (int i = 0; RIGHT_FORM && i < WORKERS; i++)
        end_thread(ids[i]);
    pthread_mutex_lock(&queue.lock);
    queue.is_gone = 1;
    pthread_mutex_unlock(&queue.lock);
    for (int i = 0; !RIGHT_FORM && i < WORKERS; i++)
        end_thread(ids[i]);
    return 0;
}
