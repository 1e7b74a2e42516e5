/* struct_results - struct results of many sizes, returned directly, after pauses, and through
 * callers.
 * expect: 7 452 20771 10448 61106 35014 43555 10081 40491 9704 45733 4140 */
#include <co4.h>
#include <stdio.h>

#define SIZED(bytes)                                                                               \
    struct sized##bytes {                                                                          \
        unsigned char b[bytes];                                                                    \
    };                                                                                             \
    static pausable struct sized##bytes make##bytes(int seed, int pauses)                          \
    {                                                                                              \
        struct sized##bytes s;                                                                     \
        for (int i = 0; i < bytes; i++)                                                            \
            s.b[i] = (unsigned char)(seed + i * 7);                                                \
        while (pauses-- > 0)                                                                       \
            co4_yield();                                                                           \
        return s;                                                                                  \
    }                                                                                              \
    static pausable struct sized##bytes pass##bytes(int seed, int pauses)                          \
    {                                                                                              \
        return make##bytes(seed + 1, pauses);                                                      \
    }                                                                                              \
    static pausable int sum##bytes(void)                                                           \
    {                                                                                              \
        int sum = 0;                                                                               \
        struct sized##bytes s = make##bytes(1, 0), t = pass##bytes(2, 2);                          \
        s.b[0] = pass##bytes(3, 1).b[bytes - 1];                                                   \
        for (int i = 0; i < bytes; i++)                                                            \
            sum = (sum * 31 + s.b[i] + t.b[i]) % 65521;                                            \
        return sum;                                                                                \
    }
SIZED(1)
SIZED(2)
SIZED(3)
SIZED(7)
SIZED(8)
SIZED(9)
SIZED(15)
SIZED(16)
SIZED(17)
SIZED(24)
SIZED(64)
SIZED(200)

static pausable void work(void)
{
    printf("%d %d %d %d ", sum1(), sum2(), sum3(), sum7());
    printf("%d %d %d %d ", sum8(), sum9(), sum15(), sum16());
    printf("%d %d %d %d\n", sum17(), sum24(), sum64(), sum200());
}

int main(void)
{
    co4_run(work());
    return 0;
}
