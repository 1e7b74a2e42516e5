/* bounds.c - a step past the end, or before the beginning, of an object in a frame; which one, by
 * number. 0: none. */
#include <co4.h>
#include <stdlib.h>
#include <string.h>

struct pair {
    char text[13];
};

static int mistake;

/* Reads one byte, where the compiler does not see what it belongs to. */
static __attribute__((noinline)) int look(const void *at, long byte)
{
    return ((const volatile char *)at)[byte];
}

static __attribute__((noinline)) void set(void *at, long byte)
{
    ((volatile char *)at)[byte] = 1;
}

static pausable int arrays(int n)
{
    char first[5] = "four";
    int numbers[3] = { 1, 2, 3 };
    char last[3] = "ab";
    if (mistake == 1)
        set(first, sizeof first);
    co4_yield();
    if (mistake == 2)
        set(numbers, sizeof numbers);
    if (mistake == 3)
        set(numbers, -1);
    if (mistake == 4)
        return look(last, sizeof last); /* nothing behind it, but for what fills the frame up */
    if (mistake == 5)
        return look(first, -1);
    first[n] = last[2];
    return (int)strlen(first) + numbers[n] + look(first, 4) + look(last, 2);
}

static pausable void fill(int *to, struct pair *p)
{
    co4_yield();
    *to = (int)strlen(p->text);
    if (mistake == 6)
        set(to, sizeof *to);
    if (mistake == 7)
        set(p, sizeof *p);
}

static pausable int variables(struct pair pair, int wanted)
{
    int size = 0;
    fill(&size, &pair);
    return size - wanted;
}

static pausable_max(32) int late(int n)
{
    if (n < 0)
        return n;
    short kept[7] = { 0 };
    co4_yield();
    if (mistake == 8)
        set(kept, sizeof kept);
    kept[6] = 1;
    return kept[6] - 1;
}

static pausable int computed(int n)
{
    char text[n];
    long numbers[n][2];
    memset(text, 'x', sizeof text);
    memset(numbers, 0, sizeof numbers);
    co4_yield();
    if (mistake == 9)
        set(text, n);
    if (mistake == 10)
        set(text, -1);
    if (mistake == 11)
        set(numbers, sizeof numbers);
    return text[n - 1] - 'x' + (int)numbers[n - 1][1];
}

static pausable int aligned(void)
{
    _Alignas(64) char line[40] = "";
    struct pair pairs[2] = { { "a" }, { "b" } };
    co4_yield();
    if (mistake == 12)
        set(line, sizeof line);
    if (mistake == 13)
        set(pairs, sizeof pairs);
    return line[39] + pairs[1].text[12];
}

static pausable int many(int n)
{
    int *seen[4];
    for (int i = 0; i < n; i++) {
        int here[2] = { i, i }; /* its frame place is the same each time */
        seen[0] = here;
        co4_yield();
        if (mistake == 14 && i == 1)
            set(seen, sizeof seen);
        if (*seen[0] != i)
            return 1;
    }
    return 0;
}

static pausable int all(void)
{
    int sum = 0;
    for (int i = 0; i < 3; i++) { /* frames of earlier ones come again */
        sum += arrays(1) - 3;
        sum += variables((struct pair){ "123456789012" }, 12);
        sum += late(1) + late(-1) + 1;
        sum += computed(5 + i) + computed(1) + computed(16) + computed(117);
        sum += aligned();
        sum += many(3);
    }
    return sum;
}

int main(int argc, char **argv)
{
    mistake = argc > 1 ? atoi(argv[1]) : 0;
    return co4_run(all());
}
