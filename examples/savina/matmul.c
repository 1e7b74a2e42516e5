/* matmul.c - a product of two matrices: each is cut into quarters, and so on; eight tasks for the
 * eight products, in two rounds, for two of them add to the same quarter.
 *
 *     matmul [N]      256 when absent: rows and columns, a power of two */
#include "savina.h"

enum { SMALL = 32 };

struct product {
    const double *a, *b;
    double *c;
    size_t n, row; /* rows and columns; elements from one row to the next */
};

static void multiply(const struct product *p)
{
    for (size_t i = 0; i < p->n; i++)
        for (size_t k = 0; k < p->n; k++)
            for (size_t j = 0; j < p->n; j++)
                p->c[i * p->row + j] += p->a[i * p->row + k] * p->b[k * p->row + j];
}

static pausable int product(struct product p);

struct round {
    struct product p;
    size_t middle;
};

static pausable int four(const struct round *r)
{
    struct product p = r->p, q = p;
    q.n = p.n / 2;
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < 2; j++) {
            q.a = p.a + (i * p.row + r->middle) * q.n;
            q.b = p.b + (r->middle * p.row + j) * q.n;
            q.c = p.c + (i * p.row + j) * q.n;
            TRY(co4_scope_spawn(co4_scope_here(), product(q)));
        }
    return CO4_OK;
}

static pausable int product(struct product p)
{
    if (p.n <= SMALL) {
        multiply(&p);
        return CO4_OK;
    }
    for (size_t middle = 0; middle < 2; middle++)
        TRY(co4_scope_run(0, four(&(struct round){ p, middle })));
    return CO4_OK;
}

static pausable int all(struct product p)
{
    return product(p);
}

int main(int argc, char **argv)
{
    size_t n = (size_t)argument(argc, argv, 1, 256, 1, 4096), wrong = 0;
    if (n & (n - 1)) {
        fprintf(stderr, "usage: %s [N], a power of two\n", argv[0]);
        return 2;
    }
    double *a = made(calloc(n * n, sizeof *a)), *b = made(calloc(n * n, sizeof *b)),
           *c = made(calloc(n * n, sizeof *c)), *plain = made(calloc(n * n, sizeof *plain));
    for (size_t i = 0; i < n * n; i++) {
        a[i] = (double)(i % 17);
        b[i] = (double)(i % 13) - 5;
    }
    ON_ALL_PROCESSORS(all((struct product){ a, b, c, n, n }));
    multiply(&(struct product){ a, b, plain, n, n });
    for (size_t i = 0; i < n * n; i++)
        wrong += c[i] != plain[i]; /* small whole numbers: exact */
    free(a);
    free(b);
    free(c);
    free(plain);
    printf("%zu by %zu: %zu wrong\n", n, n, wrong);
    return wrong != 0;
}
