/* opaque_handles - marked types that lead back to themselves through a handle, in every order of
 * declaration.
 * expect: 4 5 6 7 8 9 10 11 */
#include <co4.h>
#include <stdio.h>

typedef struct parser *parser;
typedef pausable int (*processor)(parser);
struct parser {
    processor run;
    int n;
};

struct node;
typedef struct node *handle;
typedef pausable int visitor(handle, struct node *);
struct node {
    visitor *visit;
    struct node *next;
    int n;
};

typedef union either either;
struct left {
    pausable int (*go)(either *, struct left *);
    int n;
};
union either {
    struct left left;
    pausable int (*go)(either *, struct left *);
};

struct table {
    struct table *self;
    pausable int (*all[2])(struct table *, pausable int (*)(struct table));
    int n;
};

struct machine;
typedef pausable int step(struct machine *);
struct machine {
    step *now;
    int n;
};

typedef struct box {
    pausable struct box *(*open)(struct box *);
    int n;
} box;

static pausable int run(parser p)
{
    co4_yield();
    return p->n;
}

static pausable int visit(handle h, struct node *of)
{
    co4_yield();
    return h->next != NULL ? h->next->visit(h->next, of) + 1 : of->n;
}

static pausable int go(either *e, struct left *l)
{
    co4_yield();
    return e->left.n + l->n;
}

static pausable int from_table(struct table t)
{
    co4_yield();
    return t.n;
}

static pausable int in_table(struct table *t, pausable int (*f)(struct table))
{
    return f(*t->self);
}

static pausable box *open(box *b)
{
    co4_yield();
    return b + 1;
}

static pausable int last_step(struct machine *m)
{
    co4_yield();
    return m->n++;
}

static pausable void work(void)
{
    struct parser p = { run, 4 };
    printf("%d ", p.run(&p));
    struct node last = { visit, NULL, 4 }, first = { visit, &last, 0 };
    printf("%d ", first.visit(&first, &last));
    either e = { .left = { go, 2 } };
    printf("%d ", e.left.go(&e, &(struct left){ go, 4 }));
    struct table t = { &t, { in_table, in_table }, 7 };
    printf("%d ", t.all[1](&t, from_table));
    box boxes[2] = { { open, 0 }, { open, 8 } };
    printf("%d %d ", boxes[0].open(boxes)->n, open(boxes)->n + 1);
    struct machine m = { last_step, 3 };
    m.n = m.now(&m) + 4;
    e.go = go;
    handle h = &first;
    h->next->n = m.n + 2;
    printf("%d %d\n", h->visit(h, h->next), (*h->next->visit)(h->next, h->next) + 2);
}

int main(void)
{
    co4_run(work());
    return 0;
}
