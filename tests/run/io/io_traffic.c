/* io_traffic.c - random traffic over many descriptors, by three workers: each byte that was written
 * comes once and in order, whatever deadlines, cancellations and closes happen; no descriptor is
 * left.
 *
 *   io_traffic [SEED [ROUNDS]]
 *
 * needs: descriptors threads
 * modes: woven forced
 * expect: every byte came once, in order
 * expect: no descriptor is left */
#include <co4.h>
#include <co4/io.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { PAIRS = 12, BYTES = 20000 };

static unsigned seed = 1;
static atomic_int wrong;
static int to_close[PAIRS][2];

static unsigned draw(unsigned *state, unsigned below)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % below;
}

static unsigned char byte_at(int pair, int at)
{
    return (unsigned char)(at * 31 + at / 251 + pair);
}

/* Returns whether the error is one that this program causes itself. */
static int is_expected(int err)
{
    return err == ETIMEDOUT || err == ECANCELED || err == EBADF || err == EPIPE ||
           err == ECONNRESET;
}

struct end {
    int fd, pair;
    unsigned random;
    int done; /* bytes written or read */
    int closed;
};

pausable ssize_t write_some(struct end *e, const unsigned char *from, size_t n)
{
    struct iovec two[2] = { { (void *)(uintptr_t)from, n / 2 },
                            { (void *)(uintptr_t)(from + n / 2), n - n / 2 } };
    switch (draw(&e->random, 4)) {
    case 0:
        return co4_write(e->fd, from, n);
    case 1:
        return co4_writev(e->fd, two, 2);
    case 2:
        return co4_write_until(e->fd, from, n, co4_now() + draw(&e->random, 300) * 1000);
    default:
        return co4_send(e->fd, from, n, 0);
    }
}

pausable ssize_t read_some(struct end *e, unsigned char *to, size_t n)
{
    struct iovec two[2] = { { to, n / 2 }, { to + n / 2, n - n / 2 } };
    co4_case cases[1] = { CO4_CASE(co4_fd_readable(e->fd), NULL) };
    switch (draw(&e->random, 5)) {
    case 0:
        return co4_read(e->fd, to, n);
    case 1:
        return co4_readv(e->fd, two, 2);
    case 2:
        return co4_read_until(e->fd, to, n, co4_now() + draw(&e->random, 300) * 1000);
    case 3:
        if (!cases[0].source || co4_select_until(cases, 1, 0, co4_now() + CO4_MS) < 0) {
            errno = ETIMEDOUT;
            return -1;
        }
        return co4_read(e->fd, to, n);
    default:
        return co4_recv(e->fd, to, n, 0);
    }
}

pausable void writer(struct end *e)
{
    unsigned char bytes[512];
    while (e->done < BYTES) {
        int n = 1 + (int)draw(&e->random, sizeof bytes);
        if (n > BYTES - e->done)
            n = BYTES - e->done;
        for (int i = 0; i < n; i++)
            bytes[i] = byte_at(e->pair, e->done + i);
        ssize_t got = write_some(e, bytes, (size_t)n);
        if (got > 0)
            e->done += (int)got;
        else if (!is_expected(errno))
            wrong++;
        else if (errno != ETIMEDOUT)
            break;
        if (draw(&e->random, 20) == 0)
            co4_sleep(draw(&e->random, 200) * 1000);
    }
    co4_shutdown(e->fd, SHUT_WR);
}

pausable void reader(struct end *e)
{
    unsigned char bytes[700];
    for (;;) {
        ssize_t got = read_some(e, bytes, 1 + draw(&e->random, sizeof bytes));
        for (ssize_t i = 0; i < got; i++, e->done++)
            if (bytes[i] != byte_at(e->pair, e->done))
                wrong++;
        if (got == 0)
            break;
        if (got < 0 && !is_expected(errno))
            wrong++;
        if (got < 0 && errno != ETIMEDOUT)
            break;
        if (draw(&e->random, 30) == 0)
            co4_yield();
    }
    co4_shutdown(e->fd, SHUT_RDWR); /* if it gave up, the writer must not wait for it */
}

