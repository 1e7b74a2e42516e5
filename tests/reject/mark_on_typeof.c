/* mark_on_typeof.c - a mark on a function, pointer or parameter whose function type is the operand of a typeof. */
#include <co4.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable __typeof__(wait_for) wait_for; /* error: 'wait_for' is marked pausable, but its function type is in a typeof */ /* hint: write its parameters, or a typedef with the mark */

static pausable __typeof__(wait_for) *pointer __asm__("pointer"); /* error: 'pointer' is marked pausable, but its function type is in a typeof */

static pausable int work(pausable __typeof__(int(int)) f) /* error: 'f' is marked pausable, but its function type is in a typeof */
{
    return f(1);
}

int main(void)
{
    return co4_run(work(pointer));
}
