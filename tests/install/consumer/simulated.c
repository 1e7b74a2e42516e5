/* simulated.c - two threads that count; with an argument they count without their lock. */
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count, unlocked;

static void *add(void *arg)
{
    if (!unlocked)
        pthread_mutex_lock(&lock);
    int before = count;
    sched_yield();
    count = before + 1;
    if (!unlocked)
        pthread_mutex_unlock(&lock);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t one, other;
    (void)argv;
    unlocked = argc > 1;
    if (pthread_create(&one, 0, add, 0) != 0 || pthread_create(&other, 0, add, 0) != 0)
        return 2;
    pthread_join(one, 0);
    pthread_join(other, 0);
    return count != 2;
}
