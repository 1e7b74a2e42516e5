/* increments - ++ and -- on places that a suspension point computes, in both forms and of
 * several types.
 * expect: 1 3 10 8 7 7 2.5 t x 3 8 0 7 xt
 * expect: uext 1.5 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

struct cell {
    int n;
    unsigned bits : 3;
    double d;
    char *text;
};

static struct cell cells[2] = { { 1, 7, 0.5, NULL }, { 10, 0, 1.5, NULL } };

static pausable struct cell *cell(int i)
{
    co4_yield();
    return &cells[i];
}

static pausable void work(void)
{
    char text[] = "text";
    cells[0].text = text;
    printf("%d ", cell(0)->n++);
    printf("%d ", ++cell(0)->n);
    printf("%d ", cells[wait_for(1)].n--);
    printf("%d ", --cells[wait_for(1)].n);
    printf("%u ", cell(0)->bits++);
    printf("%u ", --cell(1)->bits);
    printf("%.1f ", ++cell(1)->d);
    printf("%c ", *cell(0)->text++);
    printf("%c ", *++cell(0)->text);
    printf("%d %d %u %u %s\n", cells[0].n, cells[1].n, cells[0].bits, cells[1].bits, cells[0].text);
    text[wait_for(0)]++;
    cell(1)->d--;
    printf("%s %.1f\n", text, cells[1].d);
}

int main(void)
{
    co4_run(work());
    return 0;
}
