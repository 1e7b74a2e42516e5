/* blocking.c - calls that block the thread, in pausable functions and nowhere else. */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <co4.h>

static int my_poll(int n)
{
    return poll(NULL, 0, n); /* a plain function may block; its callers are warned */
}

struct device {
    int (*read)(struct device *self);
    int poll;
};

static int read_one(struct device *self)
{
    return self->poll;
}

#define REST(n) usleep(n)

pausable int work(co4_mailbox *mb, pthread_cond_t *changed, pthread_mutex_t *lock);
pausable int work(co4_mailbox *mb, pthread_cond_t *changed, pthread_mutex_t *lock)
{
    struct device d = { read_one, 1 };
    char line[80];
    int n = (int)sleep(1) + my_poll(0);
    /* warning at 18: 'sleep' blocks the thread, and with 'work' all other tasks on it */
    /* hint: co4_sleep(ns) */
    /* warning at 29: 'my_poll' calls 'poll', which blocks the thread, and with 'work' */
    /* hint: mark 'my_poll' pausable, with a call that pauses; or write co4_blocking(my_poll( */
    REST(5); /* warning at 5: 'usleep' blocks the thread */ /* hint: co4_sleep(ns) */
    nanosleep(&(struct timespec){ 0, 1 }, NULL); /* warning: 'nanosleep' blocks the thread */
    n += (int)sizeof(poll(NULL, 0, 0)) + d.read(&d);
    while (n++ < 3 && poll(NULL, 0, 1) == 0)
        /* warning at 23: 'poll' blocks the thread */
        /* hint: co4_poll(), of co4/io.h */
        co4_yield();
    pthread_mutex_lock(lock); /* no warning: it is given back before the next pause */
    pthread_cond_wait(changed, lock);
    /* warning: 'pthread_cond_wait' blocks the thread */
    /* hint: co4_mailbox_receive() */
    pthread_mutex_unlock(lock);
    if (fgets(line, sizeof line, stdin) != NULL && write(1, line, 1) == 1)
        /* warning at 9: 'fgets' blocks the thread */
        /* hint: co4_conn_read_line() and its like, of co4/conn.h */
        /* warning at 52: 'write' blocks the thread */
        /* hint: co4_write(), of co4/io.h */
        n += (int)read(0, line, sizeof line);
    /* warning: 'read' blocks the thread */
    /* hint: co4_read(), of co4/io.h */
    waitpid(-1, NULL, 0);
    /* warning: 'waitpid' blocks the thread */
    /* hint: co4_process_wait(), of co4/process.h */
    n += system("true"); /* warning: 'system' blocks the thread */   /* hint: co4_process_run() */
    n += co4_blocking(system("true")) + (int)co4_blocking(sleep(1)); /* threads of their own */
    return n;
}

/* Nothing pauses in it, but it is called by what does. */
pausable void rest(unsigned n);
pausable void rest(unsigned n)
{
    sleep(n); /* warning: 'sleep' blocks the thread, and with 'rest' */
}
