/* io_at_once.c - calls that the system answers at once, though poll() does not say that their
 * descriptor is ready: none waits, whether the descriptor has O_NONBLOCK or not, and also where the
 * system has no RWF_NOWAIT.
 * flags: -Wno-co4-blocking
 * needs: descriptors posix
 * modes: plain woven forced
 * expect: read: EBADF EBADF EBADF EISDIR
 * expect: read of part of a counter: EINVAL EINVAL EINVAL
 * expect: write: EBADF EBADF
 * expect: write to an eventfd: EINVAL EINVAL 8 EINVAL
 * expect: recv: ENOTSOCK ENOTCONN EAGAIN EINVAL EAGAIN
 * expect: send: ENOTSOCK EDESTADDRREQ EMSGSIZE
 * expect: sendfile: EBADF EBADF EINVAL EINVAL
 * expect: accept: EBADF ENOTSOCK EINVAL EOPNOTSUPP EINVAL EINVAL
 * expect: connect: 0 EISCONN, refused: ECONNREFUSED ECONNREFUSED 0 EISCONN
 * expect: poll: EINVAL
 * expect: with O_NONBLOCK
 * expect: read: EBADF EBADF EBADF EISDIR
 * expect: read of part of a counter: EINVAL EINVAL EINVAL
 * expect: write: EBADF EBADF
 * expect: write to an eventfd: EINVAL EINVAL 8 EINVAL
 * expect: recv: ENOTSOCK ENOTCONN EAGAIN EINVAL EAGAIN
 * expect: send: ENOTSOCK EDESTADDRREQ EMSGSIZE
 * expect: sendfile: EBADF EBADF EINVAL EINVAL
 * expect: accept: EBADF ENOTSOCK EINVAL EOPNOTSUPP EINVAL EINVAL
 * expect: connect: 0 EISCONN, refused: ECONNREFUSED ECONNREFUSED 0 EISCONN
 * expect: poll: EINVAL
 * expect: without RWF_NOWAIT
 * expect: read: EBADF EBADF EBADF EISDIR
 * expect: read of part of a counter: EINVAL EINVAL EINVAL
 * expect: write: EBADF EBADF
 * expect: write to an eventfd: EINVAL EINVAL 8 EINVAL
 * expect: recv: ENOTSOCK ENOTCONN EAGAIN EINVAL EAGAIN
 * expect: send: ENOTSOCK EDESTADDRREQ EMSGSIZE
 * expect: sendfile: EBADF EBADF EINVAL EINVAL
 * expect: accept: EBADF ENOTSOCK EINVAL EOPNOTSUPP EINVAL EINVAL
 * expect: connect: 0 EISCONN, refused: ECONNREFUSED ECONNREFUSED 0 EISCONN
 * expect: poll: EINVAL */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <co4.h>
#include <co4/io.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

static char bytes[256];
static struct iovec one = { bytes, 1 };
static int nonblocking;

/* A wait would end by its deadline, and show ETIMEDOUT. */
#define LATER (co4_now() + 20 * CO4_SEC)

static void show(const char *what, long n, int error)
{
    static const struct {
        int error;
        const char *name;
    } names[] = { { EBADF, "EBADF" },
                  { EISDIR, "EISDIR" },
                  { EINVAL, "EINVAL" },
                  { EAGAIN, "EAGAIN" },
                  { ENOTSOCK, "ENOTSOCK" },
                  { ENOTCONN, "ENOTCONN" },
                  { EISCONN, "EISCONN" },
                  { EMSGSIZE, "EMSGSIZE" },
                  { EDESTADDRREQ, "EDESTADDRREQ" },
                  { EOPNOTSUPP, "EOPNOTSUPP" },
                  { ECONNREFUSED, "ECONNREFUSED" },
                  { ETIMEDOUT, "it waits" } };
    const char *name = "another error";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        name = error == names[i].error ? names[i].name : name;
    if (n >= 0)
        printf("%s%ld", what, n);
    else
        printf("%s%s", what, name);
}

#define SHOW(what, call)                                                                           \
    do {                                                                                           \
        long n_ = (long)(call);                                                                    \
        show(what, n_, errno);                                                                     \
    } while (0)

static int with_mode(int fd)
{
    if (nonblocking)
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    return fd;
}

static int new_socket(int domain, int type)
{
    return with_mode(socket(domain, type, 0));
}

static int bound(int listens, struct sockaddr_in *a)
{
    int fd = new_socket(AF_INET, SOCK_STREAM);
    socklen_t n = sizeof *a;
    *a = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    bind(fd, (struct sockaddr *)a, n);
    if (listens)
        listen(fd, 3);
    getsockname(fd, (struct sockaddr *)a, &n);
    return fd;
}

static int new_pipe(int end)
{
    int fds[2];
    if (pipe(fds) != 0)
        return -1;
    return with_mode(fds[end]);
}

static int full_eventfd(void)
{
    int fd = with_mode(eventfd(0, 0));
    uint64_t most = UINT64_MAX - 1;
    return write(fd, &most, sizeof most) < 0 ? -1 : fd;
}

static int signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    return with_mode(signalfd(-1, &set, 0));
}

