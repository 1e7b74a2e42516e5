/* struct_assignment - whole structs assigned from points, to locals, elements, members and
 * through pointers.
 * expect: a1/30 b2/31 c3/32 d4/33 e5/34 f6/35 g7/36 1 2 f */
#include <co4.h>
#include <stdio.h>

struct big {
    int n[30];
    char tag;
};

static pausable struct big big_of(int first, char tag)
{
    struct big b = { { 0 }, tag };
    for (int i = 0; i < 30; i++)
        b.n[i] = first + i;
    co4_yield();
    return b;
}

static struct big global;
static struct {
    int before;
    struct big b;
    int after;
} around = { 1, { { 0 }, 'x' }, 2 };

static pausable void show(struct big b)
{
    co4_yield();
    printf("%c%d/%d ", b.tag, b.n[0], b.n[29]);
}

static pausable void work(void)
{
    struct big a = big_of(1, 'a'), array[2], *p = &array[1], copy;
    array[0] = big_of(2, 'b');
    *p = big_of(3, 'c');
    around.b = big_of(4, 'd');
    copy = global = big_of(5, 'e');
    show(a);
    show(array[0]);
    show(array[1]);
    show(around.b);
    show(global);
    show(copy = big_of(6, 'f'));
    show(big_of(7, 'g'));
    printf("%d %d %c\n", around.before, around.after, copy.tag);
}

int main(void)
{
    co4_run(work());
    return 0;
}
