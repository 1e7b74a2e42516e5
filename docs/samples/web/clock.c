/* clock.c - a program that waits, as in any book.
 *
 * expect: 1 | 2 | 3 */
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    for (int i = 1; i <= 3; i++) {
        usleep(1000);
        printf("%d\n", i);
    }
    return 0;
}
