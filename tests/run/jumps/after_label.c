/* after_label - declarations after labels and cases, and between statements.
 * expect: 36 12 15 */
#include <co4.h>
#include <stdio.h>

static pausable int wait_for(int n)
{
    co4_yield();
    return n;
}

static pausable int count(int n)
{
    int left = n;
    wait_for(0);
    int sum = 0;
again:;
    int part = wait_for(left);
    wait_for(0);
    sum += part;
    int next = left - 1;
    if (wait_for(next) > 0) {
        left = next;
        goto again;
    }
    switch (n) {
    case 3:;
        int three = wait_for(30);
        sum += three;
        break;
    case 4:
        (void)0;
        char c = 'c';
        wait_for(0);
        sum += c - 'a';
    }
    int last = wait_for(sum);
    return last;
}

static pausable void work(void)
{
    printf("%d %d %d\n", count(3), count(4), count(5));
}

int main(void)
{
    co4_run(work());
    return 0;
}
