/* arrays - arrays of one and two dimensions, of structs, of pointers, of strings.
 * expect: 1 2 3 1 2 1 8 12 b12 a10
 * expect: xyztable first ofyt 0.5 1.5 2.5 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable void work(void)
{
    int one[5] = { 1, 2, 3 }, two[2][3] = { { 1 }, { 4, 5, 6 } };
    struct {
        char tag;
        long n;
    } records[3] = { { 'a', 1 }, { 'b', 2 } };
    const char *names[] = { "x", "yy", "zzz" };
    char text[] = "editable", words[2][6] = { "first", "next" };
    double cube[2][2][2] = { { { 0 } } };
    for (int i = 0; i < 3; i++) {
        one[i + 2] += wait_for(i);
        two[1][i] *= wait_for(2);
        records[i].n += wait_for(10);
        text[i] = names[wait_for(i)][0];
        cube[i % 2][1][i / 2] = wait_for(i) + 0.5;
        words[1][i]++;
    }
    for (int i = 0; i < 5; i++)
        printf("%d ", one[i]);
    printf("%d %d %d %c%ld %c%ld\n", two[0][0], two[1][0], two[1][2], records[1].tag, records[1].n,
           records[0].tag, records[2].n);
    printf("%s %s %s %.1f %.1f %.1f\n", text, words[0], words[1], cube[0][1][0], cube[1][1][0],
           cube[0][1][1]);
}

int main(void)
{
    co4_run(work());
    return 0;
}
