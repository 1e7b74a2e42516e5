/* memory_of_scopes - big arrays in sibling scopes, and one that is live across the others.
 * expect: 7 */
#include <co4.h>
#include <stdio.h>

static pausable int fill(unsigned char *bytes, int count, int seed)
{
    int sum = 0;
    for (int i = 0; i < count; i++) {
        if (i % 64 == 0)
            co4_yield();
        bytes[i] = (unsigned char)(seed * 31 + i);
        sum += bytes[i];
    }
    return sum;
}

static pausable int check(const unsigned char *bytes, int count)
{
    int sum = 0;
    co4_yield();
    while (count-- > 0)
        sum += bytes[count];
    return sum;
}

static pausable void work(void)
{
    unsigned char kept[300];
    int wanted = fill(kept, 300, 1), same = 0;
    {
        unsigned char first[500];
        same += fill(first, 500, 2) == check(first, 500);
    }
    {
        unsigned char second[200], third[100];
        int a = fill(second, 200, 3), b = fill(third, 100, 4);
        same += a == check(second, 200);
        same += b == check(third, 100);
    }
    for (int i = 0; i < 3; i++) {
        unsigned char again[64];
        same += fill(again, 64, i) == check(again, 64);
    }
    same += wanted == check(kept, 300);
    printf("%d\n", same);
}

int main(void)
{
    co4_run(work());
    return 0;
}
