/* tasks.c - tasks that send each other messages, yield, and come and go.
 *
 * On a runtime as co4_runtime_create(NULL) makes it, but for the workers that --workers asks for.
 * The bases are state machines on a hand-written run queue of one thread, without timers,
 * cancellation or safety between threads: a floor, not a rival. */
#include "bench.h"

#include <co4.h>
#include <stdlib.h>

/* Here it cannot fail. */
static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

enum {
    RING = 503,
    HOPS = 1000 * 1000,
    ROUNDS = 500 * 1000,
    PRODUCERS = 8,
    EACH = 250 * 1000,
    LEAVES = 1000 * 1000,
    SPAWNS = 1000 * 1000,
    YIELDS = 1000 * 1000,
};

co4_runtime *bench_runtime(void)
{
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = bench_workers });
    bench_check("co4_runtime_create", rt != NULL, 1);
    return rt;
}

double bench_finish(co4_runtime *rt)
{
    double begin = bench_now();
    co4_runtime_start(rt);
    co4_runtime_join(rt);
    double end = bench_now();
    bench_check("co4_runtime_destroy", co4_runtime_destroy(rt), CO4_OK);
    return end - begin;
}

/* ---- ring: a token goes round ---- */

pausable void ring_member(co4_mailbox *in, co4_mailbox *out)
{
    long token;
    do {
        co4_mailbox_receive(in, &token);
        token--;
        co4_mailbox_send(out, &token);
    } while (token > RING - 1);
}

static double run_ring(long hops)
{
    static co4_mailbox *boxes[RING];
    co4_runtime *rt = bench_runtime();
    long token = hops;
    for (int i = 0; i < RING; i++)
        boxes[i] = co4_mailbox_create(sizeof token, 1);
    for (int i = 0; i < RING; i++)
        co4_runtime_spawn(rt, ring_member(boxes[i], boxes[(i + 1) % RING]));
    must(co4_mailbox_send_until(boxes[0], &token, CO4_NOW));
    double seconds = bench_finish(rt);
    long left = 0;
    for (int i = 0; i < RING; i++) {
        if (co4_mailbox_receive_until(boxes[i], &token, CO4_NOW) == CO4_OK)
            left++;
        co4_mailbox_destroy(boxes[i]);
    }
    bench_check("ring", left, 1);
    return seconds * 1e9 / (double)hops;
}

static double base_ring(long hops)
{
    double begin = bench_now();
    plain_ring(RING, hops);
    return (bench_now() - begin) * 1e9 / (double)hops;
}

/* ---- ping-pong ---- */

pausable void ping(co4_mailbox *in, co4_mailbox *out, long rounds)
{
    for (long i = 0; i < rounds; i++) {
        long got;
        co4_mailbox_send(out, &i);
        co4_mailbox_receive(in, &got);
        bench_check("ping_pong", got, i);
    }
}

pausable void pong(co4_mailbox *in, co4_mailbox *out, long rounds)
{
    for (long i = 0; i < rounds; i++) {
        long got;
        co4_mailbox_receive(in, &got);
        co4_mailbox_send(out, &got);
    }
}

static double run_ping_pong(long rounds)
{
    co4_runtime *rt = bench_runtime();
    co4_mailbox *a = co4_mailbox_create(sizeof(long), 1), *b = co4_mailbox_create(sizeof(long), 1);
    co4_runtime_spawn(rt, ping(a, b, rounds));
    co4_runtime_spawn(rt, pong(b, a, rounds));
    double seconds = bench_finish(rt);
    co4_mailbox_destroy(a);
    co4_mailbox_destroy(b);
    return seconds * 1e9 / (double)rounds;
}

static double base_ping_pong(long rounds)
{
    double begin = bench_now();
    plain_ping_pong(rounds);
    return (bench_now() - begin) * 1e9 / (double)rounds;
}

/* ---- fan-in ---- */

pausable void producer(co4_mailbox *out, long count)
{
    for (long i = 1; i <= count; i++)
        co4_mailbox_send(out, &i);
}

pausable void consumer(co4_mailbox *in, long count, long *sum)
{
    long total = 0;
    for (long i = 0; i < count; i++) {
        long value;
        co4_mailbox_receive(in, &value);
        total += value;
    }
    *sum = total;
}

