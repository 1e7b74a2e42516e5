/* long_chain - a pause deep below callers that each hold different locals, resumed many times.
 * expect: 180.5 1805.0 */
#include <co4.h>
#include <stdio.h>

static pausable int fifth(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        co4_yield();
        sum += i;
    }
    return sum;
}

static pausable long fourth(const int *values, int count)
{
    long product = 1;
    while (count-- > 0)
        product *= fifth(values[count]);
    return product;
}

static pausable double third(double scale)
{
    int values[] = { 3, 4, 5 };
    double before = scale / 2;
    return fourth(values, 3) * scale + before;
}

static pausable const char *second(char *to, size_t size)
{
    double a = third(1), b = third(10);
    snprintf(to, size, "%.1f %.1f", a, b);
    return to;
}

static pausable void work(void)
{
    char text[40];
    const char *shown = second(text, sizeof text);
    puts(shown);
}

int main(void)
{
    co4_run(work());
    return 0;
}
