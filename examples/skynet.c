/* skynet.c - a million tasks: a tree of tasks, ten children each, whose leaves send their numbers up.
 *
 *     skynet [LEAVES]      a power of ten; 1000000 when absent
 *
 * Every inner task owns a mailbox, waits there for its ten children and sends their sum to its parent. */
#include <co4.h>
#include <stdio.h>
#include <stdlib.h>

pausable void skynet(co4_mailbox *parent, long number, long size)
{
    if (size == 1) {
        co4_mailbox_put(parent, &number);
        return;
    }
    co4_mailbox *children = co4_mailbox_create(sizeof number, 10);
    for (long i = 0; i < 10; i++)
        co4_spawn(skynet(children, number + i * (size / 10), size / 10));
    long sum = 0;
    for (int i = 0; i < 10; i++) {
        long part;
        co4_mailbox_get(children, &part);
        sum += part;
    }
    co4_mailbox_destroy(children);
    co4_mailbox_put(parent, &sum);
}

int main(int argc, char **argv)
{
    long leaves = argc > 1 ? atol(argv[1]) : 1000000, power = 1, sum = 0;
    while (power < leaves)
        power *= 10;
    if (leaves < 1 || power != leaves) {
        fprintf(stderr, "usage: skynet [LEAVES], a power of ten\n");
        return 2;
    }
    co4_runtime *rt = co4_runtime_create(NULL);
    co4_mailbox *top = co4_mailbox_create(sizeof sum, 1);
    int64_t begin = co4_now();
    co4_runtime_spawn(rt, skynet(top, 0, leaves));
    co4_runtime_start(rt);
    co4_runtime_join(rt);
    int got = co4_mailbox_try_get(top, &sum);
    fprintf(stderr, "%.0f ms\n", (double)(co4_now() - begin) / CO4_MS);
    printf("%ld\n", sum);
    co4_mailbox_destroy(top);
    co4_runtime_destroy(rt);
    return got != CO4_OK || sum != leaves / 2 * (leaves - 1) + (leaves % 2) * ((leaves - 1) / 2);
}
