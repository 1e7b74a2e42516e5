/* main_exits.c - main ends by pthread_exit(): handlers and destructors run, and the process ends
 * well when all others have ended. With an argument it keeps a lock, so they cannot. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
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
    (void)argv;
    atexit(say_at_exit);
    pthread_key_create(&key, say);
    pthread_setspecific(key, "destructor");
    for (int i = 0; i < 2; i++) {
        pthread_create(&threads[i], NULL, work, NULL);
        pthread_detach(threads[i]);
    }
    if (argc > 1)
        pthread_mutex_lock(&lock);
    leave(1);
    return 3;
}
