/* net_zero_window.c - a peer of TCP with a small buffer that stops reading, so that its window is
 * zero, and goes on later.
 * needs: descriptors
 * modes: woven forced
 * expect: goes on: 3000017 bytes, none lost
 * expect: deadline: a part, then CO4_ETIMEDOUT, then the peer has what was written
 * expect: cancelled: a part, then CO4_ECANCELED, then the peer has what was written
 * expect: closed by another task: a part, then CO4_ECLOSED
 * expect: the peer resets: a part or none, then an error
 * expect: connection, deadline: CO4_ETIMEDOUT, what is left is sent later, 1000003 bytes
 * expect: connection, cancelled: CO4_ECANCELED, what is left is sent later, 1000003 bytes
 * expect: connection, close with a deadline: CO4_ETIMEDOUT */
#include <co4.h>
#include <co4/conn.h>
#include <co4/io.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BYTES = 3000017, FEW = 1000003 };

static char bytes[BYTES];

/* fds[0] writes with little room for what is under way, fds[1] reads with a small window. */
static pausable void make_pair(int fds[2])
{
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t length = sizeof a;
    int l = co4_socket(AF_INET, SOCK_STREAM, 0), small = 2048;
    co4_setsockopt(l, SOL_SOCKET, SO_RCVBUF, &small, sizeof small); /* the accepted one has it */
    co4_bind(l, (struct sockaddr *)&a, length);
    co4_listen(l, 1);
    co4_getsockname(l, (struct sockaddr *)&a, &length);
    fds[0] = co4_socket(AF_INET, SOCK_STREAM, 0);
    co4_setsockopt(fds[0], SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
    if (co4_connect(fds[0], (struct sockaddr *)&a, length) != 0)
        perror("connect");
    fds[1] = co4_accept(l, NULL, NULL);
    co4_close(l);
}

/* What came of a write: the number of bytes or a code. */
static pausable int write_from(int fd, int at)
{
    ssize_t done = co4_write(fd, bytes + at, (size_t)(BYTES - at));
    return done < 0 ? co4_code_of_errno(errno) : (int)done;
}

/* Reads up to the end, and at most `most`. Returns the number of right bytes; -1: one is wrong. */
static pausable int read_right(int fd, int most)
{
    static char got[65536];
    int at = 0;
    ssize_t n = 1;
    while (at < most && (n = co4_read(fd, got, sizeof got)) > 0) {
        if (n > BYTES - at || memcmp(got, bytes + at, (size_t)n) != 0)
            return -1;
        at += (int)n;
    }
    return n < 0 ? co4_code_of_errno(errno) : at;
}

static const char *part(int n)
{
    return n > 0 && n < BYTES ? "a part" : n < 0 ? co4_strerror(n) : "?";
}

static const char *name_of(int n)
{
    return n < 0 ? co4_errname(n) : "?";
}

static void close_both(const int fds[2])
{
    co4_close(fds[0]);
    co4_close(fds[1]);
}

static pausable void goes_on(void)
{
    int fds[2], written;
    make_pair(fds);
    co4_task *t = co4_spawn(write_from(fds[0], 0));
    co4_sleep(30 * CO4_MS); /* the window is zero meanwhile */
    int got = read_right(fds[1], BYTES / 3), more = 0;
    co4_sleep(30 * CO4_MS);
    while (got + more < BYTES) {
        static char rest[65536];
        ssize_t n = co4_read(fds[1], rest, sizeof rest);
        if (n <= 0 || memcmp(rest, bytes + got + more, (size_t)n) != 0)
            break;
        more += (int)n;
    }
    co4_join(t, &written);
    printf("goes on: %d bytes, %s\n", got + more, written == BYTES ? "none lost" : "?");
    close_both(fds);
}

/* The peer reads what was written, and no more. */
static pausable const char *peer_has(const int fds[2], int written)
{
    co4_shutdown(fds[0], SHUT_WR);
    return read_right(fds[1], BYTES) == written ? "the peer has what was written" : "bytes differ";
}

static pausable void ends_early(void)
{
    int fds[2], first, second;
    make_pair(fds);
    ssize_t n = co4_write_until(fds[0], bytes, BYTES, co4_now() + 20 * CO4_MS);
    first = n < 0 ? co4_code_of_errno(errno) : (int)n;
    do { /* until nothing more fits */
        n = co4_write_until(fds[0], bytes + first, (size_t)(BYTES - first),
                            co4_now() + 20 * CO4_MS);
        first += n > 0 ? (int)n : 0;
    } while (n > 0);
    second = n < 0 ? co4_code_of_errno(errno) : (int)n;
    printf("deadline: %s, then %s, then %s\n", part(first), name_of(second), peer_has(fds, first));
    close_both(fds);
}

static pausable void is_cancelled(void)
{
    int fds[2], first = 0, n;
    make_pair(fds);
    do { /* until nothing more fits */
        co4_task *t = co4_spawn(write_from(fds[0], first));
        co4_sleep(20 * CO4_MS);
        co4_task_cancel(t, CO4_ECANCELED);
        co4_join(t, &n);
        first += n > 0 ? n : 0;
    } while (n > 0);
    printf("cancelled: %s, then %s, then %s\n", part(first), name_of(n), peer_has(fds, first));
    close_both(fds);
}

static pausable void is_closed(void)
{
    int fds[2], first;
    make_pair(fds);
    co4_task *t = co4_spawn(write_from(fds[0], 0));
    co4_sleep(20 * CO4_MS);
    co4_close(fds[0]);
    co4_join(t, &first);
    ssize_t n = co4_write(fds[0], bytes, 1);
    printf("closed by another task: %s, then %s\n", part(first),
           name_of(n < 0 ? co4_code_of_errno(errno) : 0));
    co4_close(fds[1]);
    make_pair(fds);
    t = co4_spawn(write_from(fds[0], 0));
    co4_sleep(20 * CO4_MS);
    co4_close(fds[1]); /* with unread input */
    co4_join(t, &first);
    n = co4_write(fds[0], bytes, 1);
    printf("the peer resets: %s, then %s\n", first < BYTES ? "a part or none" : "all",
           n < 0 && (errno == EPIPE || errno == ECONNRESET) ? "an error" : "?");
    co4_close(fds[0]);
}

static pausable void by_connections(int cancels)
{
    int fds[2], result, got;
    make_pair(fds);
    co4_conn *c = co4_conn_create(fds[0]);
    co4_conn_put(c, bytes, FEW);
    if (cancels) {
        co4_task *t = co4_spawn(co4_conn_flush(c));
        co4_sleep(20 * CO4_MS);
        co4_task_cancel(t, CO4_ECANCELED);
        co4_join(t, &result);
    } else {
        result = co4_conn_flush_until(c, co4_now() + 20 * CO4_MS);
    }
    co4_task *t = co4_spawn(read_right(fds[1], BYTES));
    int later = co4_conn_end(c);
    co4_join(t, &got);
    printf("connection, %s: %s, %s, %d bytes\n", cancels ? "cancelled" : "deadline",
           name_of(result), later == 0 ? "what is left is sent later" : "?", got);
    co4_conn_destroy(c);
    co4_close(fds[1]);
}

static pausable void close_by_deadline(void)
{
    int fds[2];
    make_pair(fds);
    co4_conn *c = co4_conn_create(fds[0]);
    co4_conn_put(c, bytes, FEW);
    int n = co4_conn_close_until(c, co4_now() + 20 * CO4_MS);
    printf("connection, close with a deadline: %s\n", name_of(n));
    co4_close(fds[1]);
}

pausable int all(void)
{
    for (int i = 0; i < BYTES; i++)
        bytes[i] = (char)(i * 7 + i / 251 + i / 65521);
    goes_on();
    ends_early();
    is_cancelled();
    is_closed();
    by_connections(0);
    by_connections(1);
    close_by_deadline();
    return 0;
}

int main(void)
{
    return co4_run(all());
}
