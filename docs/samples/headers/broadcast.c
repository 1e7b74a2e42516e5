/* broadcast.c - the lead example of co4/broadcast.h.
 * modes: woven forced
 * expect: waits: 1 2 3
 * expect: drops: 2 3, 1 dropped */
#include <co4.h>
#include <stdio.h>

struct item {
    int number;
};

static pausable void work(void)
{
    struct item item;
    co4_broadcast *news = co4_broadcast_create(sizeof(struct item));
    co4_subscriber *mine = co4_broadcast_subscribe(news, 16, CO4_BROADCAST_WAIT);
    co4_subscriber *latest = co4_broadcast_subscribe(news, 2, CO4_BROADCAST_DROP_OLDEST);
    for (item.number = 1; item.number <= 3; item.number++)
        co4_broadcast_send(news, &item);
    co4_broadcast_close(news);
    printf("waits:");
    while (co4_subscriber_receive(mine, &item) == CO4_OK)
        printf(" %d", item.number);
    printf("\ndrops:");
    while (co4_subscriber_receive(latest, &item) == CO4_OK)
        printf(" %d", item.number);
    printf(", %llu dropped\n", (unsigned long long)co4_subscriber_dropped(latest));
    co4_subscriber_destroy(mine);
    co4_subscriber_destroy(latest);
    co4_broadcast_destroy(news);
}

int main(void)
{
    co4_run(work());
    return 0;
}
