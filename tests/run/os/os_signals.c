/* os_signals.c - signals as messages: several subscribers, bursts, former handlers, dumps, an
 * embedded runtime, a thread that waits.
 * needs: descriptors signals forks
 * modes: woven forced
 * expect: one: signal 10 of this process, code SI_USER
 * expect: queued: signal 34 value 42
 * expect: child: signal 17, exited 3
 * expect: two: 12 and 12, the other one 0
 * expect: select: a signal, then ETIMEDOUT
 * expect: bad: CO4_EINVAL CO4_EINVAL CO4_EINVAL CO4_EINVAL CO4_EINVAL, destroy EINVAL EINVAL
 * expect: dump: CO4_EBUSY, and EBUSY the other way
 * expect: busy: CO4_EBUSY while a task waits, then it gets its signal
 * expect: burst: the last number came last, the others at least once
 * expect: storm: 64 of one number, then another one
 * expect: flood: a signal after 5000 others arrives
 * expect: former: restored after the last one, called 1 times
 * expect: default: restored
 * expect: embedded: 10
 * expect: thread: 10
 * expect: descriptors: as many as before */
#define _GNU_SOURCE
#include <co4.h>
#include <co4/io.h>
#include <co4/signal.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* NULL, if there is none. */
static co4_mailbox *subscribe(int signo)
{
    co4_mailbox *mb;
    return co4_signals(&mb, signo) == CO4_OK ? mb : NULL;
}

static int descriptors(void)
{
    int n = 0;
    DIR *d = opendir("/proc/self/fd");
    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    return n;
}

pausable int next(co4_mailbox *mb)
{
    co4_signal s = { .signo = 0 };
    int err = co4_mailbox_receive_until(mb, &s, co4_now() + 20 * CO4_SEC);
    return err == CO4_OK ? s.signo : err;
}

pausable void kinds(void)
{
    co4_signal s;
    co4_mailbox *mb;
    if (co4_signals(&mb, SIGUSR1, SIGCHLD, SIGRTMIN, SIGUSR1) != CO4_OK)
        return;
    kill(getpid(), SIGUSR1);
    co4_mailbox_receive(mb, &s);
    printf("one: signal %d of %s, code %s\n", s.signo, s.pid == getpid() ? "this process" : "?",
           s.code == SI_USER ? "SI_USER" : "?");
    sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_int = 42 });
    co4_mailbox_receive(mb, &s);
    printf("queued: signal %d value %d\n", s.signo, s.value);
    pid_t pid = fork();
    if (pid == 0)
        _exit(3);
    co4_mailbox_receive(mb, &s);
    printf("child: signal %d, exited %d\n", s.signo, s.pid == pid ? s.value : -1);
    co4_blocking(waitpid(pid, NULL, 0));
    co4_signals_destroy(mb);
}

pausable void several(void)
{
    co4_mailbox *a, *b = subscribe(SIGUSR2), *c = subscribe(SIGUSR1);
    if (co4_signals(&a, SIGUSR1, SIGUSR2) != CO4_OK)
        return;
    kill(getpid(), SIGUSR2);
    int from_a = next(a), from_b = next(b);
    printf("two: %d and %d, the other one %d\n", from_a, from_b, (int)co4_mailbox_len(c));
    co4_signals_destroy(b);
    co4_signals_destroy(c);
    kill(getpid(), SIGUSR1);
    co4_signal s;
    co4_case cases[] = { CO4_CASE(co4_mailbox_source(a), &s) };
    int n = co4_select_until(cases, 1, 0, co4_now() + 20 * CO4_SEC);
    printf("select: %s", n == 0 && s.signo == SIGUSR1 ? "a signal" : "?");
    n = co4_select_until(cases, 1, 0, co4_now() + CO4_MS);
    printf(", then %s\n", n == CO4_ETIMEDOUT ? "ETIMEDOUT" : "?");
    co4_signals_destroy(a);
}

static int write_nothing(void *data, const char *text, size_t bytes)
{
    (void)data, (void)text, (void)bytes;
    return CO4_OK;
}

static void bad(void)
{
    co4_mailbox *mb, *other = co4_mailbox_create(sizeof(co4_signal), 1);
    printf("bad: %s", co4_errname(co4_signals(&mb, 0)));
    printf(" %s", co4_errname(co4_signals(&mb, SIGUSR1, 4711)));
    printf(" %s", co4_errname(co4_signals(&mb, SIGUSR1, SIGKILL)));
    printf(" %s", co4_errname(co4_signals(&mb, SIGSEGV)));
    printf(" %s", co4_errname(co4_signals_create(&mb, NULL, 0)));
    printf(", destroy %s %s\n", co4_signals_destroy(NULL) == CO4_EINVAL ? "EINVAL" : "?",
           co4_signals_destroy(other) == CO4_EINVAL ? "EINVAL" : "?");
    co4_mailbox_destroy(other);
    co4_dump_on_signal(SIGUSR2, write_nothing, NULL);
    printf("dump: %s", co4_errname(co4_signals(&mb, SIGUSR1, SIGUSR2)));
    co4_dump_on_signal(SIGUSR2, NULL, NULL);
    mb = subscribe(SIGUSR2);
    int err = co4_dump_on_signal(SIGUSR2, write_nothing, NULL);
    printf(", and %s the other way\n", err == CO4_EBUSY ? "EBUSY" : co4_strerror(err));
    co4_signals_destroy(mb);
}

