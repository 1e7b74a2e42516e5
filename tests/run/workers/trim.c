/* trim.c - the memory of tasks that have ended goes back to the system: at once by co4_trim(), and
 * by itself when the workers are idle. A program that uses its memory again and again keeps it.
 * modes: woven forced
 * needs: threads workers
 * expect: nothing to give: 1
 * expect: at once: given back, less resident, less reserved
 * expect: in a task, and in a co4_run: nothing is lost
 * expect: idle: less resident, less reserved
 * expect: again and again: kept
 * expect: those that waited meanwhile: 100 */
#include <co4.h>
#include <co4/sanitizer.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { MANY = 200 * 1000, FEW = 50 * 1000, STAY = 100, LEAST = MANY * 72 };

static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

/* Resident bytes; 0: not known. */
static long long resident(void)
{
    char text[128] = "";
    long long all, here = 0;
    int fd = open("/proc/self/statm", O_RDONLY);
    if (fd < 0)
        return 0;
    if (read(fd, text, sizeof text - 1) <= 0 || sscanf(text, "%lld %lld", &all, &here) != 2)
        here = 0;
    close(fd);
    return here * sysconf(_SC_PAGESIZE);
}

static long long reserved(void)
{
    co4_memory memory;
    must(co4_memory_of_process(&memory));
    return (long long)memory.reserved_bytes;
}

static void rest(long ms)
{
    nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
}

/* Until only those tasks are left that stay. */
static void wait_for_the_end(void)
{
    co4_memory memory;
    do {
        rest(1);
        must(co4_memory_of_process(&memory));
    } while (memory.tasks > STAY);
}

static pausable int waiter(co4_mailbox *stop)
{
    int message;
    return co4_mailbox_receive(stop, &message);
}

static pausable void spawn_waiters(co4_mailbox *stop, long count)
{
    for (long i = 0; i < count; i++) {
        co4_spawn(waiter(stop));
        if (i % 64 == 63)
            co4_yield(); /* so that they begin to wait */
    }
}

static void peak(co4_runtime *rt, long count)
{
    co4_mailbox *stop = co4_mailbox_create(sizeof(int), 1);
    co4_task *t = co4_task_create(spawn_waiters(stop, count));
    co4_runtime_schedule(rt, t);
    must(co4_block(co4_task_join(t)));
    co4_task_release(t);
    must(co4_mailbox_close(stop));
    wait_for_the_end();
    must(co4_mailbox_destroy(stop));
}

static pausable void stays(co4_mailbox *in, co4_mailbox *out)
{
    int message;
    if (co4_mailbox_receive(in, &message) == CO4_OK)
        must(co4_mailbox_send(out, &message));
}

static pausable void trims(co4_mailbox *done)
{
    co4_trim();
    co4_yield();
    co4_trim();
    must(co4_mailbox_send(done, &(int){ 1 }));
}

int main(void)
{
    co4_runtime_options options = { .workers = 2 };
    co4_runtime *rt = co4_runtime_create(&options);
    co4_mailbox *in = co4_mailbox_create(sizeof(int), STAY);
    co4_mailbox *out = co4_mailbox_create(sizeof(int), STAY);
    bool measures = resident() > 0 && !CO4_SANITIZED && !getenv("LD_PRELOAD");
    int in_task = 0, in_run = 0;
    if (!rt || !in || !out)
        abort();
    must(co4_runtime_start(rt));
    printf("nothing to give: %d\n", co4_trim() < LEAST);
    for (int i = 0; i < STAY; i++)
        co4_runtime_spawn(rt, stays(in, out));

    peak(rt, MANY);
    long long before = resident(), held = reserved();
    long long given = (long long)co4_trim();
    long long after = resident(), left = reserved();
    if (!measures)
        given = LEAST, before = LEAST, after = 0, held = LEAST, left = 0;
    printf("at once: %s, %s, %s\n", given >= LEAST * 3 / 4 ? "given back" : "kept",
           before - after >= LEAST * 3 / 4 ? "less resident" : "as much resident",
           held - left >= LEAST * 3 / 4 ? "less reserved" : "as much reserved");

    co4_runtime_spawn(rt, trims(out));
    must(co4_block(co4_mailbox_receive(out, &in_task)));
    co4_run(trims(out));
    must(co4_mailbox_receive_until(out, &in_run, CO4_NOW));
    printf("in a task, and in a co4_run: %s\n", in_task && in_run ? "nothing is lost" : "no");

    peak(rt, MANY);
    before = resident();
    held = reserved();
    for (int i = 0; measures && i < 200 && before - resident() < LEAST * 3 / 4; i++)
        rest(50);
    after = resident();
    left = reserved();
    if (!measures)
        before = LEAST, after = 0, held = LEAST, left = 0;
    printf("idle: %s, %s\n", before - after >= LEAST * 3 / 4 ? "less resident" : "as much resident",
           held - left >= LEAST * 3 / 4 ? "less reserved" : "as much reserved");

    co4_trim(); /* what the workers were about to give back does not count below */
    peak(rt, FEW);
    held = reserved();
    for (int i = 0; i < 15; i++) {
        rest(200);
        left = reserved();
        if (left < held * 3 / 4)
            break;
        peak(rt, FEW);
    }
    printf("again and again: %s\n", !measures || left >= held * 3 / 4 ? "kept" : "given back");

    int n = 0;
    for (int i = 0; i < STAY; i++)
        must(co4_block(co4_mailbox_send(in, &i)));
    for (int message; n < STAY; n++)
        must(co4_block(co4_mailbox_receive(out, &message)));
    printf("those that waited meanwhile: %d\n", n);
    must(co4_runtime_join(rt));
    co4_runtime_destroy(rt);
    co4_mailbox_destroy(in);
    co4_mailbox_destroy(out);
    return 0;
}
