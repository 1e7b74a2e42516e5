/* single_headers.c - single bodies whose headers cannot serve for direct calls: an old-style
 * definition takes promoted arguments, and a const inside brackets keeps a resume from restoring
 * the parameter.
 * weave: --entry=single
 * flags: -std=gnu11 -Os -Wno-old-style-definition -Wno-deprecated-non-prototype -Wno-unknown-warning-option
 * expect: a 4.5 3
 * expect: 6
 * expect: 22 */
#include <co4.h>
#include <stdio.h>

static pausable int narrow(letter, part, byte)
char letter;
float part;
unsigned char byte;
{
    co4_yield();
    printf("%c %.1f %d\n", letter, (double)part, byte);
    co4_yield();
    return byte;
}

static pausable int sum(const int row[const 3])
{
    int all = 0;
    for (int i = 0; i < 3; i++) {
        co4_yield();
        all += row[i];
    }
    return all;
}

static pausable int last(const int row[const 2], int n)
{
    co4_yield();
    return row[n - 1];
}

static pausable int all(void)
{
    static const int row[] = { 1, 2, 3 }, pair[] = { 11, 22 };
    narrow('a', 4.5, 259);
    printf("%d\n", sum(row));
    printf("%d\n", last(pair, 2));
    return 0;
}

int main(void)
{
    return co4_run(all());
}
