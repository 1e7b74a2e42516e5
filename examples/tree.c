/* tree.c - a tree of scopes: each task starts its children, waits for them, and adds up what they
 * have counted.
 *
 *     tree [DEPTH [CHILDREN]]      10 and 3 when absent
 *     tree DEPTH CHILDREN LEAF     the LEAF-th leaf fails: siblings, and all above, are cancelled
 *
 * (Kilim's example of tasks that spawn tasks and wait for their ends.) */
#include <co4.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static long children = 3, bad_leaf = -1;
static atomic_long leaves, cancelled;

enum { BAD = -100 };

static pausable int grow(long depth, long number);

struct node {
    long depth, number;
};

static pausable int branch(const struct node *n)
{
    for (long i = 0; i < children; i++) {
        int err = co4_scope_spawn(co4_scope_here(), grow(n->depth - 1, n->number * children + i));
        if (err != CO4_OK)
            return err;
    }
    return CO4_OK;
}

static pausable int grow(long depth, long number)
{
    if (depth > 0)
        return co4_scope_run(0, branch(&(struct node){ depth, number }));
    int err = co4_sleep(bad_leaf < 0 || number == bad_leaf ? CO4_US : 100 * CO4_SEC);
    if (err != CO4_OK)
        cancelled++;
    else
        leaves++;
    return err == CO4_OK && number == bad_leaf ? BAD : err;
}

int main(int argc, char **argv)
{
    long depth = argc > 1 ? atol(argv[1]) : 10, expected = 1;
    children = argc > 2 ? atol(argv[2]) : 3;
    bad_leaf = argc > 3 ? atol(argv[3]) : -1;
    for (long i = 0; i < depth && expected > 0; i++)
        expected = expected * children > 10000000 ? -1 : expected * children;
    if (depth < 0 || children < 1 || expected < 0 || bad_leaf >= expected) {
        fprintf(stderr, "usage: tree [DEPTH [CHILDREN [LEAF]]], up to ten million leaves\n");
        return 2;
    }
    int err = co4_run(grow(depth, 0));
    if (err == CO4_OK)
        err = co4_run_error();
    if (err != CO4_OK && err != BAD)
        fprintf(stderr, "tree: %s\n", co4_strerror(err));
    else if (bad_leaf < 0)
        printf("%ld leaves\n", leaves);
    else
        printf("failed: %d; %s\n", err,
               leaves == 1 ? "no other leaf went on" : "some leaves went on");
    return bad_leaf < 0 ? err != CO4_OK || leaves != expected : err != BAD || leaves != 1;
}
