/* nqueens.c - the number of ways to place N queens on a board: a task for each beginning.
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

struct part {
    struct board board;
    long ways;
};

static pausable int share(struct part *p);

static pausable int share_out(struct part *parts)
{
    for (int i = 0; parts[i].board.n > 0; i++)
        TRY(co4_scope_spawn(co4_scope_here(), share(&parts[i])));
    return CO4_OK;
}

static pausable int share(struct part *p)
{
    struct part parts[17] = { 0 }; /* up to one without a board */
    struct board *b = &p->board;
    int n = 0;
    if (b->placed == b->n || b->placed == TASKED) {
        p->ways = count(b);
        return CO4_OK;
    }
    for (int column = 0; column < b->n; column++)
        if (stands(b, column)) {
            parts[n].board = *b;
            parts[n].board.column[b->placed] = column;
            parts[n++].board.placed++;
        }
    TRY(co4_scope_run(0, share_out(parts)));
    while (n > 0)
        p->ways += parts[--n].ways;
    return CO4_OK;
}

int main(int argc, char **argv)
{
    static const long known[] = { 1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712 };
    int n = (int)argument(argc, argv, 1, 9, 1, 13);
    struct part p = { { .n = n }, 0 };
    ON_ALL_PROCESSORS(share(&p));
    printf("%d queens: %ld ways\n", n, p.ways);
    return p.ways != known[n];
}
