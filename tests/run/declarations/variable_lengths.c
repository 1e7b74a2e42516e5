/* variable_lengths.c - arrays of computed length, pointers to them, parameters, typedefs, across
 * suspension points and in every scope.
 * flags: -std=gnu11 -Wno-pointer-arith
 * expect: one 50
 * expect: two 983
 * expect: three 12 31 31
 * expect: four 803
 * expect: five 102
 * expect: six 24
 * expect: seven 75
 * expect: eight 5
 * expect: c 21
 * expect: eight 6
 * expect: rec 56
 * expect: late 75 */
#include <co4.h>
#include <stdio.h>
#include <string.h>
static pausable int w(int n)
{
    co4_yield();
    return n;
}
struct s {
    char c;
    double d;
};
static int sum(int n, const int a[n])
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += a[i];
    return s;
}
static pausable int one(int n)
{
    int a[n];
    for (int i = 0; i < n; i++)
        a[i] = w(i);
    int m = n;
    n = 100;
    return sum(m, a) + (int)sizeof a + (int)sizeof(int[m]);
}
static pausable int two(int n, int m)
{
    double g[n][m], (*p)[m] = g, *q = &g[1][0];
    memset(g, 0, sizeof g);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            g[i][w(j)] = i * 10 + j;
    p++;
    m = w(50);
    n++;
    double(*all)[n - 1][(int)(sizeof *p / sizeof **p)] = &g;
    q[2] += w(1);
    (*p)[1] += p[1][0] + w(2);
    p[w(0)][w(1)] += 0.5;
    *p[w(1)] = w(7);
    double r = 0;
    for (int i = 0; i < n - 1; i++)
        for (size_t j = 0; j < sizeof *p / sizeof **p; j++)
            r += (*all)[i][j] * (int)(j + 1);
    return (int)(r * 2) + (int)sizeof g + (int)sizeof *all + (int)(p - g);
}
static pausable int three(int n)
{
    int total = 0;
    for (int i = 1; i < n; i++) {
        char text[i + w(1)];
        memset(text, 98, sizeof text);
        text[0] = (char)w(97);
        text[i] = 0;
        if (i == 3)
            continue;
        struct s list[i][2];
        list[i - 1][1].d = w(i);
        if (i == 5)
            break;
        if (i == 6)
            goto out;
        for (int j = 0, inner[w(i)]; j < i; j++) {
            inner[j] = w(j);
            total += inner[j];
        }
        total += (int)strlen(text) + (int)list[i - 1][1].d + (int)sizeof text;
        if (total > 1000)
            return total + (int)sizeof list;
    }
out:
    return total;
}
static pausable int four(int n, int (*grid)[n], int rows, int flat[rows][n], int (*cube)[rows][n])
{
    int s = 0;
    int keep = n;
    n = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < keep; j++)
            s += grid[i][w(j)] * flat[i][j] + cube[0][i][j];
    grid++;
    s += grid[0][w(0)] + (*++flat)[1] + (int)sizeof *grid + (int)sizeof *cube;
    return s;
}
static pausable int five(int n)
{
    typedef int row[n], (*prow)[n], number;
    typedef row table[w(2)];
    n = 99;
    row r;
    table t;
    prow p = &r;
    row *pp = t;
    number x = 5;
    const row *cp = (const row *)t;
    for (size_t i = 0; i < sizeof(row) / sizeof(number); i++) {
        r[i] = w((int)i);
        t[1][i] = t[0][i] = r[i] * 2;
    }
    __typeof__(r) copy;
    memcpy(copy, r, sizeof(row));
    row *second = pp + 1;
    int s = (*p)[w(1)] + (*second)[w(2)] + copy[1] + cp[1][2] + (int)sizeof(table) +
            (int)sizeof(*(row *)t) + x;
    {
        row inner;
        inner[0] = 4;
        s += inner[0] + (int)sizeof inner;
    }
    {
        struct row {
            int row;
        } z = { 3 };
        s += w(z.row);
        goto row;
    }
row:
    return s + (int)sizeof(t[0]);
}
static pausable int six(int n)
{
    int tries = 0;
again:;
    int a[n + tries];
    a[0] = w(tries);
    if (++tries < 4)
        goto again;
    switch (w(tries)) {
    case 4: {
        int b[tries];
        b[0] = w(5);
        if (b[0] == 5)
            break;
    } /* fall through */
    case 5:
        return -1;
    }
    int v = ({
        int k[w(3)];
        k[2] = w(4);
        k[2] + (int)sizeof k;
    });
    return a[0] + v + (int)sizeof a / 4;
}
static pausable long seven(int n)
{
    int data[12];
    for (int i = 0; i < 12; i++)
        data[i] = i;
    int(*p)[n] = (int(*)[n])data;
    int(*arr[2])[n];
    arr[0] = p;
    arr[1] = p + w(1);
    int *vp[n];
    for (int i = 0; i < n; i++)
        vp[i] = &data[i * 2];
    long s = arr[w(1)][0][1] + *vp[w(2)] + (*(p + w(1)))[2] + ((int(*)[n])data)[w(1)][w(1)];
    p += w(1);
    s += p++[0][0];
    s += (p - (int(*)[n])data) + (long)sizeof(int[w(7)]) + (long)sizeof(p[w(0)]);
    s += (n > 2 ? p : arr[0])[w(0)][0];
    int(*pick)[n] = w(1) ? p : arr[1];
    return s + pick[0][1];
}
static pausable void eight(int n)
{
    int a[n];
    a[0] = w(n);
    {
        int b[a[0] + 1];
        b[1] = w(2);
        a[0] += b[1];
    }
    printf("eight %d\n", a[0]);
    if (n > 3)
        return;
    int c[a[0]];
    c[0] = w(1);
    printf("c %d\n", c[0] + (int)sizeof c);
}
static pausable int rec(int n)
{
    int a[n + 1];
    for (int i = 0; i <= n; i++)
        a[i] = i;
    int below = n ? rec(n - 1) : 0;
    int s = 0;
    for (int i = 0; i <= n; i++)
        s += a[i];
    return s + below;
}
static pausable int late(int n)
{
    int k = n * 2;
    w(1);
    {
        int a[k];
        a[0] = 1;
        n += (int)sizeof a;
    }
    w(1);
    typedef int tt[k];
    n += (int)sizeof(tt);
    return n + (int)sizeof(int[k]);
}
static pausable int all(void)
{
    printf("one %d\n", one(5));
    printf("two %d\n", two(3, 4));
    printf("three %d %d %d\n", three(4), three(6), three(7));
    int g[3][4] = { { 1, 2, 3, 4 }, { 5, 6, 7, 8 }, { 9, 10, 11, 12 } };
    printf("four %d\n", four(4, g, 3, g, &g));
    printf("five %d\n", five(4));
    printf("six %d\n", six(2));
    printf("seven %ld\n", seven(3));
    eight(3);
    eight(4);
    printf("rec %d\n", rec(6));
    printf("late %d\n", late(3));
    return 0;
}
int main(void)
{
    return co4_run(all());
}
