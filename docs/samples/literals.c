/* literals.c - const objects and compound literals across pauses.
 * expect: limit 3, point 1 2, text abc */
#include <co4.h>
#include <stdio.h>

struct point {
    int x, y;
};

pausable int read_later(const struct point *p, int which)
{
    co4_yield();
    return which == 0 ? p->x : p->y;
}

pausable void work(int n)
{
    const int limit = n + 1;                         /* const, and initialized here once */
    const struct point *p = &(struct point){ 1, 2 }; /* lives as long as this block, in the frame */
    const char text[] = "abc";
    int x = read_later(p, 0), y = read_later(p, 1);
    printf("limit %d, point %d %d, text %s\n", limit, x, y, text);
}

int main(void)
{
    co4_run(work(2));
}
