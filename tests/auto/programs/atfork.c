/* atfork.c - handlers for forks that the program has registered before it waits for the first time:
 * they lock, wait and unlock, and the library has none of its own locks meanwhile. */
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int ends[2], calls[3];

static void prepare(void)
{
    char c;
    pthread_mutex_lock(&mutex);
    calls[0]++;
    if (write(ends[1], "x", 1) == 1 && read(ends[0], &c, 1) == 1)
        usleep(1000);
}

static void in_parent(void)
{
    calls[1]++;
    pthread_mutex_unlock(&mutex);
}

static void in_child(void)
{
    calls[2]++;
    pthread_mutex_unlock(&mutex);
}

__attribute__((constructor)) static void begin(void)
{
    if (pipe(ends) == 0)
        pthread_atfork(prepare, in_parent, in_child);
}

static void show(const char *who)
{
    printf("%s: %d %d %d, lock %d\n", who, calls[0], calls[1], calls[2],
           pthread_mutex_trylock(&mutex));
    pthread_mutex_unlock(&mutex);
    fflush(stdout);
}

int main(void)
{
    for (int i = 0; i < 3; i++) {
        int status;
        pid_t child = fork();
        if (child == 0) {
            usleep(1000);
            show("child");
            _exit(3);
        }
        waitpid(child, &status, 0);
        printf("ended %d\n", WEXITSTATUS(status));
        show("parent");
    }
    return 0;
}