static double run_fan_in(long each)
{
    co4_runtime *rt = bench_runtime();
    co4_mailbox *box = co4_mailbox_create(sizeof(long), CO4_MAILBOX_CAPACITY);
    long sum = 0;
    co4_runtime_spawn(rt, consumer(box, PRODUCERS * each, &sum));
    for (int i = 0; i < PRODUCERS; i++)
        co4_runtime_spawn(rt, producer(box, each));
    double seconds = bench_finish(rt);
    co4_mailbox_destroy(box);
    bench_check("fan_in", sum, PRODUCERS * (each * (each + 1) / 2));
    return seconds * 1e9 / ((double)PRODUCERS * (double)each);
}

static double base_fan_in(long each)
{
    double begin = bench_now();
    bench_check("fan_in", plain_fan_in(PRODUCERS, each), PRODUCERS * (each * (each + 1) / 2));
    return (bench_now() - begin) * 1e9 / ((double)PRODUCERS * (double)each);
}

/* ---- skynet ---- */

pausable void skynet(co4_mailbox *parent, long number, long size)
{
    if (size == 1) {
        co4_mailbox_send(parent, &number);
        return;
    }
    co4_mailbox *children = co4_mailbox_create(sizeof number, 10);
    for (long i = 0; i < 10; i++)
        co4_spawn(skynet(children, number + i * (size / 10), size / 10));
    long sum = 0;
    for (int i = 0; i < 10; i++) {
        long part;
        co4_mailbox_receive(children, &part);
        sum += part;
    }
    co4_mailbox_destroy(children);
    co4_mailbox_send(parent, &sum);
}

static double run_skynet(long leaves)
{
    co4_runtime *rt = bench_runtime();
    co4_mailbox *top = co4_mailbox_create(sizeof(long), 1);
    co4_runtime_spawn(rt, skynet(top, 0, leaves));
    double seconds = bench_finish(rt);
    long sum = 0;
    must(co4_mailbox_receive_until(top, &sum, CO4_NOW));
    co4_mailbox_destroy(top);
    bench_check("skynet", sum, leaves * (leaves - 1) / 2);
    return seconds * 1e3;
}

static double base_skynet(long leaves)
{
    double begin = bench_now();
    bench_check("skynet", plain_skynet(leaves), leaves * (leaves - 1) / 2);
    return (bench_now() - begin) * 1e3;
}

/* ---- spawn and finish ---- */

pausable void nothing(void) {}

pausable void spawner(long count)
{
    for (long i = 0; i < count; i++) {
        co4_spawn(nothing());
        if (i % 256 == 255)
            co4_yield(); /* so that they finish, too, and memory stays small */
    }
}

static double run_spawn(long count)
{
    co4_runtime *rt = bench_runtime();
    co4_runtime_spawn(rt, spawner(count));
    return bench_finish(rt) * 1e9 / (double)count;
}

static double base_spawn(long count)
{
    double begin = bench_now();
    bench_check("spawn", plain_spawn(count), count);
    return (bench_now() - begin) * 1e9 / (double)count;
}

/* ---- two tasks that yield to each other ---- */

pausable void giver(long count)
{
    for (long i = 0; i < count; i++)
        co4_yield();
}

static double run_yield_two(long each)
{
    co4_runtime *rt = bench_runtime();
    co4_runtime_spawn(rt, giver(each));
    co4_runtime_spawn(rt, giver(each));
    return bench_finish(rt) * 1e9 / (2.0 * (double)each);
}

static double base_yield_two(long each)
{
    double begin = bench_now();
    plain_yield_two(each);
    return (bench_now() - begin) * 1e9 / (2.0 * (double)each);
}

const bench_workload bench_tasks[] = {
    { "ring", "ns", run_ring, base_ring, HOPS, 0 },
    { "ping_pong", "ns", run_ping_pong, base_ping_pong, ROUNDS, 0 },
    { "fan_in", "ns", run_fan_in, base_fan_in, EACH, 0 },
    { "skynet", "ms", run_skynet, base_skynet, LEAVES, 0 },
    { "spawn", "ns", run_spawn, base_spawn, SPAWNS, 0 },
    { "yield_two", "ns", run_yield_two, base_yield_two, YIELDS, 0 },
    { 0 },
};
