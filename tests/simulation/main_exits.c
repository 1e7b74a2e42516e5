/* main_exits.c - main ends by pthread_exit(): handlers and destructors run, and the process ends
 * well when all others have ended. With `joined` one of them joins it, with `signal` one takes a
 * signal; with another argument it keeps a lock, so they cannot end. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key;

static void say(void *text)
{
    puts(text);
}

static void say_at_exit(void)
{
    puts("exit");
}

static void *work(void *arg)
{
    usleep(5000);
    pthread_mutex_lock(&lock);
    puts("worker");
    pthread_mutex_unlock(&lock);
    return arg;
}

static pthread_t first;

static void *join_first(void *arg)
{
    void *value = NULL;
    int failed = pthread_join(first, &value);
    printf("joined: %d, %s\n", failed, failed ? "" : (const char *)value);
    return arg;
}

/* What comes to the process is for those that still run. */
static void *take_signal(void *arg)
{
    sigset_t set;
    int signo = 0;
    usleep(1000);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    kill(getpid(), SIGUSR1);
    sigwait(&set, &signo);
    printf("taken: %d, detached: %d\n", signo == SIGUSR1, pthread_detach(first));
    return arg;
}

static void handle(int signo)
{
    (void)signo;
    puts("handled");
}

static void leave(int depth)
{
    pthread_cleanup_push(say, "handler");
    if (depth > 0)
        leave(depth - 1);
    usleep(10);
    pthread_exit(NULL);
    pthread_cleanup_pop(0);
}

int main(int argc, char **argv)
{
    pthread_t threads[2];
    atexit(say_at_exit);
    if (argc > 1 && strcmp(argv[1], "joined") == 0) {
        first = pthread_self();
        pthread_create(&threads[0], NULL, join_first, NULL);
        if (argc > 2)
            usleep(1000);
        pthread_exit("its value");
    }
    pthread_key_create(&key, say);
    pthread_setspecific(key, "destructor");
    for (int i = 0; i < 2; i++) {
        pthread_create(&threads[i], NULL, work, NULL);
        pthread_detach(threads[i]);
    }
    if (argc > 1 && strcmp(argv[1], "signal") == 0) {
        signal(SIGUSR1, handle);
        first = pthread_self();
        pthread_create(&threads[0], NULL, take_signal, NULL);
        pthread_exit(NULL);
    }
    if (argc > 1)
        pthread_mutex_lock(&lock);
    leave(1);
    return 3;
}
