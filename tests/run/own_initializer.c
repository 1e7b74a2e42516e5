/* own_initializer.c - an initializer that waits and names the variable that it initializes.
 * expect: 20 40 12
 * expect: itself 1
 * expect: const 24
 * expect: typeof 8 9
 * expect: loop 4 4
 * expect: list 7 4 8
 * expect: outer 1 inner 8 */
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
    long size, again;
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

static pausable long unchanging(void)
{
    const long size = same(3 * (long)sizeof size);
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
    printf("list %ld %ld %ld\n", p.size, p.again, other.again);
}

static pausable void shadow(void)
{
    char x = (char)same(1);
    printf("outer %d", x);
    {
        long x = same((long)sizeof x);
        printf(" inner %ld\n", x);
    }
}

static pausable int all(void)
{
    sizes();
    int is_itself = itself();
    printf("itself %d\n", is_itself);
    long size = unchanging();
    printf("const %ld\n", size);
    types();
    loop();
    list();
    shadow();
    return 0;
}

int main(void)
{
    return co4_run(all());
}
