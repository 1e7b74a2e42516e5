/* threads_summed - memory is summed up while threads end that have taken some: what they took
 * counts once, whether their thread is there still or not.
 * modes: woven
 * needs: threads workers
 * expect: 480000 at the end, sums in bounds: yes */
#include <co4.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    ROUNDS = 60,
    AT_ONCE = 4,
    EACH = 2000,
    OFF = 64 * (AT_ONCE + 1) /* a batch of each thread may be on its way */
};

static atomic_long begun, ended;
static atomic_int over;
static co4_mailbox *taken[ROUNDS][AT_ONCE][EACH];

static long blocks(void)
{
    co4_memory memory;
    if (co4_memory_of_process(&memory) != CO4_OK)
        abort();
    return (long)memory.blocks;
}

static void *takes(void *arg)
{
    co4_mailbox **own = arg;
    atomic_fetch_add(&begun, EACH);
    for (int i = 0; i < EACH; i++)
        if (!(own[i] = co4_mailbox_create(sizeof(int), 1)))
            abort();
    atomic_fetch_add(&ended, EACH);
    return NULL;
}

struct sums {
    pthread_t thread;
    long before, wrong; /* how often a sum was out of bounds */
};

static void *sums(void *arg)
{
    struct sums *s = arg;
    while (!atomic_load(&over)) {
        long least = atomic_load(&ended);
        long sum = blocks() - s->before;
        s->wrong += sum < least - OFF || sum > atomic_load(&begun) + OFF;
    }
    return NULL;
}

int main(void)
{
    struct sums s[2] = { { .before = blocks() }, { .before = blocks() } };
    pthread_t taking[AT_ONCE];
    for (int i = 0; i < 2; i++)
        if (pthread_create(&s[i].thread, NULL, sums, &s[i]))
            abort();
    for (int r = 0; r < ROUNDS; r++) {
        for (int i = 0; i < AT_ONCE; i++)
            if (pthread_create(&taking[i], NULL, takes, taken[r][i]))
                abort();
        for (int i = 0; i < AT_ONCE; i++)
            pthread_join(taking[i], NULL);
    }
    atomic_store(&over, 1);
    for (int i = 0; i < 2; i++)
        pthread_join(s[i].thread, NULL);
    printf("%ld at the end, sums in bounds: %s\n", blocks() - s[0].before,
           s[0].wrong + s[1].wrong ? "no" : "yes");
    for (int i = 0; i < ROUNDS * AT_ONCE * EACH; i++)
        co4_mailbox_destroy((&taken[0][0][0])[i]);
    return 0;
}
