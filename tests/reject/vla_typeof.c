/* vla_typeof.c - a typeof evaluates its operand when the size of its type is computed; compound literals of such types. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

pausable int measured(int n);
pausable int measured(int n)
{
    char rows[2][n + 3];
    int i = 0;
    __typeof__(rows[i++]) row; /* error: the typeof of 'row', which lives across a suspension point, has side effects */ /* hint: in a statement before */
    row[0] = 1;
    {
        __typeof__(rows[i++]) in_passing; /* ok: nothing pauses here */
        in_passing[0] = row[0];
    }
    return wait_for(i) + row[0] + rows[0][0];
}

pausable int like(int n);
pausable int like(int n)
{
    char rows[2][n + 3];
    __typeof__(rows[0]) row; /* ok: it only asks */
    row[0] = rows[0][0] = 1;
    return wait_for(1) + row[0] + rows[0][0];
}

pausable int literal(int n, int *data);
pausable int literal(int n, int *data)
{
    int (**row)[n] = &(int (*[2])[n]){ (int (*)[n])data }[0]; /* error: a compound literal of a type whose size is computed is not woven */ /* hint: declare a variable */
    return wait_for(n) + (**row)[0];
}
