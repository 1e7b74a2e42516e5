/* shop.c - what a debugger is shown: see check, which names its lines by the words in their
 * comments. */
#include <co4.h>
#include <stdio.h>

struct order {
    int item, count;
};

static int asked, answered;

static int price_of(int item)
{
    return 10 + item;
}

static pausable int fetch(int item)
{
    asked++; /* fetch begins */
    int before = item + 100;
    if (item != 0)
        co4_yield();
    answered++; /* fetch resumed */
    return before - 100 + price_of(item);
}

static pausable void restock(int *level, int by)
{
    struct change {
        int from, to;
    } change = { *level, *level + by };
    co4_yield();
    *level = change.to; /* restock resumed */
}

static pausable int serve(struct order order, int round)
{
    int sum = 5;                      /* serve begins */
    int level = 7;                    /* pinned: its address is taken */
    int prices[3] = { 0, 0, 0 };      /* pinned: an array */
    struct order last = order;        /* saved */
    for (int i = 0; i < 3; i++) {     /* the loop */
        int price = fetch(i) + round; /* the call in the loop */
        prices[i] = price;            /* after the call */
        sum += price;                 /* the loop's end */
    }
    restock(&level, order.count); /* call restock */
    {
        int level = sum * 2; /* the inner level */
        sum += fetch(level); /* in the inner scope */
        last.count += level; /* after the inner call */
    }
    sum += level + last.item; /* the end */
    return sum + prices[2];   /* the return */
}

int main(void)
{
    struct order order = { 3, 4 };
    printf("%d\n", co4_run(serve(order, 1)) + asked - answered); /* main calls serve */
    return 0;                                                    /* main ends */
}
