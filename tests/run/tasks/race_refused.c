/* race_refused - of a race one source is refused when it is added, just when another thread has
 * completed the one before it and is about to wake the task.
 * modes: woven
 * needs: threads workers
 * expect: closed, and nothing is left to take */
#include <co4.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static co4_mailbox *mb;
static co4_inbox *counted;
static pthread_t closing;

static void doze(int ms)
{
    nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000L }, NULL);
}

/* ---- a listener that takes its time to wake ---- */

static int takes_all(co4_listener *l, int code, const void *value)
{
    (void)l, (void)code, (void)value;
    return 1;
}

static void completed(co4_listener *l, int code, const void *value)
{
    (void)l, (void)code, (void)value;
}

static void released(co4_listener *l)
{
    (void)l;
}

static void wakes_slowly(co4_listener *l)
{
    (void)l;
    doze(200);
}

static const void *itself(const co4_listener *l)
{
    return l;
}

static const co4_listener_ops slow = { takes_all, completed, released, wakes_slowly, itself, NULL };

/* ---- a source while whose add the mailbox is closed ---- */

static void *closes(void *arg)
{
    co4_mailbox_close(mb);
    return arg;
}

static int nothing(co4_source *source, co4_listener *l)
{
    (void)source, (void)l;
    return 0;
}

static int add_slowly(co4_source *source, co4_listener *l)
{
    if (pthread_create(&closing, NULL, closes, NULL) != 0)
        abort();
    doze(100);
    return nothing(source, l);
}

static void drop(co4_source *source, co4_listener *l)
{
    (void)source, (void)l;
}

static const co4_source_ops slow_source = { nothing, add_slowly, drop, NULL };

int main(void)
{
    static co4_inbox_wait_at holding[CO4_INBOX_WAITS + 1];
    static co4_listener first = { .ops = &slow }, many[CO4_INBOX_WAITS];
    int n;
    mb = co4_mailbox_create(sizeof n, 4);
    counted = co4_inbox_create(sizeof n, 4);
    for (int i = 0; i < CO4_INBOX_WAITS; i++) { /* no more than these may wait there */
        many[i].ops = &slow;
        co4_source *s = co4_inbox_holding(&holding[i], counted, 1);
        if (s->ops->add(s, &many[i]) != 0)
            abort();
    }
    co4_source *s = co4_mailbox_source(mb), mine = { &slow_source };
    if (s->ops->add(s, &first) != 0)
        abort();
    co4_racing race;
    co4_racer racers[] = {
        { .source = s },
        { .source = &mine },
        { .source = co4_inbox_holding(&holding[CO4_INBOX_WAITS], counted, 1) },
    };
    puts(co4_strerror(co4_block(co4_await(co4_source_race(&race, racers, 3), &n))));
    pthread_join(closing, NULL);
    for (int i = 0; i < CO4_INBOX_WAITS; i++)
        co4_inbox_holding(&holding[i], counted, 1)->ops->drop(&holding[i].source, &many[i]);
    co4_inbox_destroy(counted);
    return co4_mailbox_destroy(mb) != CO4_OK;
}
