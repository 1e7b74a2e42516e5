/* crowd.c - tasks in every state, for gdb: see tasks.py, which names its lines by the words in
 * their comments. */
#include <co4.h>
#include <stdio.h>
#include <string.h>

static co4_mailbox *orders, *full, *busy;

static pausable int receive(int rounds)
{
    int order = 0, sum = 40 + rounds;
    if (co4_mailbox_receive(orders, &order) != CO4_OK) /* gets */
        sum--;
    return sum + order;
}

static pausable int clerk(int rounds)
{
    int before = rounds * 2;
    int got = receive(rounds); /* the clerk's call */
    return got + before;
}

static pausable void sender(void)
{
    int n = 1;
    co4_mailbox_send_until(full, &n, co4_now() + 3600 * CO4_SEC); /* puts */
}

static pausable void sleeper(void)
{
    co4_sleep(3600 * CO4_SEC); /* sleeps */
}

static pausable void waits_for(co4_task *task)
{
    co4_task_join(task); /* joins */
}

/* At `busy` a message is held back for who picks, so one waits for it, and one for its place. */
static int unwanted(void *arg, const void *value)
{
    (void)arg, (void)value;
    return 0;
}

static pausable void picks(void)
{
    co4_filtering f;
    (void)!co4_await(co4_source_filter(&f, co4_mailbox_source(busy), unwanted, NULL), NULL);
}

static pausable void taker(void)
{
    int n;
    (void)!co4_mailbox_receive(busy, &n);
}

static pausable void fills(void)
{
    int n = 1;
    (void)!co4_mailbox_send_until(busy, &n, CO4_NOW);
}

static pausable void giver(void)
{
    int n = 2;
    (void)!co4_mailbox_send(busy, &n);
}

static pausable void hears(co4_subscriber *news)
{
    int n;
    (void)!co4_subscriber_receive(news, &n);
}

static pausable int acquires(co4_sem *permits)
{
    return co4_sem_acquire(permits);
}

static pausable int scoped(co4_sem *permits)
{
    return co4_scope_run(0, acquires(permits));
}

__attribute__((noinline)) void stop_here(void)
{
    __asm__ volatile(""); /* not nothing, so it is called */
}

/* The dump of this moment; tasks.py reads it. */
char dumped[1 << 16];

static int append(void *at, const char *text, size_t size)
{
    size_t *used = at;
    if (size > sizeof dumped - 1 - *used)
        return -1;
    memcpy(dumped + *used, text, size);
    *used += size;
    return 0;
}

/* It is spawned before `picks` is woken, and so runs before it looks at the message. */
static pausable void stops(void)
{
    co4_spawn(clerk(3));
    co4_dump(NULL, append, &(size_t){ 0 });
    stop_here(); /* all are there */
}

static pausable int watch(void)
{
    int n = 5;
    orders = co4_mailbox_create(sizeof n, 1);
    full = co4_mailbox_create(sizeof n, 1);
    busy = co4_mailbox_create(sizeof n, 1);
    (void)!co4_mailbox_send_until(full, &n, CO4_NOW);
    co4_spawn(picks());
    co4_task *unwatched = co4_spawn(sleeper());
    co4_yield();
    co4_watch(1); /* from here on, tasks have the numbers of dumps */
    co4_task *ann = co4_spawn(clerk(2));
    co4_task_set_name(ann, "Ann");
    co4_task_release(ann);
    co4_spawn(sender());
    co4_task *t = co4_spawn(sleeper());
    co4_spawn(waits_for(t));
    co4_spawn(taker());
    co4_broadcast *broadcast = co4_broadcast_create(sizeof n);
    co4_subscriber *news = co4_broadcast_subscribe(broadcast, 1, CO4_BROADCAST_WAIT);
    co4_sem permits = CO4_SEM_INIT(0);
    co4_spawn(hears(news));
    co4_spawn(co4_scope_run(0, scoped(&permits)));
    co4_sleep(20 * CO4_MS); /* the call itself */
    co4_spawn(fills());
    co4_spawn(giver());
    co4_spawn(stops());
    co4_sleep(CO4_MS);
    co4_mailbox_close(orders);
    co4_mailbox_close(full);
    co4_mailbox_close(busy);
    co4_task_cancel(t, 0);
    co4_task_cancel(unwatched, 0);
    co4_task_release(unwatched);
    co4_sem_release(&permits);
    co4_broadcast_close(broadcast);
    co4_sleep(CO4_MS);
    co4_subscriber_destroy(news);
    co4_broadcast_destroy(broadcast);
    return n;
}

int main(void)
{
    printf("%d\n", co4_run(watch()));
    return 0;
}
