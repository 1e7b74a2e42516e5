/* processors.c - work that several processors can share: what a second worker brings.
 *
 * Base: the same on one thread, in plain C, without tasks. `co4bench --workers 1` against
 * `--workers 2` is the gain. */
#include "bench.h"

#include <co4.h>
#include <stdlib.h>

enum { QUEENS = 13, MATRIX = 512 };

/* ---- n queens: a task for each way to place the first two ---- */

pausable void place(co4_mailbox *results, unsigned all, unsigned a, unsigned b)
{
    long found = plain_queens(all, a | b, (a << 1 | b) << 1, (a >> 1 | b) >> 1);
    co4_mailbox_send(results, &found);
}

pausable void queens(int n, long *sum)
{
    unsigned all = (1u << n) - 1;
    co4_mailbox *results = co4_mailbox_create(sizeof(long), CO4_MAILBOX_CAPACITY);
    long tasks = 0;
    for (int i = 0; i < n; i++) {
        unsigned a = 1u << i;
        for (unsigned left = all & ~(a | a << 1 | a >> 1); left != 0; left &= left - 1, tasks++)
            co4_spawn(place(results, all, a, left & -left));
    }
    for (; tasks > 0; tasks--) {
        long found;
        co4_mailbox_receive(results, &found);
        *sum += found;
    }
    co4_mailbox_destroy(results);
}

static double run_queens(long n)
{
    co4_runtime *rt = bench_runtime();
    long sum = 0;
    co4_runtime_spawn(rt, queens((int)n, &sum));
    double seconds = bench_finish(rt);
    bench_check("nqueens", sum, plain_queens_solutions((int)n));
    return seconds * 1e3;
}

static double base_queens(long n)
{
    double begin = bench_now();
    bench_check("nqueens", plain_queens((1u << n) - 1, 0, 0, 0), plain_queens_solutions((int)n));
    return (bench_now() - begin) * 1e3;
}

/* ---- product of two matrices, a quarter at a time ---- */

pausable void multiply(double *c, const double *a, const double *b, int n, int stride)
{
    if (n <= PLAIN_LEAF) {
        plain_multiply(c, a, b, n, stride);
        return;
    }
    int h = n / 2;
    for (int half = 0; half < 2; half++) {
        co4_task *quarters[4];
        for (int q = 0; q < 4; q++) {
            int row = q / 2 * h, column = q % 2 * h;
            quarters[q] = co4_task_create(multiply(c + row * stride + column,
                                                   a + row * stride + half * h,
                                                   b + half * h * stride + column, h, stride));
            co4_runtime_schedule(NULL, quarters[q]);
        }
        for (int q = 0; q < 4; q++) {
            co4_task_join(quarters[q]);
            co4_task_release(quarters[q]);
        }
    }
}

static double product(long n, bool plain)
{
    size_t count = (size_t)(n * n);
    double *a = malloc(count * sizeof *a), *b = malloc(count * sizeof *b),
           *c = calloc(count, sizeof *c);
    bench_check("malloc", a != NULL && b != NULL && c != NULL, 1);
    for (size_t i = 0; i < count; i++) {
        a[i] = (double)(i % 7);
        b[i] = (double)(i % 5);
    }
    double seconds, want = 0;
    if (plain) {
        double begin = bench_now();
        plain_multiply(c, a, b, (int)n, (int)n);
        seconds = bench_now() - begin;
    } else {
        co4_runtime *rt = bench_runtime();
        co4_runtime_spawn(rt, multiply(c, a, b, (int)n, (int)n));
        seconds = bench_finish(rt);
    }
    for (long k = 0; k < n; k++)
        want += a[n * (n / 3) + k] * b[k * n + n / 2];
    bench_check("matmul", (long)c[n * (n / 3) + n / 2], (long)want);
    free(a);
    free(b);
    free(c);
    return seconds * 1e3;
}

static double run_product(long n)
{
    return product(n, false);
}
static double base_product(long n)
{
    return product(n, true);
}

const bench_workload bench_processors[] = {
    { "nqueens", "ms", run_queens, base_queens, QUEENS, 0 },
    { "matmul", "ms", run_product, base_product, MATRIX, 0 },
    { 0 },
};
