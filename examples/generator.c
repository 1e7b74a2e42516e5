/* generator.c - a function that gives values one by one, and is sent values in return.
 *
 * `numbers` is written as if co4_gen_yield() called its consumer. Each call pauses it; what the consumer sends meanwhile
 * stands in the very variable that was yielded. */
#include <co4.h>
#include <stdio.h>

pausable int numbers(int count)
{
    int sum = 0;
    for (int i = 1; i <= count; i++) {
        int value = i;
        co4_gen_yield(&value);
        printf("  generator: was sent %d\n", value);
        sum += value;
    }
    return sum;
}

int main(void)
{
    co4_gen *g = co4_generate(numbers(3));
    int value, result;
    while (co4_gen_next(g, &value) == CO4_OK) {
        printf("caller: was given %d\n", value);
        int answer = value * 10;
        co4_gen_send(g, &answer);
    }
    if (co4_gen_result(g, &result) == CO4_OK)
        printf("caller: the result is %d\n", result);
    co4_gen_destroy(g);
    return 0;
}
