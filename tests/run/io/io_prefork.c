/* io_prefork.c - several processes take from one descriptor that blocks: connections of a listener,
 * bytes of a pipe, counts of an eventfd. One gets what all have seen. The threads of the others do
 * not block: after each, a task in each process goes on. The mode of the listener stays, and so it
 * does after a process was killed at any time.
 * flags: -Wno-co4-blocking
 * needs: descriptors forks threads
 * modes: woven forced
 * expect: listener, tcp: 100 taken, all go on, blocks
 * expect: listener, unix: 100 taken, all go on, blocks
 * expect: pipe: 100 taken, all go on, blocks
 * expect: eventfd: 100 taken, all go on, blocks
 * expect: left by a killed process: blocks */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <co4.h>
#include <co4/io.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PROCESSES = 6, ROUNDS = 20, AT_ONCE = 5 };

static struct {
    atomic_int taken, ticks[PROCESSES];
} * shared;

static int tcp_listener(struct sockaddr_in *a)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    socklen_t n = sizeof *a;
    *a = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    bind(fd, (struct sockaddr *)a, n);
    listen(fd, 10);
    getsockname(fd, (struct sockaddr *)a, &n);
    return fd;
}

static int unix_listener(struct sockaddr_un *a)
{
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    *a = (struct sockaddr_un){ .sun_family = AF_UNIX };
    snprintf(a->sun_path + 1, sizeof a->sun_path - 1, "co4-io_prefork-%d", (int)getpid());
    bind(fd, (struct sockaddr *)a, sizeof *a);
    listen(fd, 10);
    return fd;
}

/* ---- the processes ---- */

pausable void takes(int fd, int accepts)
{
    uint64_t value;
    for (;;) {
        int n = accepts ? co4_accept(fd, NULL, NULL) : (int)co4_read(fd, &value, sizeof value);
        if (n < 0)
            break;
        if (accepts)
            co4_close(n);
        atomic_fetch_add(&shared->taken, 1);
    }
}

pausable int be_child(int who, int fd, int accepts)
{
    co4_spawn(takes(fd, accepts));
    for (;;) {
        (void)co4_sleep(CO4_MS);
        atomic_fetch_add(&shared->ticks[who], 1);
    }
    return 0;
}

/* ---- the parent, which has no task ---- */

static void nap(void)
{
    nanosleep(&(struct timespec){ .tv_nsec = 500000 }, NULL);
}

/* Returns whether it comes in a time that is long on any machine. */
static int comes(const atomic_int *count, int wanted)
{
    for (int i = 0; i < 40000 && atomic_load(count) < wanted; i++)
        nap();
    return atomic_load(count) >= wanted;
}

static int give(int fd, const struct sockaddr *a, socklen_t length)
{
    static const uint64_t one = 1;
    if (!a)
        return write(fd, &one, sizeof one) == (ssize_t)sizeof one ? 0 : -1;
    int to = socket(a->sa_family, SOCK_STREAM, 0), err = connect(to, a, length);
    close(to);
    return err;
}

static void round_of(const char *what, int from, int to, const struct sockaddr *a, socklen_t length)
{
    pid_t children[PROCESSES];
    int all = 1;
    shared->taken = 0;
    for (int i = 0; i < PROCESSES; i++)
        shared->ticks[i] = 0;
    for (int i = 0; i < PROCESSES; i++)
        if ((children[i] = fork()) == 0)
            _exit(co4_run(be_child(i, from, a != NULL)));
    for (int i = 0; i < ROUNDS && all; i++) {
        for (int k = 0; k < AT_ONCE && all; k++)
            all = give(to, a, length) == 0;
        all = all && comes(&shared->taken, (i + 1) * AT_ONCE);
        for (int k = 0; k < PROCESSES; k++)
            all = all && comes(&shared->ticks[k], shared->ticks[k] + 2);
    }
    for (int i = 0; i < PROCESSES; i++) {
        kill(children[i], SIGKILL);
        waitpid(children[i], NULL, 0);
    }
    printf("%s: %d taken, %s, %s\n", what, shared->taken, all ? "all go on" : "one stands",
           fcntl(from, F_GETFL) & O_NONBLOCK ? "does not block" : "blocks");
    fflush(stdout);
}

/* As a process leaves it that is killed inside an accept. */
pausable int repairs(int fd, const struct sockaddr_in *a)
{
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK | O_APPEND);
    give(-1, (const struct sockaddr *)a, sizeof *a);
    co4_close(co4_accept(fd, NULL, NULL));
    printf("left by a killed process: %s\n",
           fcntl(fd, F_GETFL) & (O_NONBLOCK | O_APPEND) ? "does not block" : "blocks");
    return 0;
}

int main(void)
{
    struct sockaddr_in in;
    struct sockaddr_un un;
    int fds[2], tcp = tcp_listener(&in), local = unix_listener(&un),
                counter = eventfd(0, EFD_SEMAPHORE);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || pipe(fds) != 0)
        return 1;
    round_of("listener, tcp", tcp, -1, (struct sockaddr *)&in, sizeof in);
    round_of("listener, unix", local, -1, (struct sockaddr *)&un, sizeof un);
    round_of("pipe", fds[0], fds[1], NULL, 0);
    round_of("eventfd", counter, counter, NULL, 0);
    return co4_run(repairs(tcp, &in));
}
