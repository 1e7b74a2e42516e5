/* declarators - functions of all shapes of declarators, pausable and of both worlds: results and
 * parameters that are pointers to arrays and functions, arrays of computed length, names that hide
 * the result's type. Woven code writes each of them several times.
 * flags: -Wno-vla-parameter -Wno-unknown-warning-option
 * expect: pausable 3 7 6 | 8 8 12 8 | 10 15 20 | nothing
 * expect: pausable 26 10 78 36 26 | 3 12 6 12 | b one 4 40 1 1
 * expect: pausable 3 6 | on 1 on 2 | 8 10 11 | 7 6
 * expect: both 3 7 6 | 8 8 12 8 | 10 15 20 | nothing
 * expect: both 26 10 78 36 26 | 3 12 6 12 | b one 4 40 1 1
 * expect: both 3 6 | on 1 on 2 | 8 10 11 | 7 6
 * expect: both 3 7 6 | 8 8 12 8 | 10 15 20 | nothing
 * expect: both 26 10 78 36 26 | 3 12 6 12 | b one 4 40 1 1
 * expect: both 3 6 | on 1 on 2 | 8 10 11 | 7 6 */
#include <co4.h>

pausable void all_pausable(void);
pausable_or_plain void all_of_both(void);

int main(void)
{
    co4_run(all_pausable());
    co4_run(all_of_both());
    all_of_both();
    return 0;
}
