/* wide_characters - string literals of all kinds, universal names, escapes and adjacent
 * literals.
 * needs: formats
 * expect: 20 one "two" \ AA // no comment é ? ' x ; 105 */
#include <co4.h>
#include <stdio.h>
#include <wchar.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable const wchar_t *wide(const wchar_t *text)
{
    co4_yield();
    return text;
}

static pausable void work(void)
{
    const char *joined = "one "
                         "\"two\" \\ "
                         "\x41\101 // no comment";
    const char *utf8 = u8"é", trigraph = '\?';
    printf("%zu ", sizeof "/* none */ \" either" + wait_for(0));
    int c = wait_for('\''), d = wait_for(L'x'), e = "\";wait_for(0);{"[wait_for(1)];
    printf("%s %s %c %c %c %c %d\n", joined, utf8, trigraph, c, d, e, (int)wide(L"wide")[1]);
}

int main(void)
{
    co4_run(work());
    return 0;
}
