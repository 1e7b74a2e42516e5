/* statements.c - every statement, with results that depend on each iteration. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum shape { SQUARE, CIRCLE, LINE };

static unsigned state = 7;

static unsigned next(void)
{
    return state = state * 1664525u + 1013904223u;
}

static const char *name_of(enum shape shape)
{
    switch (shape) {
    case SQUARE:
        return "square";
    case CIRCLE:
        return "circle";
    default:
        break;
    }
    return "line";
}

static int duff(char *to, const char *from, int count)
{
    int rounds = (count + 3) / 4, copied = 0;
    switch (count % 4) {
    case 0:
        do {
            *to++ = *from++;
            copied++;
            /* fall through */
        case 3:
            *to++ = *from++;
            copied++;
            /* fall through */
        case 2:
            *to++ = *from++;
            copied++;
            /* fall through */
        case 1:
            *to++ = *from++;
            copied++;
        } while (--rounds > 0);
    }
    return copied;
}

static int search(int (*grid)[5], int wanted)
{
    int found = -1;
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 5; x++) {
            if (grid[y][x] < 0)
                continue;
            if (grid[y][x] == wanted) {
                found = y * 5 + x;
                goto out;
            }
        }
out:
    return found;
}

static unsigned collatz(unsigned n)
{
    unsigned steps = 0;
    while (n != 1) {
        n = n % 2 ? 3 * n + 1 : n / 2;
        steps++;
    }
    return steps;
}

static int ackermann(int m, int n)
{
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

static void permute(char *text, int from, int *count)
{
    if (text[from] == '\0') {
        if (++*count % 7 == 0)
            printf("%s ", text);
        return;
    }
    for (int i = from; text[i] != '\0'; i++) {
        char keep = text[from];
        text[from] = text[i], text[i] = keep;
        permute(text, from + 1, count);
        keep = text[from];
        text[from] = text[i], text[i] = keep;
    }
}

static int is_empty(const char *text)
{
    return !*text;
}

static int chain(const char *a, const char *b)
{
    return (is_empty(a) || !is_empty(b)) && ((next() >> 16) % 2 == 0 || (next() >> 16) % 3 == 0);
}

int main(int argc, char *argv[])
{
    char copy[16] = { 0 }, letters[] = "abcd";
    int grid[4][5], permutations = 0;
    for (int i = 0; i < 20; i++)
        grid[i / 5][i % 5] = i % 3 == 0 ? -1 : i * i;
    printf("%s %s %s\n", name_of(SQUARE), name_of(CIRCLE), name_of(LINE));
    int copied = duff(copy, "hello, world", 11);
    printf("%d %s\n", copied, copy);
    int first = search(grid, 64), second = search(grid, 81);
    printf("%d %d\n", first, second);
    unsigned longest = 0;
    for (unsigned n = 1, best = 0; n < 300; n++) {
        unsigned steps = collatz(n);
        if (steps > best)
            best = steps, longest = n;
    }
    printf("%u\n", longest);
    printf("%d\n", ackermann(2, 9));
    permute(letters, 0, &permutations);
    printf("%d\n", permutations);
    int chained = 0;
    do
        chained += chain(argv[1], argc > 2 ? argv[2] : "");
    while (next() >> 28 != 3);
    printf("%d %s\n", chained, __func__);
    if (argc == 3)
        exit(chained % 64 + 1);
}
