/* skynet.c - a million tasks: a tree of tasks, ten children each, whose leaves send their numbers
 * up.
 *
 *     skynet [LEAVES]      a power of ten; 1000000 when absent
 *
 * Every inner task is a scope of ten children, each of which writes its sum where its parent finds
 * it. */
#include <co4.h>
#include <stdio.h>
#include <stdlib.h>

enum { CHILDREN = 10 };

struct part {
    long first, size;
    long sums[CHILDREN];
};

static pausable int skynet(long first, long size, long *sum);

static pausable int branch(struct part *p)
{
    long size = p->size / CHILDREN;
    int err = CO4_OK;
    for (long i = 0; i < CHILDREN && err == CO4_OK; i++)
        err = co4_scope_spawn(co4_scope_here(), skynet(p->first + i * size, size, &p->sums[i]));
    return err; /* not CO4_OK: those that have been started are cancelled */
}

static pausable int skynet(long first, long size, long *sum)
{
    struct part p = { first, size, { 0 } };
    *sum = first;
    if (size == 1)
        return CO4_OK;
    int err = co4_scope_run(0, branch(&p));
    *sum = 0;
    for (int i = 0; i < CHILDREN; i++)
        *sum += p.sums[i];
    return err;
}

int main(int argc, char **argv)
{
    long leaves = argc > 1 ? atol(argv[1]) : 1000000, power = 1, sum = 0;
    while (power < leaves)
        power *= CHILDREN;
    if (leaves < 1 || power != leaves) {
        fprintf(stderr, "usage: skynet [LEAVES], a power of ten\n");
        return 2;
    }
    co4_runtime *rt = co4_runtime_create(NULL);
    int64_t begin = co4_now();
    int err = rt ? co4_runtime_start(rt) : CO4_ENOMEM;
    if (err == CO4_OK) {
        co4_future *f = co4_async(skynet(0, leaves, &sum));
        err = f ? co4_block(co4_future_await(f, NULL)) : CO4_ENOMEM;
        co4_future_release(f);
        co4_runtime_join(rt);
    }
    co4_runtime_destroy(rt);
    if (err != CO4_OK) {
        fprintf(stderr, "skynet: %s\n", co4_strerror(err));
        return 1;
    }
    fprintf(stderr, "%.0f ms\n", (double)(co4_now() - begin) / CO4_MS);
    printf("%ld\n", sum);
    return sum != leaves / 2 * (leaves - 1) + (leaves % 2) * ((leaves - 1) / 2);
}
