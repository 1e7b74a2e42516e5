/* variable_lengths_forms.c - computed lengths in every form of declarator: qualified, in brackets
 * with static and const, behind typeof, in loops and before gotos.
 * flags: -std=gnu11 -Wno-pointer-arith
 * expect: 188
 * expect: 157
 * expect: 115
 * expect: 1234
 * expect: 8 */
#include <co4.h>
#include <stdio.h>
#include <string.h>
static pausable int w(int n)
{
    co4_yield();
    return n;
}
struct m {
    int rows, cols;
};
static pausable double fill(int r, int c, double a[r][c], const double b[static r][c],
                            int (**cb)[c], char s[const r])
{
    double t = 0;
    for (int i = 0; i < r; i++)
        for (int j = 0; j < c; j++) {
            a[i][j] += b[i][w(j)];
            t += a[i][j];
        }
    r = 0;
    t += (*cb[w(1)])[1] + s[0] + (double)sizeof a[0];
    a += w(1);
    t += a[0][0];
    double(*const last)[c] = a;
    w(0);
    return t + last[0][1];
}
static pausable int g2(struct m *m)
{
    int flat[m->rows * m->cols];
    int(*v)[m->cols] = (void *)flat;
    for (int i = 0; i < m->rows * m->cols; i++)
        flat[i] = w(i);
    m->cols = 77;
    int s = v[w(1)][2] + (int)(sizeof *v);
    struct {
        int (*keep)[4];
        int n;
    } k = { &(int[4]){ 1, 2, 3, 4 }, w(2) };
    volatile int vol[w(2)];
    vol[1] = w(9);
    const char *names[w(3)];
    names[2] = "zz";
    int *ip = flat + 1;
    int (*fp)(int, int[*]) = NULL;
    (void)fp;
    return s + (*k.keep)[k.n] + vol[1] + names[w(2)][0] + *ip + (int)(&flat[3] - ip) +
           (int)(sizeof names / sizeof *names);
}
static pausable int g3(int n)
{
    int total = 0;
    goto start;
loop : {
    int a[n];
    a[0] = w(n);
    total += a[0];
    if (--n > 0)
        goto loop;
    if (total > 100)
        return total;
}
    goto fin;
start:
    n = w(3);
    goto loop;
fin:;
    int(*q)[total];
    {
        int z[total];
        memset(z, 0, sizeof z);
        q = &z;
        (*q)[1] = w(8);
        total += (*q)[1] + (int)sizeof *q;
    }
    for (int i = 0; i < 2; i++) {
        int a[2][i + 1];
        memset(a, 0, sizeof a);
        for (int(*p)[i + 1] = a; p < a + 2; p++) {
            (*p)[i] = w(i + 5);
            total += (*p)[i];
        }
        total += a[1][i];
    }
    int arr[w(2)][w(3)];
    memset(arr, 0, sizeof arr);
    arr[w(1)][w(2)] = 4;
    __typeof__(arr) arr2;
    memcpy(arr2, arr, sizeof arr2);
    __typeof__(arr[0]) *pr = arr2;
    w(1);
    pr++;
    __auto_type pa = &arr2[1];
    w(1);
    return total + (*pr)[2] + (*pa)[2] + (int)sizeof(__typeof__(arr)) +
           (int)sizeof(__typeof__(arr[0]));
}
static pausable void g4(int n, int out[n])
{
    int t[n];
    for (int i = 0; i < n; i++)
        t[i] = out[i] + w(1);
    memcpy(out, t, sizeof t);
    if (n > 1)
        g4(n - 1, out + 1);
}
static pausable int g5(int n)
{
    int lengths[3 * n];
    lengths[2] = 8;
    int(*whole)[3 * n] = (__typeof__(lengths) *)(w(1) ? &lengths : NULL);
    int *list = (int[]){ w(7), (*whole)[w(2)] };
    return list[1];
}
static pausable int all(void)
{
    double a[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } }, b[2][3] = { { 1, 1, 1 }, { 2, 2, 2 } };
    int z[3] = { 7, 8, 9 };
    int(*cb[2])[3] = { &z, &z };
    char s[4] = "q";
    printf("%g\n", fill(2, 3, a, b, cb, s));
    struct m m = { 2, 3 };
    printf("%d\n", g2(&m));
    printf("%d\n", g3(0));
    int o[4] = { 0 };
    g4(4, o);
    printf("%d%d%d%d\n", o[0], o[1], o[2], o[3]);
    printf("%d\n", g5(1));
    return 0;
}
int main(void)
{
    return co4_run(all());
}
