/* generator.c - a function that gives values one by one, and is sent values in return.
 *
 * `numbers` is written as if co4_gen_yield() called its consumer. Each call pauses it; a value that
 * the consumer sends meanwhile is in the very variable that was yielded. */
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
    int err = co4_gen_result(g, &result);
    co4_gen_destroy(g);
    if (err != CO4_OK) { /* there was no memory for it, or for its frames */
        fprintf(stderr, "generator: %s\n", co4_strerror(err));
        return 1;
    }
    printf("caller: the result is %d\n", result);
    return 0;
}
