/* nqueens.c - in how many ways N queens stand on a board: a task for each beginning, collected in the order in which they end.
 *
 *     nqueens [N]      9 when absent */
#include "savina.h"

enum { TASKED = 3 }; /* rows that are shared out */

struct board {
    int n, placed;
    int column[16];
};

static bool stands(const struct board *b, int column)
{
    for (int row = 0; row < b->placed; row++) {
        int away = b->placed - row, aside = column - b->column[row];
        if (aside == 0 || aside == away || aside == -away)
            return false;
    }
    return true;
}

static long count(struct board *b)
{
    long ways = 0;
    if (b->placed == b->n)
        return 1;
    for (int column = 0; column < b->n; column++)
        if (stands(b, column)) {
            b->column[b->placed++] = column;
            ways += count(b);
            b->placed--;
        }
    return ways;
}

static pausable long share(struct board b)
{
    co4_future *parts[16];
    long ways = 0, part;
    int n = 0;
    if (b.placed == b.n || b.placed == TASKED)
        return count(&b);
    for (int column = 0; column < b.n; column++)
        if (stands(&b, column)) {
            struct board next = b;
            next.column[next.placed++] = column;
            parts[n++] = made(co4_async(share(next)));
        }
    for (int i = 0; i < n; i++) {
        must(co4_future_await(parts[i], &part), "await");
        co4_future_release(parts[i]);
        ways += part;
    }
    return ways;
}

static pausable void all(int n, long *ways)
{
    *ways = share((struct board){ .n = n });
}

int main(int argc, char **argv)
{
    static const long known[] = { 1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712 };
    int n = (int)argument(argc, argv, 1, 9, 1, 13);
    long ways = -1;
    ON_ALL_PROCESSORS(all(n, &ways));
    printf("%d queens: %ld ways\n", n, ways);
    return ways != known[n];
}
