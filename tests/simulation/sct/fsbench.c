/* fsbench.c - files that 27 threads make: each takes an entry, and for that a block of the disk.
 *
 * The mistake: a thread looks whether a block is free under the block's lock, and takes it in
 * another turn of that lock. Two files may get one block. */
#include "sct.h"

enum { THREADS = 27, ENTRIES = 32, BLOCKS = 40 };

static pthread_mutex_t entry_locks[ENTRIES], block_locks[BLOCKS];
static int block_of[ENTRIES], owners[BLOCKS];

static int block_is_free(int block)
{
    pthread_mutex_lock(&block_locks[block]);
    int is_free = owners[block] == 0;
    if (RIGHT_FORM && is_free)
        owners[block]++;
    pthread_mutex_unlock(&block_locks[block]);
    return is_free;
}

static int find_block(int begin)
{
    int block = begin;
    while (!block_is_free(block))
        block = (block + 1) % BLOCKS;
    if (!RIGHT_FORM) {
        pthread_mutex_lock(&block_locks[block]);
        owners[block]++;
        pthread_mutex_unlock(&block_locks[block]);
    }
    return block;
}

static void *make_file(void *arg)
{
    int entry = number_of_thread(arg) % ENTRIES;
    pthread_mutex_lock(&entry_locks[entry]);
    if (block_of[entry] == 0)
        block_of[entry] = 1 + find_block(entry * 2 % BLOCKS);
    pthread_mutex_unlock(&entry_locks[entry]);
    return NULL;
}

int main(void)
{
    for (int i = 0; i < ENTRIES; i++)
        pthread_mutex_init(&entry_locks[i], NULL);
    for (int i = 0; i < BLOCKS; i++)
        pthread_mutex_init(&block_locks[i], NULL);
    together(THREADS, make_file);
    for (int i = 0; i < BLOCKS; i++)
        assert(owners[i] <= 1);
    return 0;
}