pausable void reads(void)
{
    SHOW("read: ", co4_read_until(-1, bytes, 1, LATER));
    SHOW(" ", co4_read_until(new_pipe(1), bytes, 1, LATER));
    SHOW(" ", co4_readv_until(new_pipe(1), &one, 1, LATER));
    SHOW(" ", co4_read_until(open("/", O_RDONLY), bytes, 1, LATER));
    SHOW("\nread of part of a counter: ",
         co4_read_until(with_mode(eventfd(0, 0)), bytes, 4, LATER));
    SHOW(" ", co4_read_until(with_mode(timerfd_create(CLOCK_MONOTONIC, 0)), bytes, 7, LATER));
    SHOW(" ", co4_read_until(signals(), bytes, 127, LATER));
}

pausable void writes(void)
{
    uint64_t zero = 0, most = UINT64_MAX;
    SHOW("\nwrite: ", co4_write_until(new_pipe(0), bytes, 1, LATER));
    SHOW(" ", co4_writev_until(new_pipe(0), &one, 1, LATER));
    SHOW("\nwrite to an eventfd: ", co4_write_until(full_eventfd(), bytes, 4, LATER));
    SHOW(" ", co4_write_until(full_eventfd(), &most, 8, LATER));
    SHOW(" ", co4_write_until(full_eventfd(), &zero, 8, LATER));
    SHOW(" ", co4_write_until(with_mode(eventfd(0, 0)), &most, 8, LATER));
}

pausable void receives(void)
{
    int pair[2];
    struct msghdr m = { .msg_iov = &one, .msg_iovlen = 1 };
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    SHOW("\nrecv: ", co4_recv_until(new_pipe(0), bytes, 1, 0, LATER));
    SHOW(" ", co4_recvfrom_until(new_socket(AF_INET, SOCK_STREAM), bytes, 1, MSG_WAITALL, NULL,
                                 NULL, LATER));
    SHOW(" ", co4_recv_until(new_socket(AF_INET, SOCK_DGRAM), bytes, 1, MSG_ERRQUEUE, LATER));
    SHOW(" ", co4_recv_until(with_mode(pair[0]), bytes, 1, MSG_OOB, LATER));
    SHOW(" ", co4_recvmsg_until(new_socket(AF_INET, SOCK_DGRAM), &m, MSG_ERRQUEUE, LATER));
}

pausable void sends(void)
{
    static char big[1 << 20];
    int pair[2], file = open("/dev/null", O_WRONLY), zero = open("/proc/self/exe", O_RDONLY);
    socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
    SHOW("\nsend: ", co4_send_until(new_pipe(1), bytes, 1, 0, LATER));
    SHOW(" ", co4_send_until(new_socket(AF_INET, SOCK_DGRAM), bytes, 1, 0, LATER));
    SHOW(" ", co4_send_until(with_mode(pair[0]), big, sizeof big, 0, LATER));
    SHOW("\nsendfile: ", co4_sendfile_until(new_pipe(0), zero, NULL, 1, LATER));
    SHOW(" ", co4_sendfile_until(new_pipe(1), file, NULL, 1, LATER));
    SHOW(" ", co4_sendfile_until(new_pipe(1), new_socket(AF_INET, SOCK_STREAM), NULL, 1, LATER));
    SHOW(" ", co4_sendfile_until(new_pipe(1), open("/", O_RDONLY), NULL, 1, LATER));
}

pausable void accepts(void)
{
    struct sockaddr_in a;
    int pair[2];
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    SHOW("\naccept: ", co4_accept4_until(-1, NULL, NULL, 0, LATER));
    SHOW(" ", co4_accept4_until(new_pipe(0), NULL, NULL, 0, LATER));
    SHOW(" ", co4_accept4_until(with_mode(pair[0]), NULL, NULL, 0, LATER));
    SHOW(" ", co4_accept4_until(new_socket(AF_INET, SOCK_DGRAM), NULL, NULL, 0, LATER));
    SHOW(" ", co4_accept4_until(bound(0, &a), NULL, NULL, 0, LATER));
    SHOW(" ", co4_accept4_until(bound(1, &a), NULL, NULL, 1 << 30, LATER));
}

pausable void connects(void)
{
    struct sockaddr_in a, refused;
    int to = new_socket(AF_INET, SOCK_STREAM), again = new_socket(AF_INET, SOCK_STREAM);
    bound(1, &a);
    bound(0, &refused);
    SHOW("\nconnect: ", co4_connect_until(to, (struct sockaddr *)&a, sizeof a, LATER));
    SHOW(" ", co4_connect_until(to, (struct sockaddr *)&a, sizeof a, LATER));
    SHOW(", refused: ", co4_connect_until(again, (struct sockaddr *)&refused, sizeof a, LATER));
    SHOW(" ", co4_connect_until(again, (struct sockaddr *)&refused, sizeof a, LATER));
    SHOW(" ", co4_connect_until(again, (struct sockaddr *)&a, sizeof a, LATER));
    SHOW(" ", co4_connect_until(again, (struct sockaddr *)&a, sizeof a, LATER));
    SHOW("\npoll: ", co4_poll_until(NULL, (nfds_t)1 << 30, LATER));
    printf("\n");
}

pausable int all(void)
{
    reads();
    writes();
    receives();
    sends();
    accepts();
    connects();
    return 0;
}

/* From here on, as on a system that does not know these calls. */
static void forget_nowait(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_preadv2, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pwritev2, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { sizeof filter / sizeof *filter, filter };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

pausable int modes(void)
{
    all();
    printf("with O_NONBLOCK\n");
    nonblocking = 1;
    all();
    printf("without RWF_NOWAIT\n");
    nonblocking = 0;
    forget_nowait();
    return all();
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    return co4_run(modes());
}
