/* timers_of_races.c - what a call with a deadline waits for comes after the call has looked for it
 * and read the clock, and before it waits: it takes that, and keeps no timer. A call that is to
 * wait reads the program's clock once, and that clock makes it come.
 * needs: threads descriptors workers
 * modes: woven forced
 * expect: a receive: 100 of 100
 * expect: a send: 100 of 100
 * expect: a join: 100 of 100
 * expect: a read: 100 of 100
 * expect: left: 0 objects */
#define _GNU_SOURCE
#include <co4.h>
#include <co4/io.h>
#include <co4/test.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 100 };

static _Thread_local void (*at_next_look)(void);

int clock_gettime(clockid_t id, struct timespec *t)
{
    void (*event)(void) = at_next_look;
    at_next_look = NULL;
    if (event)
        event();
    return (int)syscall(SYS_clock_gettime, id, t);
}

/* ---- what comes ---- */

static co4_mailbox *mb;
static co4_runtime *other;
static co4_task *joined;
static atomic_bool go;
static int fd;

static void message_comes(void)
{
    int v = 5;
    if (co4_mailbox_send_until(mb, &v, CO4_NOW) != CO4_OK)
        abort();
}

static void room_comes(void)
{
    int v;
    if (co4_mailbox_receive_until(mb, &v, CO4_NOW) != CO4_OK)
        abort();
}

static void task_ends(void)
{
    go = true;
    while (co4_task_state_of(joined) != CO4_TASK_STOPPED)
        ;
}

static void descriptor_is_closed(void)
{
    co4_close(fd);
}

static pausable void until_go(void)
{
    while (!go)
        co4_yield();
}

/* ---- the calls ---- */

static pausable int receive_one(int64_t far)
{
    int v = 0;
    at_next_look = message_comes;
    return co4_mailbox_receive_until(mb, &v, far) == CO4_OK && v == 5;
}

static pausable int send_one(int64_t far)
{
    int v = 5;
    message_comes();
    at_next_look = room_comes;
    int err = co4_mailbox_send_until(mb, &v, far);
    return err == CO4_OK && co4_mailbox_receive_until(mb, &v, CO4_NOW) == CO4_OK;
}

static pausable int join_one(int64_t far)
{
    go = false;
    joined = co4_runtime_spawn(other, until_go());
    at_next_look = task_ends;
    int err = co4_task_join_until(joined, far);
    co4_task_release(joined);
    return err == CO4_OK;
}

static pausable int read_one(int64_t far)
{
    int fds[2];
    char byte;
    if (co4_socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
        abort();
    fd = fds[0];
    at_next_look = descriptor_is_closed;
    ssize_t n = co4_recv_until(fd, &byte, 1, 0, far);
    int err = errno;
    co4_close(fds[1]);
    return n == -1 && err == EBADF;
}

static pausable void several(const char *what, pausable int (*call)(int64_t))
{
    int good = 0;
    for (int i = 0; i < ROUNDS; i++)
        good += call(co4_now() + 3600 * CO4_SEC) && !at_next_look;
    printf("%s: %d of %d\n", what, good, ROUNDS);
}

static pausable void all(void)
{
    several("a receive", receive_one);
    several("a send", send_one);
    several("a join", join_one);
    several("a read", read_one);
}

int main(void)
{
    long long before = co4_test_pool_live();
    mb = co4_mailbox_create(sizeof(int), 1);
    other = co4_runtime_create(&(co4_runtime_options){ .workers = 1 });
    co4_runtime_start(other);
    co4_run(all());
    co4_mailbox_destroy(mb);
    co4_runtime_join(other);
    int err = co4_runtime_destroy(other);
    printf("left: %lld objects\n", co4_test_pool_live() - before);
    return err;
}