pausable void disturb(co4_task *t, struct end *e, unsigned how, unsigned random)
{
    co4_sleep((1 + draw(&random, 2000)) * 1000);
    if (how == 0) {
        co4_task_cancel(t, 1);
    } else {
        e->closed = 1;
        co4_close(e->fd);
    }
}

pausable void pair(int number, unsigned random, const int *fds)
{
    struct end w = { fds[0], number, random, 0, 0 }, r = { fds[1], number, random * 3, 0, 0 };
    co4_task *tasks[3] = { co4_spawn(writer(&w)), co4_spawn(reader(&r)), NULL };
    unsigned how = draw(&random, 5);
    if (how < 2)
        tasks[2] = co4_spawn(
            disturb(tasks[draw(&random, 2)], draw(&random, 2) ? &w : &r, how, random));
    for (int i = 2; i >= 0; i--) /* the disturber first: it uses a handle of the others */
        co4_join(tasks[i], NULL);
    if (how >= 2 && (w.done != BYTES || r.done != BYTES))
        wrong++;
    if (r.done > w.done)
        wrong++;
    if (!w.closed)
        to_close[number][0] = fds[0];
    if (!r.closed)
        to_close[number][1] = fds[1];
}

/* Makes the descriptors of the worker itself, so that they do not get a number of the test. */
pausable void first_wait(int fd)
{
    char c;
    co4_read_until(fd, &c, 1, co4_now() + CO4_MS);
}

static void prepare(co4_runtime *rt)
{
    int fds[4];
    wrong += co4_socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0 ||
             co4_socketpair(AF_UNIX, SOCK_STREAM, 0, fds + 2) != 0;
    for (int i = 0; i < 3; i++) {
        co4_task *t = co4_task_create(first_wait(fds[i]));
        co4_task_pin(t, i);
        co4_runtime_schedule(rt, t);
        co4_task_release(t);
    }
    co4_runtime_join(rt);
    for (int i = 0; i < 4; i++)
        co4_close(fds[i]);
}

/* No descriptor is made while others are closed: a number has one meaning in a round. */
pausable void round_of(int rounds)
{
    for (int i = 0; i < rounds; i++) {
        co4_task *tasks[PAIRS];
        int fds[PAIRS][2];
        for (int k = 0; k < PAIRS; k++) {
            to_close[k][0] = to_close[k][1] = -1;
            wrong += co4_socketpair(AF_UNIX, SOCK_STREAM, 0, fds[k]) != 0;
        }
        for (int k = 0; k < PAIRS; k++)
            tasks[k] = co4_spawn(pair(k, seed = seed * 69069 + 1, fds[k]));
        for (int k = 0; k < PAIRS; k++)
            co4_join(tasks[k], NULL);
        for (int k = 0; k < 2 * PAIRS; k++)
            if (to_close[k / 2][k % 2] >= 0)
                co4_close(to_close[k / 2][k % 2]);
    }
}

static pausable void first_run(void)
{
    int fds[2];
    wrong += co4_socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0;
    first_wait(fds[0]);
    co4_close(fds[0]);
    co4_close(fds[1]);
}

static int open_descriptors(void)
{
    int n = 0;
    for (int fd = 0; fd < 1024; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        seed = (unsigned)atoi(argv[1]);
    co4_run(first_run()); /* without threads all runs share descriptors, which stay */
    int before = open_descriptors();
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 3 });
    co4_runtime_start(rt);
    prepare(rt);
    co4_runtime_spawn(rt, round_of(argc > 2 ? atoi(argv[2]) : 4));
    co4_runtime_join(rt);
    co4_runtime_destroy(rt);
    printf(wrong ? "%d mistakes\n" : "every byte came once, in order\n", wrong);
    int left = open_descriptors() - before;
    printf(left ? "%d descriptors are left\n" : "no descriptor is left\n", left);
    return wrong || left;
}
