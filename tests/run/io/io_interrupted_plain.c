/* io_interrupted_plain.c - a call of a plain build blocks, and handlers without SA_RESTART run: it
 * goes on. The handler of the last signal makes what the call waits for.
 * needs: descriptors signals posix
 * modes: plain
 * expect: read 1, recv 1, a pipe 1, a connection 1, poll 1, fd_wait 0: 20 signals each */
#define _GNU_SOURCE
#include <co4.h>
#include <co4/conn.h>
#include <co4/io.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

enum { SIGNALS = 20 };

static volatile sig_atomic_t signals, peer;
static int missed;

static void on_signal(int number)
{
    (void)number;
    if (++signals == SIGNALS)
        (void)!write(peer, "x", 1);
}

static void interrupt(int to)
{
    struct itimerval often = { { 0, 500 }, { 0, 500 } };
    signals = 0;
    peer = to;
    setitimer(ITIMER_REAL, &often, NULL);
}

static int interrupted(int result)
{
    struct itimerval never = { { 0, 0 }, { 0, 0 } };
    setitimer(ITIMER_REAL, &never, NULL);
    missed += signals < SIGNALS;
    return result;
}

static pausable void all(void)
{
    int fds[2], ends[2];
    char c;
    if (co4_socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0 || co4_pipe(ends) != 0)
        abort();
    interrupt(fds[1]);
    printf("read %d", interrupted((int)co4_read(fds[0], &c, 1)));
    interrupt(fds[1]);
    printf(", recv %d", interrupted((int)co4_recv(fds[0], &c, 1, 0)));
    interrupt(ends[1]);
    printf(", a pipe %d", interrupted((int)co4_read(ends[0], &c, 1)));
    co4_conn *conn = co4_conn_create(fds[0]);
    interrupt(fds[1]);
    printf(", a connection %d", interrupted((int)co4_conn_read(conn, &c, 1)));
    struct pollfd p = { .fd = ends[0], .events = POLLIN };
    interrupt(ends[1]);
    printf(", poll %d", interrupted(co4_poll(&p, 1, -1)));
    (void)!co4_read(ends[0], &c, 1);
    interrupt(ends[1]);
    printf(", fd_wait %d: ", interrupted(co4_fd_wait(ends[0], POLLIN)));
    printf("%d signals each\n", missed ? 0 : SIGNALS);
    co4_conn_close(conn);
    co4_close(fds[1]);
    co4_close(ends[0]);
    co4_close(ends[1]);
}

int main(void)
{
    struct sigaction a = { .sa_handler = on_signal }; /* no SA_RESTART */
    sigaction(SIGALRM, &a, NULL);
    co4_run(all());
    return 0;
}
