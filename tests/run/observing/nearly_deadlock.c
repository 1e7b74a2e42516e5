/* nearly_deadlock.c - calls that wait for long, and for events that come: none ends as a
 * deadlock.
 * needs: threads signals deadlocks workers
 * modes: woven forced
 * expect: a thread puts: 1
 * expect: a thread that a thread starts puts: 2
 * expect: a timer: CO4_OK
 * expect: a worker's timer: 3
 * expect: a thread with a deadline: 4
 * expect: a blocking call: 5
 * expect: a thread that reads what a handler writes: 6
 * expect: a handler that ends the process: exit 7
 * expect: not to be told: ended by a signal
 * expect: the dump's handler alone: CO4_EDEADLK */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <co4.h>

static pausable int get(co4_mailbox *mb)
{
    int n, err = co4_mailbox_receive(mb, &n);
    return err == CO4_OK ? n : err;
}

struct late {
    co4_mailbox *mb;
    int n;
};

static void wait_long(void)
{
    struct timespec t = { .tv_nsec = 200 * 1000 * 1000 };
    nanosleep(&t, NULL);
}

static void *puts_late(void *arg)
{
    struct late *l = arg;
    wait_long();
    co4_block(co4_mailbox_send(l->mb, &l->n));
    return NULL;
}

static pthread_t second;

static void *starts_another(void *arg)
{
    wait_long();
    pthread_create(&second, NULL, puts_late, arg);
    return NULL;
}

static void threads(co4_mailbox *mb)
{
    pthread_t t;
    pthread_create(&t, NULL, puts_late, &(struct late){ mb, 1 });
    printf("a thread puts: %d\n", co4_run(get(mb)));
    pthread_join(t, NULL);
    struct late two = { mb, 2 };
    pthread_create(&t, NULL, starts_another, &two);
    printf("a thread that a thread starts puts: %d\n", co4_run(get(mb)));
    pthread_join(t, NULL);
    pthread_join(second, NULL);
}

static pausable void sleeps(co4_mailbox *mb, int n)
{
    co4_sleep(200 * CO4_MS);
    co4_mailbox_send(mb, &n);
}

static pausable int joins(co4_mailbox *mb)
{
    int err = co4_join(co4_spawn(sleeps(mb, 0)), NULL);
    get(mb);
    return err;
}

static void worker(co4_mailbox *mb)
{
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 2 });
    co4_runtime_start(rt);
    co4_runtime_spawn(rt, sleeps(mb, 3));
    printf("a worker's timer: %d\n", co4_run(get(mb)));
    co4_runtime_join(rt);
    co4_runtime_destroy(rt);
}

static void *waits_until(void *arg)
{
    struct late *l = arg;
    co4_mailbox *none = co4_mailbox_create(sizeof(int), 1);
    int n;
    co4_block(co4_mailbox_receive_until(none, &n, co4_now() + 200 * CO4_MS));
    co4_mailbox_destroy(none);
    co4_block(co4_mailbox_send(l->mb, &l->n));
    return NULL;
}

static void deadline(co4_mailbox *mb)
{
    pthread_t t;
    pthread_create(&t, NULL, waits_until, &(struct late){ mb, 4 });
    printf("a thread with a deadline: %d\n", co4_run(get(mb)));
    pthread_join(t, NULL);
}

static int takes_long(void)
{
    wait_long();
    return 5;
}

static pausable int blocking(void)
{
    return co4_blocking(takes_long());
}

static int fds[2];

static void handler(int signo)
{
    (void)signo;
    (void)!write(fds[1], "6", 1);
}

static void *reads(void *mb)
{
    char c;
    int n = read(fds[0], &c, 1) == 1 ? c - '0' : -1;
    co4_block(co4_mailbox_send(mb, &n));
    return NULL;
}

static void in(long us)
{
    setitimer(ITIMER_REAL, &(struct itimerval){ .it_value = { 0, us } }, NULL);
}

static void signals(co4_mailbox *mb)
{
    pthread_t t;
    if (pipe(fds) != 0)
        return;
    pthread_create(&t, NULL, reads, mb);
    signal(SIGALRM, handler);
    in(200000);
    printf("a thread that reads what a handler writes: %d\n", co4_run(get(mb)));
    pthread_join(t, NULL);
}

static void leaves(int signo)
{
    _exit(signo == SIGALRM ? 7 : 8);
}

static void child(co4_mailbox *mb, const char *what, void (*how)(int))
{
    int status = 0;
    fflush(stdout);
    if (fork() == 0) {
        signal(SIGALRM, how);
        co4_deadlock_detect(how != SIG_DFL);
        in(200000);
        _exit(co4_run(get(mb)) == CO4_EDEADLK);
    }
    wait(&status);
    if (WIFSIGNALED(status))
        printf("%s: ended by a signal\n", what);
    else
        printf("%s: exit %d\n", what, WEXITSTATUS(status));
}

int main(void)
{
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 1);
    threads(mb);
    printf("a timer: %s\n", co4_errname(co4_run(joins(mb))));
    worker(mb);
    deadline(mb);
    printf("a blocking call: %d\n", co4_run(blocking()));
    signals(mb);
    child(mb, "a handler that ends the process", leaves);
    child(mb, "not to be told", SIG_DFL);
    signal(SIGALRM, SIG_DFL);
    co4_dump_on_signal(SIGUSR1, co4_write_fd, (void *)2);
    printf("the dump's handler alone: %s\n", co4_errname(co4_run(get(mb))));
    co4_dump_on_signal(SIGUSR1, NULL, NULL);
    co4_mailbox_destroy(mb);
    return 0;
}
