/* parameters - parameters of every kind, modified, and kept across pauses.
 * expect: 15 205 100 116 12 6
 * expect: unused */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

struct small {
    char c;
};
struct big {
    int n[20];
};

static pausable int scalars(int n, unsigned char c, long long l, double d, _Bool b)
{
    n++;
    c += wait_for(10);
    l -= wait_for(1);
    d /= 2;
    b = !b;
    wait_for(0);
    return n + c + (int)l + (int)d + b;
}

static pausable int structs(struct small s, struct big b, const struct big *p)
{
    s.c++;
    b.n[3] += wait_for(s.c);
    wait_for(0);
    return s.c + b.n[3] + p->n[3] + b.n[19];
}

static pausable int arrays(int n, int values[], int grid[2][3], char text[static 2])
{
    values[0] += wait_for(n);
    grid[1][2] *= wait_for(2);
    text++;
    wait_for(0);
    grid++;
    return values[0] + grid[0][2] + text[0];
}

static pausable int unused(int a, int b __attribute__((unused)), int (*f)(const char *))
{
    (void)a;
    co4_yield();
    return f("unused\n") > 0;
}

static int print(const char *text)
{
    return printf("%s", text);
}

static pausable void work(void)
{
    struct big big = { { [3] = 100, [19] = 1 } };
    int values[2] = { 5, 6 }, grid[2][3] = { { 0 }, { 1, 2, 3 } };
    char text[] = "ab";
    printf("%d ", scalars(1, 250, 5, 9.5, 0));
    printf("%d %d ", structs((struct small){ 1 }, big, &big), big.n[3]);
    printf("%d ", arrays(7, values, grid, text));
    printf("%d %d\n", values[0], grid[1][2]);
    unused(1, 2, print);
}

int main(void)
{
    co4_run(work());
    return 0;
}
