/* conn_turns.c - tasks write to one connection in turns, on two workers, and none of them flushes.
 * Each line arrives once, and in order, also if the peer is slow.
 *
 * A turn is a message. Its sender may still be in the same step while the next task writes.
 * needs: descriptors
 * modes: woven forced
 * expect: 20000 lines of 4 tasks, in order
 * expect: unsent at last: 0 */
#include <co4.h>
#include <co4/conn.h>
#include <co4/io.h>
#include <stdio.h>
#include <stdlib.h>

enum { LINES = 20000, TASKS = 4 };

static co4_mailbox *turns[TASKS], *done;
static co4_conn *shared;

static pausable void writes(int self)
{
    int n;
    while (co4_mailbox_receive(turns[self], &n) == CO4_OK && n < LINES) {
        co4_conn_printf(shared, "%d\n", n++);
        if (n % 7 == 0 && n < LINES)
            co4_conn_printf(shared, "%d\n", n++);
        co4_mailbox_send(turns[(n / 3) % TASKS], &n);
        if (n % 11 == 0)
            co4_yield();
    }
    for (int i = 0; i < TASKS && n >= LINES; i++)
        co4_mailbox_send(turns[i], &n);
}

static pausable void reads(co4_conn *c)
{
    int n = 0, wrong = 0;
    char *line;
    while (n < LINES && co4_conn_read_line_until(c, &line, 100, co4_now() + 20 * CO4_SEC) > 0) {
        wrong += atoi(line) != n++;
        if (n % 5000 == 0)
            co4_sleep(20 * CO4_MS); /* the system's buffers are full meanwhile */
    }
    printf("%d lines of %d tasks, %s\n", n, TASKS, wrong ? "in disorder" : "in order");
    co4_mailbox_send(done, &n);
}

static pausable void all(void)
{
    int fds[2], n = 0, small = 4096;
    co4_task *t[TASKS];
    if (co4_socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
        abort();
    co4_setsockopt(fds[0], SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
    shared = co4_conn_create(fds[0]);
    co4_conn *peer = co4_conn_create(fds[1]);
    co4_task_release(co4_spawn(reads(peer)));
    for (int i = 0; i < TASKS; i++) {
        t[i] = co4_task_create(writes(i));
        co4_task_pin(t[i], i % 2);
        co4_runtime_schedule(NULL, t[i]);
    }
    co4_mailbox_send(turns[0], &n);
    co4_mailbox_receive(done, &n);
    for (int i = 0; i < TASKS; i++) {
        co4_task_join(t[i]);
        co4_task_release(t[i]);
    }
    printf("unsent at last: %d\n", (int)co4_conn_unsent(shared));
    co4_conn_close(shared);
    co4_conn_close(peer);
}

int main(void)
{
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 2 });
    for (int i = 0; i < TASKS; i++)
        turns[i] = co4_mailbox_create(sizeof(int), 10);
    done = co4_mailbox_create(sizeof(int), 1);
    co4_runtime_start(rt);
    co4_runtime_spawn(rt, all());
    co4_runtime_join(rt);
    for (int i = 0; i < TASKS; i++)
        co4_mailbox_destroy(turns[i]);
    co4_mailbox_destroy(done);
    return co4_runtime_destroy(rt);
}
