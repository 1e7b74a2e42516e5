/* compiler_builtin_type_forms.c - what is declared with a type that is taken from a value of a builtin of gcc's own. */
/* needs: gcc */
#include <co4.h>

#include <tgmath.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

typedef __typeof__(sqrt(1.0)) real;
enum { BYTES = sizeof(sqrt(1.0)) };

pausable int named(float x);
pausable int array(double x);
pausable int inside(double x);
pausable int selected(float x);
pausable int taken(__typeof__(sqrt(1.0)) y); /* error: 'taken' has a parameter or result of a type that woven code cannot write */ /* hint: use types of C11 */
static pausable __typeof__(sqrt(1.0)) given(double y) /* error: 'given' has a parameter or result of a type that woven code cannot write */
{
    return wait_for(1) + y;
}

pausable int named(float x)
{
    real y = x; /* error: 'y' has a type that cannot be kept */
    return wait_for(1) + y;
}

pausable int array(double x)
{
    char first[sizeof(sqrt(x))] = { 1 }; /* error: 'first' has a type that cannot be kept */
    char second[BYTES] = { 1 }; /* error: 'second' has a type that cannot be kept */
    return first[wait_for(0)] + second[wait_for(0)];
}

pausable int inside(double x)
{
    struct one {
        char bytes[sizeof(sqrt(x))];
    } one = { { 1 } }; /* error: 'one' has a type that cannot be kept */
    return wait_for(1) + one.bytes[0];
}

pausable int selected(float x)
{
    return _Generic(sqrt(x), float: wait_for(1), default: wait_for(2)); /* error: a suspension point inside a _Generic selection is not woven */
}
