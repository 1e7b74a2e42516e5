/* run_outside.c - runs inside runs wait for descriptors at which tasks outside wait, too.
 * needs: threads descriptors
 * modes: woven forced
 * weave: -Wno-co4-blocking
 * expect: depth 1: in all 2 bytes
 * expect: depth 3: in all 4 bytes
 * expect: poll: 1, then 0, in all 2 bytes
 * expect: in a runtime: in all 3 bytes
 * expect: closed: -2009, in all 1 byte
 * expect: left by a jump: in all 1 byte
 * expect: left by two jumps: in all 2 bytes */
#include <co4.h>
#include <co4/io.h>
#include <co4/sanitizer.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#if CO4_ADDRESS_SANITIZER /* frames that the jump skips are lost, with their memory */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}
#endif

static int p[2], bytes;
static atomic_int asked;
static jmp_buf back;

/* ---- a thread that writes, a while after the tasks have begun to wait ---- */

static void *writes(void *count)
{
    for (int i = 0; i < (int)(long)count; i++) {
        usleep(5000);
        if (write(p[1], "x", 1) != 1)
            abort();
    }
    return NULL;
}

/* Each byte a while after somebody has asked for it. */
static void *writes_when_asked(void *count)
{
    for (int i = 0; i < (int)(long)count; i++) {
        while (asked <= i)
            usleep(1000);
        usleep(20000);
        if (write(p[1], "x", 1) != 1)
            abort();
    }
    return NULL;
}

static pthread_t writer;

static void begin_with(void *(*by)(void *), int count)
{
    bytes = 0;
    asked = 0;
    if (co4_pipe(p) != 0 || pthread_create(&writer, NULL, by, (void *)(long)count) != 0)
        abort();
}

static void begin(int count)
{
    begin_with(writes, count);
}

static void end(const char *what)
{
    pthread_join(writer, NULL);
    co4_close(p[0]);
    co4_close(p[1]);
    printf("%s%sin all %d byte%s\n", what, *what ? ": " : "", bytes, bytes == 1 ? "" : "s");
}

/* ---- reads ---- */

static pausable void read_one(void)
{
    char c;
    if (co4_read(p[0], &c, 1) == 1)
        bytes++;
}

static pausable void inside(int depth);

static void plain(int depth)
{
    co4_run(inside(depth));
}

static pausable void inside(int depth)
{
    co4_task *t = co4_spawn(read_one());
    co4_yield();
    if (depth > 0)
        plain(depth - 1);
    co4_join(t, NULL);
}

/* The timer of a poll, and the task outside that reads first. */
static pausable void polls(void)
{
    struct pollfd f = { p[0], POLLIN, 0 };
    printf("poll: %d", co4_poll(&f, 1, 10000));
    read_one();
    printf(", then %d, ", co4_poll(&f, 1, 1));
}

static void plain_polls(void)
{
    co4_run(polls());
}

static pausable void with_polls(void)
{
    co4_task *t = co4_spawn(read_one());
    co4_yield();
    plain_polls();
    if (write(p[1], "x", 1) != 1)
        abort();
    co4_join(t, NULL);
}

/* The end of a run does not wait for what only tasks outside wait for, and a deadlock is found. */
static pausable int receives(co4_mailbox *mb)
{
    int n;
    return co4_mailbox_receive(mb, &n);
}

static pausable int reads_then_receives(co4_mailbox *mb)
{
    read_one();
    co4_spawn(receives(mb)); /* is closed */
    co4_yield();
    return 0;
}

static void plain_ends(void)
{
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 1);
    co4_run(reads_then_receives(mb));
    printf("closed: %d, ", co4_run(receives(mb)));
    co4_mailbox_destroy(mb);
}

static pausable void with_ends(void)
{
    co4_task *t = co4_spawn(read_one());
    co4_yield();
    plain_ends();
    co4_task_cancel(t, 0);
    co4_join(t, NULL);
}

/* ---- a jump ---- */

static pausable void reads_then_jumps(void)
{
    asked++;
    read_one();
    longjmp(back, 1);
}

static void plain_jumps(void)
{
    if (setjmp(back) == 0)
        co4_run(reads_then_jumps());
}

static pausable void with_jumps(void)
{
    co4_task *t = co4_spawn(read_one());
    co4_yield();
    plain_jumps();
    co4_task_cancel(co4_self() ? t : NULL, 0); /* finds that the run has been left */
    co4_join(t, NULL);
}

/* The second run looks after the descriptors outside, as the first one did. */
static pausable void with_two_jumps(void)
{
    co4_task *t = co4_spawn(read_one());
    co4_yield();
    plain_jumps();
    plain_jumps();
    co4_task_cancel(co4_self() ? t : NULL, 0);
    co4_join(t, NULL);
}

int main(void)
{
    begin(2);
    plain(1);
    end("depth 1");
    begin(4);
    plain(3);
    end("depth 3");
    begin(1);
    co4_run(with_polls());
    end("");
    begin(3);
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 1 });
    co4_runtime_spawn(rt, inside(2));
    co4_runtime_start(rt);
    co4_runtime_join(rt);
    co4_runtime_destroy(rt);
    end("in a runtime");
    begin(1);
    co4_run(with_ends());
    end("");
    begin(1);
    co4_run(with_jumps());
    end("left by a jump");
    begin_with(writes_when_asked, 2);
    co4_run(with_two_jumps());
    end("left by two jumps");
    return 0;
}
