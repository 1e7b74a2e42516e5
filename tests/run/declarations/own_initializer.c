/* own_initializer.c - an initializer that waits and names the variable that it initializes, and not
 * the hidden one.
 * expect: 20 40 12
 * expect: itself 1
 * expect: const 24
 * expect: typeof 8 9
 * expect: loop 4 4
 * expect: list 7 4 8
 * expect: outer 1 inner 8
 * expect: 8,24,3,32,24,
 * expect: 5 6 7 8 2 */
#include <co4.h>
#include <stdio.h>
#include <stdlib.h>

struct s {
    int a[5];
};
struct node {
    struct node *next;
};
struct pair {
    long long size, again;
};
struct item {
    union {
        struct item *next;
        double wide; /* 8 bytes, whatever a pointer has */
    };
    double value[2];
};

static pausable void *get(size_t n)
{
    co4_yield();
    return calloc(1, n);
}

static pausable long same(long n)
{
    co4_yield();
    return n;
}

static pausable void *told(size_t size)
{
    void *memory = get(size);
    printf("%d,", (int)size);
    return memory;
}

static pausable int wait_for(int n)
{
    return (int)same(n);
}

static pausable struct node *keep(struct node *n)
{
    co4_yield();
    return n;
}

static pausable int sizes(void)
{
    struct s *p = get(sizeof *p), *q = get(2 * sizeof *q);
    int n = (int)sizeof p->a, m = (int)(2 * sizeof *q);
    long three = same(3 * (long)sizeof(int));
    printf("%d %d %ld\n", n, m, three);
    free(p);
    free(q);
    return 0;
}

static pausable int itself(void)
{
    struct node one = { keep(&one) };
    return one.next == &one;
}

static pausable long long unchanging(void)
{
    const long long size = same(3 * (long)sizeof size);
    co4_yield();
    return size;
}

static pausable void types(void)
{
    long value = same((__typeof__(value))8), next = same((__typeof__(value))9);
    printf("typeof %ld %ld\n", value, next);
}

static pausable void loop(void)
{
    for (int i = (int)same((long)sizeof i), j = i; i < 5; i++)
        printf("loop %d %d\n", i, j);
}

static pausable void list(void)
{
    struct pair p = { same(7), same((long)sizeof(int)) + (long)sizeof p.again - 8 };
    struct pair other = { .again = same((long)sizeof other.again), .size = 1 };
    printf("list %lld %lld %lld\n", p.size, p.again, other.again);
}

static pausable void shadow(void)
{
    char x = (char)same(1);
    printf("outer %d", x);
    {
        long long x = same((long)sizeof x);
        printf(" inner %lld\n", x);
    }
}

static pausable void hidden(void)
{
    char *p = told(8);
    {
        struct item *p = told(sizeof *p), *const q = told((size_t)wait_for(3) *
                                                          sizeof q->next->next / sizeof(void *));
        free(p);
        free(q);
        for (struct item(*p)[2] = told(sizeof *p - sizeof(__typeof__(**p)) / 3 * 2); p != NULL;
             p = NULL)
            free(p);
    }
    struct item *list = told(sizeof *list);
    free(list);
    free(p);
    printf("\n");
}

static pausable void values(void)
{
    int late = wait_for(late = 5), twice = ((twice = wait_for(3)), twice * 2);
    void *self = wait_for(1) ? (void *)&self : NULL;
    struct {
        int a, b;
    } both = { .a = wait_for(7), .b = wait_for((int)sizeof both) };
    const int constant = wait_for((int)sizeof constant) / 2;
    printf("%d %d %d %d %d\n", late, twice, both.a, both.b, self == &self ? constant : 0);
}

static pausable int all(void)
{
    sizes();
    int is_itself = itself();
    printf("itself %d\n", is_itself);
    long long size = unchanging();
    printf("const %lld\n", size);
    types();
    loop();
    list();
    shadow();
    hidden();
    values();
    return 0;
}

int main(void)
{
    return co4_run(all());
}
