/* labels_as_values - computed goto over a table of labels, with points between.
 * expect: 1 14 7 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable int machine(const char *program)
{
    static const void *const table[] = { &&add, &&twice, &&end };
    int n = 1;
    goto *table[*program - '0'];
add:
    n += wait_for(3);
    goto *table[*++program - '0'];
twice:
    n *= wait_for(2);
    goto *table[wait_for(*++program) - '0'];
end:
    return n;
}

static pausable void work(void)
{
    printf("%d %d %d\n", machine("2"), machine("0012"), machine("1102"));
}

int main(void)
{
    co4_run(work());
    return 0;
}