pausable void busy(void)
{
    co4_mailbox *mb = subscribe(SIGUSR1);
    co4_task *t = co4_spawn(next(mb));
    int n, err;
    do {
        co4_yield();
        err = co4_signals_destroy(mb);
    } while (err == CO4_OK && (mb = subscribe(SIGUSR1)) != NULL);
    kill(getpid(), SIGUSR1);
    co4_join(t, &n);
    printf("busy: %s while a task waits, then %s\n", err == CO4_EBUSY ? "CO4_EBUSY" : "?",
           n == SIGUSR1 ? "it gets its signal" : "?");
    co4_signals_destroy(mb);
}

pausable void bursts(void)
{
    int seen[65] = { 0 }, last = 0;
    co4_mailbox *mb;
    if (co4_signals(&mb, SIGUSR1, SIGUSR2, SIGRTMIN) != CO4_OK)
        return;
    for (int i = 0; i < 1000; i++) {
        kill(getpid(), SIGUSR1);
        kill(getpid(), SIGRTMIN);
    }
    while (!seen[SIGUSR2]) {
        if (seen[SIGUSR1] + seen[SIGRTMIN] == 0)
            kill(getpid(), SIGUSR2);
        last = next(mb);
        if (last < 0)
            break;
        seen[last]++;
    }
    co4_signal s;
    while (co4_mailbox_receive_until(mb, &s, co4_now() + 20 * CO4_MS) == CO4_OK)
        seen[s.signo]++;
    printf("burst: the last number %s, the others %s\n", seen[SIGUSR2] ? "came last" : "is lost",
           seen[SIGUSR1] && seen[SIGRTMIN] ? "at least once" : "not");
    co4_signals_destroy(mb);

    int n = 0;
    if (co4_signals(&mb, SIGUSR1, SIGUSR2) != CO4_OK)
        return;
    while (co4_mailbox_len(mb) < CO4_SIGNALS_CAPACITY) {
        kill(getpid(), SIGUSR1);
        co4_sleep(CO4_MS / 10);
    }
    kill(getpid(), SIGUSR2);
    co4_sleep(20 * CO4_MS); /* it finds the mailbox full */
    while ((last = next(mb)) == SIGUSR1)
        n++;
    printf("storm: %s of one number, then %s\n", n >= CO4_SIGNALS_CAPACITY ? "64" : "fewer",
           last == SIGUSR2 ? "another one" : "nothing");
    co4_signals_destroy(mb);
}

/* Without threads nothing reads the pipe meanwhile, and it becomes full. */
pausable void flood(void)
{
    co4_mailbox *mb;
    if (co4_signals(&mb, SIGUSR1, SIGUSR2) != CO4_OK)
        return;
    int n;
    for (int i = 0; i < 5000; i++)
        kill(getpid(), SIGUSR1);
    kill(getpid(), SIGUSR2);
    while ((n = next(mb)) == SIGUSR1)
        ;
    printf("flood: a signal after 5000 others %s\n", n == SIGUSR2 ? "arrives" : "is lost");
    co4_signals_destroy(mb);
}

static volatile sig_atomic_t called;

static void former(int signo)
{
    (void)signo;
    called++;
}

pausable void restored(void)
{
    struct sigaction a;
    signal(SIGUSR1, former);
    co4_mailbox *one = subscribe(SIGUSR1), *two = subscribe(SIGUSR1);
    kill(getpid(), SIGUSR1);
    next(one);
    co4_signals_destroy(one);
    kill(getpid(), SIGUSR1);
    next(two);
    co4_signals_destroy(two);
    sigaction(SIGUSR1, NULL, &a);
    raise(SIGUSR1);
    printf("former: %s after the last one, called %d times\n",
           a.sa_handler == former ? "restored" : "lost", (int)called);
    signal(SIGUSR1, SIG_DFL);
    co4_signals_destroy(subscribe(SIGUSR1));
    sigaction(SIGUSR1, NULL, &a);
    printf("default: %s\n", a.sa_handler == SIG_DFL ? "restored" : "lost");
}

pausable void print_next(co4_mailbox *mb, const char *where)
{
    printf("%s: %d\n", where, next(mb));
}

static void embedded(void)
{
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = CO4_RUNTIME_EMBEDDED });
    co4_mailbox *mb = subscribe(SIGUSR1);
    co4_runtime_start(rt);
    struct pollfd p = { .fd = co4_runtime_wake_fd(rt), .events = POLLIN };
    co4_runtime_spawn(rt, print_next(mb, "embedded"));
    co4_runtime_run_once(rt);
    kill(getpid(), SIGUSR1);
    while (co4_runtime_tasks(rt) > 0) {
        poll(&p, 1, 20);
        co4_runtime_run_once(rt);
    }
    co4_signals_destroy(mb);
    co4_runtime_destroy(rt);
}

static void in_thread(void)
{
    co4_signal s;
    co4_mailbox *mb = subscribe(SIGUSR1);
    kill(getpid(), SIGUSR1);
    co4_block(co4_mailbox_receive(mb, &s));
    printf("thread: %d\n", s.signo);
    co4_signals_destroy(mb);
}

pausable void all(void)
{
    kinds();
    several();
    bad();
    busy();
    bursts();
    flood();
    restored();
}

int main(void)
{
    co4_signals_destroy(subscribe(SIGUSR1)); /* makes the pipe, and the helper's descriptors */
    co4_dump_on_signal(SIGUSR1, write_nothing, NULL);
    co4_dump_on_signal(SIGUSR1, NULL, NULL); /* likewise */
    int before = descriptors();
    co4_run(all());
    embedded();
    in_thread();
    printf("descriptors: %s\n", descriptors() == before ? "as many as before" : "more");
    return 0;
}
