/* long_function - a hundred suspension points in one function.
 * expect: 82 8647
 * expect: 294 5541 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

#define FIVE(n)                                                                                    \
    sum += wait_for(n);                                                                            \
    sum *= wait_for(1);                                                                            \
    sum ^= wait_for(0);                                                                            \
    if (sum % 7 == 3)                                                                              \
        sum -= wait_for(2);                                                                        \
    else                                                                                           \
        product = (product * wait_for(n)) % 10007;
#define TWENTY(n) FIVE(n) FIVE((n) + 1) FIVE((n) + 2) FIVE((n) + 3)

static pausable void work(void)
{
    int sum = 0, product = 1;
    TWENTY(1)
    TWENTY(5)
    TWENTY(11)
    printf("%d %d\n", sum, product);
    TWENTY(20)
    TWENTY(31)
    printf("%d %d\n", sum, product);
}

int main(void)
{
    co4_run(work());
    return 0;
}
