/* generic_selections.c - _Generic: suspension points in the selected expression, selected pausable
 * functions; the operand that decides is not evaluated, and an unselected one is none.
 * expect: int 4 double 2.5 text 3
 * expect: selected 6, other 0, calls 1
 * expect: mixed pausable 8 plain 80
 * expect: nested 5, nested 40
 * expect: assigned 7 at 1
 * expect: table 9 */
#include <co4.h>
#include <stdio.h>
#include <string.h>

static int calls;

static pausable int wait_for(int n)
{
    co4_yield();
    calls++;
    return n;
}

static pausable int put_int(int n)
{
    return wait_for(n) + 1;
}

static pausable double put_double(double d)
{
    wait_for(0);
    return d;
}

static pausable int put_text(const char *text)
{
    return wait_for((int)strlen(text));
}

static int plainly(long n)
{
    return (int)n * 10;
}

#define put(x)   _Generic((x), int : put_int, double : put_double, const char * : put_text)(x)
#define mixed(x) _Generic((x), long : plainly, default : wait_for)(x)

static pausable int all(int n)
{
    const char *text = "abc";
    printf("int %d double %.1f text %d\n", put(n), put(2.5), put(text));
    calls = 0;
    int selected = _Generic(n, int : wait_for(6), default : 0);
    int other = _Generic(text, int : wait_for(6), default : 0);
    printf("selected %d, other %d, calls %d\n", selected, other + _Generic(wait_for(1), int : 0),
           calls);
    printf("mixed pausable %d", mixed(8));
    printf(" plain %d\n", mixed(8L));
    long l = 4;
    int one = _Generic(n, int
                       : _Generic(l, long
                                  : wait_for(5), default : 1),
                         default
                       : wait_for(2));
    int two = n + _Generic(l, int
                           : wait_for(1), default
                           : _Generic(n, long : 1, int
                                      : wait_for(37)));
    printf("nested %d, nested %d\n", one, two);
    int a[2] = { 0, 0 }, at = 0;
    _Generic(n, int : a, default : &n)[++at] = _Generic((char)1, char : wait_for(3), int : 1) + 4;
    printf("assigned %d at %d\n", a[1], at);
    pausable int (*chosen)(int) = _Generic(l, long : wait_for, default : put_int);
    printf("table %d\n", chosen(9));
    return 0;
}

int main(void)
{
    return co4_run(all(3));
}
