/* reject: budgets that co4weave cannot read as a number, or that are not about a function. */
#include <co4.h>

pausable_max(sizeof(long) * 8) int computed(int n); /* error at 36: pausable_max(sizeof(long) * 8): that is not a number of bytes */ /* hint: write a number */
pausable_max(-1) int negative(int n); /* error: pausable_max(-1): that is not a number of bytes */
pausable_max("64") int text(int n); /* error: that is not a number of bytes */
pausable_max() int empty(int n); /* error: pausable_max(): that is not a number of bytes */
pausable_max(99999999999999999999) int huge(int n); /* error: that is not a number of bytes */
struct table {
    pausable_max(64) int (*step)(int n); /* error: 'step' is not a function: it has no frame for pausable_max to limit */ /* hint: write pausable */
};

pausable int work(struct table *t, int n)
{
    pausable_max(64) int (*step)(int n) = t->step; /* error: 'step' is not a function */
    return step(n);
}
