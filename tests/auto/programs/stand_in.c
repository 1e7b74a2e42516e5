/* stand_in.c - threads that block in what co4 does not know: others go on. Each part has more of
 * them than there are workers, and none goes on before the last, which is a task as they are. */
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { N = 9 };

static void with(const char *what, void *(*all)(void *), void *(*last)(void *))
{
    pthread_t threads[N + 1];
    long sum = 0;
    for (long i = 0; i < N; i++)
        if (pthread_create(&threads[i], NULL, all, (void *)i) != 0)
            abort();
    if (pthread_create(&threads[N], NULL, last, NULL) != 0)
        abort();
    for (int i = 0; i <= N; i++) {
        void *result;
        pthread_join(threads[i], &result);
        sum += (long)result;
    }
    printf("%s: %ld\n", what, sum);
    fflush(stdout);
}

/* ---- an open of a FIFO waits for the other side ---- */

static char names[N][32];

static void *reads(void *arg)
{
    char c = 0;
    int fd = open(names[(long)arg], O_RDONLY);
    ssize_t n = read(fd, &c, 1);
    close(fd);
    return (void *)(long)(n == 1 ? c : -1000);
}

static void *opens(void *arg)
{
    for (int i = N - 1; i >= 0; i--) {
        int fd = open(names[i], O_WRONLY);
        if (write(fd, &(char){ (char)(i + 1) }, 1) != 1)
            abort();
        close(fd);
    }
    return arg;
}

/* ---- a comparison that waits, called by plain code ---- */

static sem_t posted;

static int compare(const void *a, const void *b)
{
    sem_wait(&posted);
    return *(const int *)a - *(const int *)b;
}

static void *finds(void *arg)
{
    static const int number = 1;
    (void)arg;
    return (void *)(long)(bsearch(&number, &number, 1, sizeof number, compare) == &number);
}

static void *posts(void *arg)
{
    for (int i = 0; i < N; i++) {
        usleep(300);
        sem_post(&posted);
    }
    return arg;
}

/* ---- a destructor that waits ---- */

static pthread_key_t key;
static atomic_int destroyed;

static void destroy(void *value)
{
    sem_wait(&posted);
    destroyed += (int)(long)value;
}

static void *sets(void *arg)
{
    pthread_setspecific(key, (char *)arg + 1);
    return NULL;
}

/* ---- computing that nothing interrupts, until another has run ---- */

static atomic_int flag;

static __attribute__((noinline)) int spins(const void *a, const void *b)
{
    while (atomic_load(&flag) == 0)
        ;
    return *(const int *)a - *(const int *)b;
}

static void *computes(void *arg)
{
    static const int number = 1;
    (void)arg;
    return (void *)(long)(bsearch(&number, &number, 1, sizeof number, spins) == &number);
}

static void *sets_flag(void *arg)
{
    usleep(1000);
    atomic_store(&flag, 1);
    return arg;
}

/* ---- tasks that stand behind a blocked one in its worker's queue ---- */

static int pipes[2];

static void *writes(void *arg)
{
    if (write(pipes[1], "", 1) != 1)
        abort();
    return arg;
}

static void *begins_and_blocks(void *arg)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, writes, NULL);
    close(open(names[1], O_RDONLY)); /* the other side opens when all of them have run */
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return arg;
}

static void *opens_last(void *arg)
{
    char c;
    for (int i = 0; i < N; i++)
        if (read(pipes[0], &c, 1) != 1)
            abort();
    close(open(names[1], O_WRONLY));
    return arg;
}

int main(void)
{
    char folder[] = "/tmp/co4-stand-in-XXXXXX";
    pthread_t first, last;
    if (mkdtemp(folder) == NULL || pipe(pipes) != 0 || sem_init(&posted, 0, 0) != 0)
        return 1;
    for (int i = 0; i < N; i++) {
        snprintf(names[i], sizeof names[i], "%s/%d", folder, i);
        if (mkfifo(names[i], 0600) != 0)
            return 1;
    }
    with("FIFOs", reads, opens);
    with("comparisons", finds, posts);
    pthread_key_create(&key, destroy);
    with("destructors", sets, posts);
    printf("destroyed: %d\n", destroyed);
    with("computing", computes, sets_flag);
    pthread_create(&first, NULL, begins_and_blocks, NULL);
    pthread_create(&last, NULL, opens_last, NULL);
    pthread_join(first, NULL);
    pthread_join(last, NULL);
    puts("all that stood behind");
    for (int i = 0; i < N; i++)
        unlink(names[i]);
    return rmdir(folder);
}
